package profiles

import (
	"fmt"
	"slices"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/tunables"
)

// maxTrials bounds a plan: a cross product can outgrow any lab's patience, and
// memory, within a few lines of YAML.
const maxTrials = 1_000_000

// Plan is every trial of a profile in the order in which it will be measured.
type Plan struct {
	Profile  *Profile
	Seed     uint64
	Variants []Variant
	Trials   []Trial
}

// Variant is one set of settings. ID is derived from the settings, so the same
// settings have the same ID in every run.
type Variant struct {
	ID       string
	Label    string
	Settings []tunables.Setting
}

// Trial is one planned trial. Variant and Workload are indexes into the plan's
// and the profile's lists.
type Trial struct {
	Index, Block      int
	Variant, Workload int
	// Load is the load point. The Rate of a percentage is not known before its
	// Max trial, which comes before it in the same block and cell.
	Load results.Load
	// Seed is where the trial's I/O comes from. It does not depend on the
	// variant: within a block all variants see the same I/O.
	Seed uint64
}

// Cost is what a plan will take of a target of a given size.
type Cost struct {
	// Time leaves out what applying and restoring settings takes.
	Time time.Duration
	// WriteBytes and DeleteBytes are upper bounds where Bounded, else estimates
	// at EstimateBytesPerSecond.
	WriteBytes, DeleteBytes int64
	Bounded                 bool
}

// cell is what is measured together in one place of the order: one load point,
// or the maximum and the percentages of it.
type cell struct {
	variant, workload int
	loads             []results.Load
}

// Plan lays out every trial. Blocks follow one another; each holds every
// variant, workload and load point once, in an order drawn from the seed:
// seedOverride, or the profile's own where that is nil. The same profile and
// seed give the same plan in every version of iosweep.
//
// Where a workload's load points are chosen while measuring, its first block goes
// point by point, each of all variants, so that a point is chosen from all that
// was measured at those before.
func (p *Profile) Plan(seedOverride *uint64) (*Plan, error) {
	plan := &Plan{Profile: p, Seed: p.Measure.Seed}
	if seedOverride != nil {
		plan.Seed = *seedOverride
	}
	if n := p.trials(); n > maxTrials {
		return nil, fmt.Errorf("plan %s: it would be more than %d trials: try fewer values, load points or repeats", p.Name, maxTrials)
	}
	cells := plan.cells()
	draw := newDraw(plan.Seed)
	for block := range p.Measure.Repeats {
		draw.shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		scouted := map[int]bool{}
		for _, c := range cells {
			switch w := c.workload; {
			case block > 0 || !p.Workloads[w].Adaptive:
				plan.add(block, c, draw)
			case !scouted[w]:
				scouted[w] = true
				plan.scout(w, cells, draw)
			}
		}
	}
	return plan, nil
}

// scout appends the first block of a workload whose load points are chosen.
func (plan *Plan) scout(workload int, cells []cell, draw *draw) {
	var variants []cell
	for _, c := range cells {
		if c.workload == workload {
			variants = append(variants, c)
		}
	}
	for _, l := range plan.Profile.Workloads[workload].Loads {
		draw.shuffle(len(variants), func(i, j int) { variants[i], variants[j] = variants[j], variants[i] })
		for _, v := range variants {
			plan.add(0, cell{v.variant, workload, []results.Load{l}}, draw)
		}
	}
}

// cells lists what a block holds, and fills in the plan's variants.
func (plan *Plan) cells() []cell {
	var cells []cell
	known := map[string]int{}
	for w, workload := range plan.Profile.Workloads {
		for _, v := range plan.Profile.variants(workload) {
			at := plan.variant(v, known)
			if workload.Loads[0].Max {
				cells = append(cells, cell{at, w, workload.Loads})
				continue
			}
			for _, l := range workload.Loads {
				cells = append(cells, cell{at, w, []results.Load{l}})
			}
		}
	}
	return cells
}

// variant returns the index of v among the plan's variants, adding it when it
// is new: workloads that vary the same tunables share their variants.
func (plan *Plan) variant(v Variant, known map[string]int) int {
	at, ok := known[v.ID]
	if !ok {
		at = len(plan.Variants)
		known[v.ID] = at
		plan.Variants = append(plan.Variants, v)
	}
	return at
}

// add appends a cell's trials: the maximum first, the percentages shuffled.
func (plan *Plan) add(block int, c cell, draw *draw) {
	loads := slices.Clone(c.loads)
	if rest := loads[1:]; loads[0].Max {
		draw.shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	name := plan.Profile.Workloads[c.workload].Name
	for _, l := range loads {
		plan.Trials = append(plan.Trials, Trial{
			Index: len(plan.Trials), Block: block,
			Variant: c.variant, Workload: c.workload, Load: l,
			Seed: trialSeed(plan.Seed, block, name, l),
		})
	}
}

// trials counts the plan's trials, stopping once there are too many.
func (p *Profile) trials() int {
	total := 0
	for _, w := range p.Workloads {
		n := max(1, len(p.Variants))
		for _, t := range p.Tunables {
			if len(p.Variants) == 0 && slices.Contains(w.Vary, t.Def.Name) {
				n *= len(t.Values)
			}
			if n > maxTrials {
				return n
			}
		}
		total += n * len(w.Loads)
	}
	if total > maxTrials {
		return total
	}
	return total * p.Measure.Repeats
}
