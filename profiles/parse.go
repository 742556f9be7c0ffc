package profiles

import (
	"fmt"

	"github.com/iosweep/iosweep/internal/units"
	"gopkg.in/yaml.v3"
)

// Defaults of what a profile may leave out.
const (
	// DefaultScratchBytes is the size of a scratch target.
	DefaultScratchBytes = 1 << 30
	// DefaultOutstanding is the most operations outstanding in an open loop.
	DefaultOutstanding = 64
	defaultRepeats     = 5
	defaultSeed        = 1
	defaultRetries     = 1
)

// Parse reads a profile; name is what errors call it. Everything that is wrong
// is reported at once, in the order of the file, each error as
// name:line:column: what: what to do. A profile that Parse returns is complete:
// values are canonical and defaults filled in.
//
// What a profile says differently for models is checked too, but not in what is
// returned: see Simulated.
func Parse(name string, text []byte) (*Profile, error) {
	p, err := parse(name, text, false)
	if err != nil {
		return nil, err
	}
	if _, err := p.Simulated(); err != nil {
		return nil, err
	}
	return p, nil
}

// parse reads a profile as it is for a real device, or as it is for a model.
func parse(name string, text []byte, simulated bool) (*Profile, error) {
	r := &reader{name: name, where: map[string]position{}}
	root := r.document(text)
	if root == nil {
		return nil, r.err()
	}
	r.overlay(followed(root), simulated)
	p := read(r, root)
	p.Text, p.Path = string(text), name
	check(r, p)
	if err := r.err(); err != nil {
		return nil, err
	}
	return p, nil
}

// read fills a Profile with what the file says.
func read(r *reader, root *yaml.Node) *Profile {
	r.where[""] = position{root.Line, root.Column}
	p, _ := profileKind().read(r, root)
	return &p
}

// check resolves names, fills in defaults, and refuses what cannot be measured.
func check(r *reader, p *Profile) {
	if p.Engine == "" {
		p.Engine = "auto"
	}
	c := &checker{reader: r, p: p}
	c.target()
	for i := range p.Tunables {
		c.tunable(fmt.Sprintf("tunables[%d]", i), &p.Tunables[i], p.Tunables[:i])
	}
	c.variants()
	c.measure()
	for i := range p.Workloads {
		c.workload(fmt.Sprintf("workloads[%d]", i), &p.Workloads[i], p.Workloads[:i])
	}
	c.unvaried()
	if !r.unread("workloads") {
		c.objectives()
		c.references()
	}
}

// checker is the second pass: it sees the whole profile.
type checker struct {
	*reader
	p *Profile
}

func (c *checker) target() {
	t := &c.p.Target
	for _, size := range []struct {
		key   string
		bytes int64
	}{{"min_size", t.MinBytes}, {"scratch_size", t.ScratchBytes}} {
		c.aligned("target."+size.key, size.bytes)
	}
	if t.ScratchBytes == 0 {
		t.ScratchBytes = max(DefaultScratchBytes, t.MinBytes)
	}
	if t.ScratchBytes < t.MinBytes {
		c.failPath("target.scratch_size", "it is below min_size: write at least %s", units.FormatBytes(t.MinBytes))
	}
}

// measure fills in the defaults of the profile's own measure.
func (c *checker) measure() {
	m := &c.p.Measure
	if !c.has("measure.repeats") {
		m.Repeats = defaultRepeats
	}
	if !c.has("measure.seed") {
		m.Seed = defaultSeed
	}
	if !c.has("measure.retries") {
		m.Retries = defaultRetries
	}
	c.repeat(m)
	c.window("measure", *m)
}

// window checks one measure, as it is written at path.
func (c *checker) window(path string, m Measure) {
	if c.has(path+".duration") && m.Duration == 0 {
		c.failPath(path+".duration", "a window of 0 measures nothing: write a time, or leave it out beside ops or amount")
	}
	if m.Duration > 0 && m.Warmup >= m.Duration {
		c.failPath(path+".warmup", "the warm-up of %v is not shorter than the run of %v: shorten it or lengthen duration", m.Warmup, m.Duration)
	}
}

// aligned refuses what no device could do: sectors are never below 512 bytes.
func (c *checker) aligned(path string, bytes int64) {
	if bytes%sectorBytes != 0 {
		c.failPath(path, "%d bytes is not a multiple of %d, the smallest sector: write %d", bytes, sectorBytes, bytes/sectorBytes*sectorBytes+sectorBytes)
	}
}

const sectorBytes = 512
