package profiles

import (
	"time"

	"gopkg.in/yaml.v3"
)

// Defaults of prepare: steady. The window and its limits are those of SNIA's
// Solid State Storage Performance Test Specification.
const (
	defaultSteadyBytes  = 4096
	defaultSteadyDepth  = 32
	defaultSteadyRound  = time.Minute
	defaultSteadyRounds = 25
	// SteadyWindow is how many rounds in a row are looked at.
	SteadyWindow = 5
)

// prepareKind reads either the steps alone or a mapping.
func prepareKind() kind[Prepare] {
	words, mapping := list(choice(option[string]{"delete", "delete"}, option[string]{"fill", "fill"})), prepareMapping()
	s := schema{"anyOf": []any{words.schema, mapping.schema}}
	return kind[Prepare]{s, func(r *reader, n *yaml.Node) (Prepare, bool) {
		target := n
		if n.Kind == yaml.AliasNode {
			target = n.Alias
		}
		if target.Kind == yaml.MappingNode {
			return mapping.read(r, n)
		}
		var p Prepare
		steps, ok := words.read(r, n)
		for _, s := range steps {
			if s == "delete" {
				p.Delete = true
			} else {
				p.Fills = 1
			}
		}
		return p, ok
	}}
}

func prepareMapping() kind[Prepare] {
	return object(
		put("once", "true: only before the workload's first trial of a run, not before each.", truth(), func(p *Prepare) *bool { return &p.Once }),
		put("delete", "true: delete the regions of the jobs.", truth(), func(p *Prepare) *bool { return &p.Delete }),
		put("fill", "How many times the regions are then written sequentially.", whole(1, 100), func(p *Prepare) *int { return &p.Fills }),
		set("steady", "Then overwrite the regions at random until the target no longer changes: over five rounds a range within 20 % of the mean and a slope within 10 %.", steadyKind(),
			func(p *Prepare, s Steady) { p.Steady = &s }),
	)
}

func steadyKind() kind[Steady] {
	return object(
		put("on", "What must be steady: ops (the default), throughput, or mean (of the latency).", choice(
			option[string]{"ops", "ops"}, option[string]{"throughput", "throughput"}, option[string]{"mean", "mean"},
		), func(s *Steady) *string { return &s.On }),
		put("size", "The size of the writes; 4KiB unless given.", amount(), func(s *Steady) *int64 { return &s.SizeBytes }),
		put("depth", "How many are outstanding in each region; 32 unless given.", whole(1, maxDepth), func(s *Steady) *int { return &s.Depth }),
		put("round", "How long a round is; 1min unless given.", duration(), func(s *Steady) *time.Duration { return &s.Round }),
		put("rounds", "The most rounds; 25 unless given. A target that is not steady by then is measured, and the trials say so.", whole(SteadyWindow, 10_000), func(s *Steady) *int { return &s.Rounds }),
	)
}

// prepare fills in the defaults of a workload's preparation, and refuses what
// its own trials would undo.
func (c *checker) prepare(path string, w *Workload) {
	p := &w.Prepare
	if c.has(path) && !p.Delete && p.Fills == 0 && p.Steady == nil {
		c.failPath(path, "it does nothing: add delete: true, fill or steady")
	}
	for _, j := range w.Jobs {
		if p.Once && j.Mix.Delete > 0 {
			c.failPath(path+".once", "job %s deletes what was prepared, so the next trial would find holes: remove once", j.Name)
			return
		}
	}
	s := p.Steady
	if s == nil {
		return
	}
	c.aligned(path+".steady.size", s.SizeBytes)
	if c.has(path+".steady.round") && s.Round == 0 {
		c.failPath(path+".steady.round", "a round of 0 measures nothing: write a time")
	}
	s.fill()
}

// fill fills in the defaults.
func (s *Steady) fill() {
	if s.On == "" {
		s.On = "ops"
	}
	if s.SizeBytes == 0 {
		s.SizeBytes = defaultSteadyBytes
	}
	if s.Depth == 0 {
		s.Depth = defaultSteadyDepth
	}
	if s.Round == 0 {
		s.Round = defaultSteadyRound
	}
	if s.Rounds == 0 {
		s.Rounds = defaultSteadyRounds
	}
}
