package profiles

import (
	"fmt"
	"slices"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/workloads"
)

// workload resolves one workload.
func (c *checker) workload(path string, w *Workload, before []Workload) {
	if slices.ContainsFunc(before, func(b Workload) bool { return b.Name == w.Name }) {
		c.failPath(path+".name", "two workloads are called %q: rename one", w.Name)
	}
	known := len(c.problems)
	c.vary(path+".vary", w)
	c.inherit(path+".measure", &w.Measure)
	c.loads(path+".load", w)
	c.prepare(path+".prepare", w)
	takes := false
	for i := range w.Jobs {
		at := fmt.Sprintf("%s.jobs[%d]", path, i)
		j := &w.Jobs[i]
		j.Load = c.has(path+".load") && !c.has(at+".depth") && !c.has(at+".rate")
		takes = takes || j.Load
		c.job(at, j, w.Jobs[:i])
		c.pace(at, j, *w)
	}
	if i := slices.IndexFunc(w.Jobs, func(j Job) bool { return j.Target != "" }); w.Verify && i >= 0 {
		c.failPath(fmt.Sprintf("%s.jobs[%d].target", path, i), "only the first target's data is verified: remove target, or verify")
	}
	if c.has(path+".load") && !takes {
		c.failPath(path+".load", "every job fixes its own depth or rate, so none takes the load: remove load, or depth and rate of a job")
	}
	if len(w.Loads) == 0 {
		w.Loads = []results.Load{{}}
	}
	if len(c.problems) == known {
		c.streams(path, *w)
	}
}

// streams asks the workloads package, whose word is final, about every job that
// has passed the checks here, which know more of where things stand.
func (c *checker) streams(path string, w Workload) {
	for _, l := range w.Loads {
		for i, j := range w.JobsAt(l) {
			at := fmt.Sprintf("%s.jobs[%d]", path, i)
			if err := j.Validate(workloads.Geometry{}); err != nil && len(c.problems) < maxProblems {
				c.failPath(at, "%v", err)
				return
			}
		}
	}
}

// vary resolves the tunables that a workload multiplies out.
func (c *checker) vary(path string, w *Workload) {
	var names []string
	for _, t := range c.p.Tunables {
		names = append(names, t.Def.Name)
	}
	if len(c.p.Variants) > 0 && len(w.Vary) > 0 {
		c.failPath(path, "the profile lists its variants, and every workload runs them all: remove vary")
	}
	for i, v := range w.Vary {
		at := fmt.Sprintf("%s[%d]", path, i)
		if !slices.Contains(names, v) {
			c.failPath(at, "no tunable %q in this profile: %s", shorten(v), suggest(v, names))
		}
		if slices.Contains(w.Vary[:i], v) {
			c.failPath(at, "%q is named twice: keep one", v)
		}
	}
	if len(w.Vary) == 0 {
		w.Vary = names
	}
}

// inherit fills what a workload does not say itself from the profile's measure.
func (c *checker) inherit(path string, m *Measure) {
	own, all := *m, c.p.Measure
	*m = all
	for key, take := range map[string]func(){
		"warmup":   func() { m.Warmup = own.Warmup },
		"duration": func() { m.Duration = own.Duration },
		"ops":      func() { m.Ops = own.Ops },
		"amount":   func() { m.Bytes = own.Bytes },
		"settle":   func() { m.Settle = own.Settle },
	} {
		if c.has(path + "." + key) {
			take()
		}
	}
	if c.has(path) {
		c.window(path, *m)
	}
	if m.Duration == 0 && m.Ops == 0 && m.Bytes == 0 {
		c.failPath(path, "a trial would never end: give duration, ops or amount, here or in the profile's measure")
	}
}

// loads checks a workload's load points.
func (c *checker) loads(path string, w *Workload) {
	given := 0
	for _, key := range []string{".depth", ".rate", ".percent", ".curve"} {
		if c.has(path + key) {
			given++
		}
	}
	points := len(w.Loads) > 0
	switch {
	case given > 1:
		c.failPath(path, "it mixes depth, rate, percent and curve: keep one, and give the others a workload of their own")
	case c.has(path+".points") && !c.has(path+".curve"):
		c.failPath(path+".points", "only an adaptive curve has its points chosen: add curve: adaptive, or remove points")
	case c.has(path) && !points:
		c.failPath(path, "it has no load points: add depth, rate or percent, or write curve")
	case c.has(path+".outstanding") && c.has(path+".depth"):
		c.failPath(path+".outstanding", "depth already says how many are outstanding: remove it")
	}
	for i, l := range w.Loads {
		if !l.Max && l == (results.Load{}) {
			c.failPath(path, "a load of 0 offers nothing: write more than 0%%")
		} else if slices.Contains(w.Loads[:i], l) {
			c.failPath(path, "the load point %s is given twice: keep one", l)
		}
	}
}

// pace fills in a job's depth, and refuses pacing that contradicts itself.
func (c *checker) pace(path string, j *Job, w Workload) {
	open := j.Rate > 0
	for _, l := range w.Loads {
		open = open || j.Load && (l.Rate > 0 || l.Percent > 0)
	}
	if open {
		c.openLoop(path, *j)
	} else if c.has(path + ".arrivals") {
		c.failPath(path+".arrivals", "a closed loop has no arrivals: give the job a rate, or the workload a load of rates")
	}
	switch {
	case j.Depth > 0 || j.Load && !open:
	case j.Load && w.Outstanding > 0:
		j.Depth = w.Outstanding
	case open:
		j.Depth = DefaultOutstanding
	default:
		j.Depth = max(1, j.Burst.Ops)
	}
	if n := j.Burst.Ops; n > 0 && j.Depth%n != 0 {
		c.failPath(path+".burst.ops", "the depth of %d is not a multiple of the burst of %d: change one", j.Depth, n)
	}
	for _, l := range w.Loads {
		if n := j.Burst.Ops; n > 0 && j.Load && l.Depth%n != 0 {
			c.failPath(path+".burst.ops", "the load's depth of %d is not a multiple of the burst of %d: change one", l.Depth, n)
		}
	}
}

func (c *checker) openLoop(path string, j Job) {
	if j.Think > 0 {
		c.failPath(path+".think", "a job at an offered rate does not wait for completions: remove think or the rate")
	}
	if j.Burst.Ops > 0 {
		c.failPath(path+".burst", "a burst waits for the one before, an offered rate does not: remove one")
	}
}
