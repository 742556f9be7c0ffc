package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/iosweep/iosweep/results"
)

// State says whether a variant keeps to an objective's limits.
type State string

// The states of a limit, and of a variant: feasible when all limits are met
// with the confidence asked, infeasible when any is surely not.
const (
	Feasible   State = "feasible"
	Infeasible State = "infeasible"
	Unclear    State = "undecided"
)

// Judgement is one objective at one load point, in figures.
type Judgement struct {
	Objective results.Objective
	// Metric is what is to be best; its Quantity is empty when the objective
	// has limits only.
	Metric results.MetricName
	Load   results.Load
	// Standings are the variants that were measured, in the run's order.
	Standings []Standing
	// Leader is the variant with the best median among those that no limit
	// rules out, or "". Ties are the others that are not proven to be worse,
	// in the run's order.
	Leader string
	Ties   []string
	// Decided says that the answer has the confidence asked: the leader is
	// feasible, and each other variant infeasible, worse, or the same within
	// the margin; or, without a leader, all are infeasible.
	Decided bool
}

// Standing is how one variant stands.
type Standing struct {
	Variant string
	// Trials are those that count.
	Trials int
	// Value is of the objective's metric over them. Missing counts those that do
	// not have it, Reasons says why. Where it is missing because too little
	// completed, the trial counts with the bound that it gives (results.Reading):
	// Value is then no worse than the truth. Where there is no bound either,
	// Value.N is less than Trials, and Value may be of the better ones only.
	Value   Summary
	Missing int
	Reasons []string
	Limits  []LimitStanding
	// State is sure to the confidence asked, Leaning is what the medians say.
	State, Leaning State
	// Against compares the variant with the leader; nil for the leader and
	// where there is none.
	Against *Comparison

	values []Value
}

// LimitStanding is how one variant stands to one limit.
type LimitStanding struct {
	Limit results.Limit
	// Value is of the limit's metric. A trial in which nothing completed counts
	// with the bound that it gives, where that is beyond the limit.
	Value          Summary
	Missing        int
	Reasons        []string
	State, Leaning State

	values []float64
}

// Judge judges an objective on the counted trials of a run, apart at each load
// point. The direction comes from the objective, not from o. A run that measured
// until it knew enough (results.Repeat) is judged by the sequential test and, if
// o has none, its margin. The error says
// that the objective names a workload, a metric or a job that is not there.
func Judge(data *results.RunData, objective results.Objective, o Options) ([]Judgement, error) {
	o.Confidence = orDefault(o.Confidence)
	o.HigherIsBetter = objective.Maximise != ""
	if r := data.Run.Repeat; r != nil {
		o.Sequential, o.Margin = true, cmp.Or(o.Margin, r.Margin)
	}
	g, err := newGoal(objective)
	if err != nil {
		return nil, err
	}
	cells := gather(data, objective.Workload)
	if len(cells.loads) == 0 {
		return nil, fmt.Errorf("judge objective: run %s has no trial of workload %q", data.Run.ID, objective.Workload)
	}
	var judged []Judgement
	for _, load := range cells.loads {
		j := Judgement{Objective: objective, Metric: g.metric, Load: load}
		for _, variant := range data.Run.Variants {
			trials, measured := cells.counted[cell{variant.ID, load.String()}]
			if !measured {
				continue
			}
			s, err := g.standing(variant.ID, trials, o)
			if err != nil {
				return nil, err
			}
			j.Standings = append(j.Standings, s)
		}
		if o.Sequential {
			j.sequentialLimits(o.Confidence)
		}
		j.rank(o)
		judged = append(judged, j)
	}
	return judged, nil
}

// cell is one variant at one load point.
type cell struct{ variant, load string }

// cells holds the counted trials of one workload. A cell is there, if empty,
// when any trial of it was stored, of whatever status.
type cells struct {
	counted map[cell][]*results.Trial
	loads   []results.Load
}

func gather(data *results.RunData, workload string) cells {
	found := cells{counted: map[cell][]*results.Trial{}}
	seen := map[string]bool{}
	for i := range data.Trials {
		t := &data.Trials[i]
		if t.Workload != workload {
			continue
		}
		load := t.Load.String()
		if !seen[load] {
			seen[load] = true
			found.loads = append(found.loads, t.Load)
		}
		found.counted[cell{t.Variant, load}] = nil
	}
	for _, t := range data.Counted() {
		if t.Workload == workload {
			at := cell{t.Variant, t.Load.String()}
			found.counted[at] = append(found.counted[at], t)
		}
	}
	slices.SortStableFunc(found.loads, results.Load.Compare)
	return found
}

// rank finds the leader and sets the others against it.
func (j *Judgement) rank(o Options) {
	if j.Metric.Quantity == "" {
		j.Decided = !slices.ContainsFunc(j.Standings, func(s Standing) bool { return s.State == Unclear })
		return
	}
	leader := j.lead(o.HigherIsBetter)
	if leader == nil {
		j.Decided = !slices.ContainsFunc(j.Standings, func(s Standing) bool { return s.State != Infeasible })
		return
	}
	j.Leader = leader.Variant
	var rest []*Standing
	var all []Comparison
	// Which of the variants leads is seen from the data, so that each pair of them
	// might have been compared.
	o.Family = len(j.Standings) * (len(j.Standings) - 1) / 2
	for i := range j.Standings {
		if s := &j.Standings[i]; s != leader {
			rest = append(rest, s)
			all = append(all, Compare(leader.values, s.values, o))
		}
	}
	decideAmong(all, o.Family)
	j.Decided = leader.State == Feasible
	for i, s := range rest {
		s.Against = &all[i]
		s.doubt()
		if s.Leaning == Infeasible && s.State == Infeasible {
			continue
		}
		outcome := all[i].Outcome
		j.Decided = j.Decided && (outcome == Worse || outcome == Same && s.State == Feasible)
		if outcome != Worse && s.Leaning != Infeasible && s.Value.N > 0 {
			j.Ties = append(j.Ties, s.Variant)
		}
	}
}

// doubt takes an outcome back that rests on a part of the trials: those that are
// missing may differ. What is no better even at its bounds is worse all the same.
func (s *Standing) doubt() {
	switch c := s.Against; {
	case s.Value.N > 0 && s.Value.N < s.Trials:
		c.Outcome = Undecided
		c.warn("%d of %d trials have no figure (%s): the others prove nothing", s.Trials-s.Value.N, s.Trials, s.Reasons[0])
	case s.Missing > 0 && c.Outcome != Worse:
		c.Outcome = Undecided
		c.warn("%d of %d trials count with a bound (%s)", s.Missing, s.Trials, s.Reasons[0])
	}
}

// lead is the best of the variants whose medians keep to the limits. One that
// has no figure in some trials cannot lead: those may be its worst.
func (j *Judgement) lead(higher bool) *Standing {
	var leader *Standing
	for i := range j.Standings {
		s := &j.Standings[i]
		if s.Value.N == 0 || s.Missing > 0 || s.Leaning != Feasible {
			continue
		}
		if leader == nil || (s.Value.Center > leader.Value.Center) == higher && s.Value.Center != leader.Value.Center {
			leader = s
		}
	}
	return leader
}

// block names what trials of one block of a run share.
func block(t *results.Trial) string { return strconv.Itoa(t.Block) }
