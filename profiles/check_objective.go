package profiles

import (
	"fmt"
	"slices"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/tunables"
	"github.com/iosweep/iosweep/workloads"
)

func (c *checker) objectives() {
	for i, o := range c.p.Objectives {
		path := fmt.Sprintf("objective[%d]", i)
		if slices.ContainsFunc(c.p.Objectives[:i], func(b results.Objective) bool { return b.Workload == o.Workload }) {
			c.failPath(path+".workload", "%q has an objective already: keep one and make the other a constraint", o.Workload)
		}
		if (o.Maximise == "") == (o.Minimise == "") {
			c.failPath(path, "write exactly one of maximise and minimise")
		}
		w, ok := c.named(path+".workload", o.Workload)
		if !ok {
			continue
		}
		c.metricOf(path+".maximise", o.Maximise, w)
		c.metricOf(path+".minimise", o.Minimise, w)
		for k, l := range o.Limits {
			c.metricOf(fmt.Sprintf("%s.subject_to[%d]", path, k), l.Metric, w)
		}
	}
}

// named finds a workload.
func (c *checker) named(path, name string) (Workload, bool) {
	var names []string
	for _, w := range c.p.Workloads {
		if w.Name == name {
			return w, true
		}
		names = append(names, w.Name)
	}
	c.failPath(path, "no workload %q in this profile: %s", name, suggest(name, names))
	return Workload{}, false
}

// metricOf refuses a metric that the workload's trials will not have.
func (c *checker) metricOf(path, name string, w Workload) {
	if name == "" {
		return
	}
	m, err := results.ParseMetric(name)
	if err != nil {
		c.failPath(path, "%v", err)
		return
	}
	jobs := w.Jobs
	if m.Job != "" {
		at := slices.IndexFunc(jobs, func(j Job) bool { return j.Name == m.Job })
		if at < 0 {
			c.failPath(path, "metric %q: workload %s has no job %q: %s", name, w.Name, m.Job, suggest(m.Job, jobNames(jobs)))
			return
		}
		jobs = jobs[at : at+1]
	}
	if m.Kind != "" && !slices.ContainsFunc(jobs, func(j Job) bool { return doesKind(j, m.Kind) }) {
		c.failPath(path, "metric %q: the workload does no %ss there: name another kind or none", name, m.Kind)
	}
}

func doesKind(j Job, kind string) bool {
	for k := range workloads.Kinds {
		if k.String() == kind {
			return mixShare(j.Mix, k) > 0
		}
	}
	return false
}

func jobNames(jobs []Job) []string {
	var names []string
	for _, j := range jobs {
		names = append(names, j.Name)
	}
	return names
}

func (c *checker) references() {
	for i := range c.p.References {
		path := fmt.Sprintf("references[%d]", i)
		f := &c.p.References[i]
		if f.Workload != "" {
			if w, ok := c.named(path+".workload", f.Workload); ok {
				c.metricOf(path+".metric", f.Metric, w)
			}
		}
		if f.Value != "" && f.Tunable == "" {
			c.failPath(path+".value", "a value needs its tunable: add tunable")
		}
		if def, ok := tunables.Lookup(f.Tunable); ok && f.Value != "" {
			f.Value = c.canonical(path+".value", def, f.Value)
		}
	}
}
