package profiles

import (
	"fmt"
	"math"
	"slices"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/workloads"
)

// job checks one job as far as it can be without its target.
func (c *checker) job(path string, j *Job, before []Job) {
	if slices.ContainsFunc(before, func(b Job) bool { return b.Name == j.Name }) {
		c.failPath(path+".name", "two jobs of the workload are called %q: rename one", j.Name)
	}
	c.mix(path, j)
	c.jobName(path+".name", *j)
	c.sizes(path, *j)
	c.region(path+".region", j.Region)
	c.access(path, *j)
	c.aligned(path+".align", j.AlignBytes)
	c.aligned(path+".hit.area", j.Hit.AreaBytes)
	c.aligned(path+".data.dedup_unit", j.Data.DedupUnit)
	c.fits(path, *j)
	if b := j.Burst; (b.Run > 0) != (b.Pause > 0) {
		c.failPath(path+".burst", "run and pause go together: give both or neither")
	}
	for i, cpu := range j.CPUs {
		if slices.Contains(j.CPUs[:i], cpu) {
			c.failPath(fmt.Sprintf("%s.cpus[%d]", path, i), "processor %d is named twice: keep one", cpu)
		}
	}
}

// jobName keeps metrics unambiguous: read.p99 is about reads, so a job called
// read may do nothing else.
func (c *checker) jobName(path string, j Job) {
	if j.Name == "response" || j.Name == "service" || j.Name == "flush" {
		c.failPath(path, "%q has a meaning of its own in metrics: rename the job", j.Name)
	}
	for _, k := range []workloads.Kind{workloads.Read, workloads.Write, workloads.Delete} {
		if j.Name == k.String() && (mixShare(j.Mix, k) == 0 || kindsOf(j.Mix) > 1) {
			c.failPath(path, "a job called %q must do %ss only, or metrics are ambiguous: rename it", j.Name, j.Name)
		}
	}
}

// mix checks the shares, and fills in the default.
func (c *checker) mix(path string, j *Job) {
	if c.has(path+".op") && c.has(path+".mix") {
		c.failPath(path+".mix", "op already says what the operations are: remove one of the two")
	}
	if sum := j.Mix.Read + j.Mix.Write + j.Mix.Delete; c.has(path+".mix") && math.Abs(sum-1) > 1e-9 {
		c.failPath(path+".mix", "the shares add up to %.6g%%: make it 100%%", sum*100)
	}
	if j.Mix == (workloads.Mix{}) {
		j.Mix.Read = 1
	}
}

func (c *checker) sizes(path string, j Job) {
	at, sum := path+".size", 0.0
	for _, s := range j.Sizes {
		sum += s.Share
		if s.Bytes == 0 {
			c.failPath(at, "a size of 0 moves nothing: write an amount")
		}
		c.aligned(at, s.Bytes)
	}
	if len(j.Sizes) > 0 && math.Abs(sum-1) > 1e-9 {
		c.failPath(at, "the shares add up to %.6g%%: make it 100%%", sum*100)
	}
	c.sizeRange(at, j.Uniform)
	c.sizeRange(path+".stride", j.Stride)
	if !j.Whole {
		return
	}
	if j.Mix.Delete == 0 || kindsOf(j.Mix) > 1 {
		c.failPath(at, "only deletes can be of the whole region: write op: delete, or a size")
	}
	if !c.has(path + ".region") {
		c.failPath(at, "this would delete the whole target: write region: whole if that is meant")
	}
}

func (c *checker) sizeRange(path string, r workloads.SizeRange) {
	if r.Max < r.Min {
		c.failPath(path, "max is below min: swap them")
	}
	for _, bytes := range []int64{r.Min, r.Max, r.Align} {
		c.aligned(path, bytes)
	}
}

func (c *checker) region(path string, g workloads.Region) {
	bytes := c.has(path+".offset") || c.has(path+".length")
	shares := c.has(path+".from") || c.has(path+".to")
	switch {
	case bytes && shares:
		c.failPath(path, "it mixes bytes and shares: write either offset and length or from and to")
	case bytes && g.Length == 0 && g.Offset == 0:
		c.failPath(path, "it has neither an offset above 0 nor a length: add one, or write region: whole")
	case shares && g.To <= g.From:
		c.failPath(path, "it is empty: make to larger than from")
	case g.Offset > math.MaxInt64-g.Length:
		c.failPath(path, "it ends beyond what any device has: write less")
	}
	c.aligned(path+".offset", g.Offset)
	c.aligned(path+".length", g.Length)
}

func (c *checker) access(path string, j Job) {
	a := j.Access
	scattered := a.Random > 0 || a.PoissonMid > 0
	switch {
	case a.Random > 0 && a.PoissonMid > 0:
		c.failPath(path+".access", "random and poisson are two ways to choose an address: keep one")
	case scattered && a.StopAtEnd:
		c.failPath(path+".access.at_end", "random addresses have no end to stop at: remove at_end")
	case j.Whole && scattered:
		c.failPath(path+".access", "the whole region has one address: remove access")
	case c.has(path+".hot_band") && j.HotBand.High <= j.HotBand.Low:
		c.failPath(path+".hot_band", "it is empty: make high larger than low")
	case c.has(path+".hot_band") && !scattered:
		c.failPath(path+".hot_band", "it is for random addresses: write access: random")
	case j.Streams > 1 && scattered:
		c.failPath(path+".streams", "random addresses have no streams: remove it")
	}
}

// fits refuses what cannot fit the region or the target that the profile asks
// for.
func (c *checker) fits(path string, j Job) {
	g := j.Region
	if g.Length == 0 || g.Offset > math.MaxInt64-g.Length {
		return
	}
	if largest := largestOp(j.Spec); largest > g.Length {
		c.failPath(path+".size", "an operation of %s does not fit a region of %s: make one larger or the other smaller", units.FormatBytes(largest), units.FormatBytes(g.Length))
	}
	end := g.Offset + g.Length
	if j.Target == "" && c.has("target.min_size") && end > c.p.Target.MinBytes {
		c.failPath(path+".region", "it ends at %s, past target.min_size: raise min_size to at least that", units.FormatBytes(end))
	}
	if end > c.p.Target.ScratchBytes {
		c.failPath(path+".region", "it ends at %s, past the scratch target's %s: raise target.scratch_size to at least that", units.FormatBytes(end), units.FormatBytes(c.p.Target.ScratchBytes))
	}
}

// largestOp is the largest operation in bytes that the sizes allow; 0 for a
// delete of the whole region.
func largestOp(s workloads.Spec) int64 {
	switch {
	case s.Whole:
		return 0
	case s.Uniform.Max > 0:
		return s.Uniform.Max
	case len(s.Sizes) == 0:
		return 4096
	}
	var most int64
	for _, size := range s.Sizes {
		most = max(most, size.Bytes)
	}
	return most
}

// mixShare is the share of one kind.
func mixShare(m workloads.Mix, k workloads.Kind) float64 {
	switch k {
	case workloads.Read:
		return m.Read
	case workloads.Write:
		return m.Write
	case workloads.Delete:
		return m.Delete
	}
	return 0
}

// kindsOf is how many kinds of operation a mix holds.
func kindsOf(m workloads.Mix) int {
	n := 0
	for _, share := range []float64{m.Read, m.Write, m.Delete} {
		if share > 0 {
			n++
		}
	}
	return n
}
