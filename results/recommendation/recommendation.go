// Package recommendation says which value of what was varied to use: on one
// device, and as the default of many.
//
//  1. Each run's objectives are judged (stats.Judge), which finds the best value
//     on that device among those that keep to the limits.
//  2. The regret of a value on a device is the share that it loses to that best,
//     by the medians, with the tested ratio's interval: of a rate 1 - rate/best, of a
//     latency 1 - best/latency.
//     One that breaks a limit loses all.
//  3. The default is the value whose worst regret over the devices is least. Of
//     those within the margin of it the current default is preferred, else the
//     one nearest to it, else the first of the profile.
//  4. A model on which the default surely loses more than the margin is an
//     exception, with a value of its own.
//  5. Open says what more to measure, since it could change the answer.
package recommendation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// Options say how sure the answer must be. Its zero value asks for 95 %
// confidence and no margin.
type Options struct {
	Confidence float64
	// Margin is the relative loss that does not matter.
	Margin float64
	// Weights are of device models in the weighted mean; 1 unless given.
	Weights map[string]float64
}

// Recommendation answers one question: an objective at one load point.
type Recommendation struct {
	// Tunables were varied, Goal is the objective.
	Tunables []string
	Goal     results.Objective
	Load     string
	Margin   float64
	Devices  []Device
	// Values are the candidates, in the order of the profile.
	Values []Value
	// Default is the value to use; empty where none can be named.
	Default string
	// Reason says why, Ties which other values would surely do as well, NotApart
	// which ones the data cannot tell from it.
	Reason   string
	Ties     []string
	NotApart []string
	// ByMean is the value with the least weighted mean regret.
	ByMean     string
	Exceptions []Exception
	// Decided says that every device's judgement has the confidence asked.
	Decided bool
	// Open says what more measurement would change the answer, or "".
	Open []string
}

// Device is what a run says of one device, or several pooled ones.
type Device struct {
	Run, Dir, Name, Model, ID string
	// Title is the model, with more where two devices have the same.
	Title string
	// More are the further runs whose trials were pooled with this one's.
	More      []Evidence
	Simulated bool
	Weight    float64
	// Best is the leading value, Current the default before the run, where known.
	Best, Current string
	Decided       bool
	// Regrets are by value.
	Regrets map[string]Regret
}

// Evidence is a run and its folder.
type Evidence struct{ Run, Dir string }

// Regret is what a value loses on a device to the best there, as a share.
type Regret struct {
	// Loss is of the medians, by which the best is the best too, from 0 to 1; Lo
	// and Hi bound the tested ratio's where the data allow.
	Loss   float64
	Lo, Hi results.Float
	// State says whether the value keeps to the limits, Outcome how it compares
	// with the best (empty for the best itself).
	State   stats.State
	Outcome stats.Outcome
	// Center is the median of the objective's metric, in its base unit. Bound
	// says that trials count with a bound in it: of a latency it is at least
	// that, of a rate at most.
	Center results.Float
	Bound  bool
	// Contrary says in words that the tested ratio points another way than the
	// medians, or is "".
	Contrary string
}

// Value is a candidate over all devices.
type Value struct {
	// Name is for machines, Label for people.
	Name, Label string
	// Worst and Mean are regrets over the devices that measured it; Everywhere
	// says that all did.
	Worst, Mean results.Float
	Everywhere  bool
}

// Exception is a value for one model of device.
type Exception struct {
	Model, Value string
	// Loss is what the default would lose there, at its most.
	Loss float64
}

// Of answers every objective of the set's runs, at each load point. The error
// says that a run has no objective, or names something that is not there.
func Of(set *results.Set, o Options) ([]Recommendation, error) {
	var all []Recommendation
	places := map[string]int{}
	for _, data := range pool(set.Runs) {
		if len(data.Run.Objectives) == 0 {
			return nil, fmt.Errorf("recommend from run %s: its profile names no objective, so nothing is best: add one and measure again", data.Dir)
		}
		for _, goal := range data.Run.Objectives {
			judged, err := stats.Judge(data.RunData, goal, stats.Options{Confidence: o.Confidence, Margin: o.Margin})
			if err != nil {
				return nil, fmt.Errorf("recommend from run %s: %w", data.Dir, err)
			}
			for i := range judged {
				if err := add(&all, places, data, &judged[i], o); err != nil {
					return nil, err
				}
			}
		}
	}
	for i := range all {
		all[i].answer()
	}
	return all, nil
}

// add files a judgement under its question.
func add(all *[]Recommendation, places map[string]int, data source, j *stats.Judgement, o Options) error {
	tunables := varies(data.Run, j.Objective.Workload)
	question := fmt.Sprintf("%q %q %+v", tunables, j.Load.String(), j.Objective)
	at, ok := places[question]
	if !ok {
		at = len(*all)
		places[question] = at
		*all = append(*all, Recommendation{Tunables: tunables, Goal: j.Objective, Load: j.Load.String(), Margin: o.Margin})
	}
	return (*all)[at].device(data, j, o)
}

func varies(run *results.Run, workload string) []string {
	for _, w := range run.Workloads {
		if w.Name == workload {
			return w.Varies
		}
	}
	return nil
}

// device adds what a run says.
func (r *Recommendation) device(data source, j *stats.Judgement, o Options) error {
	d := Device{
		Run: data.Run.ID, Dir: data.Dir, Name: data.Run.Device.Name, Model: data.Run.Device.Title(), ID: data.Run.Device.ID,
		Simulated: data.Run.Simulated, Weight: 1, Decided: j.Decided, Regrets: map[string]Regret{}, Current: r.current(data.Run), More: data.more,
	}
	if err := r.twice(&d); err != nil {
		return err
	}
	if w, ok := o.Weights[d.Model]; ok {
		d.Weight = w
	}
	best := leader(j)
	for i := range j.Standings {
		s := &j.Standings[i]
		value := r.value(data.Run, s.Variant)
		name := value.Name
		if r.place(name) < 0 {
			r.Values = append(r.Values, value)
		}
		d.Regrets[name] = regretOf(s, best, j.Objective.Maximise != "")
		if s == best {
			d.Best = name
		}
	}
	r.Devices = append(r.Devices, d)
	return nil
}

func leader(j *stats.Judgement) *stats.Standing {
	for i := range j.Standings {
		if j.Standings[i].Variant == j.Leader && j.Leader != "" {
			return &j.Standings[i]
		}
	}
	return nil
}

// current is the default, where all of it is known.
func (r *Recommendation) current(run *results.Run) string {
	var parts []string
	for _, t := range run.Tunables {
		if !slices.Contains(r.Tunables, t.Name) {
			continue
		}
		if t.Default == "" {
			return ""
		}
		if len(r.Tunables) == 1 {
			return t.Default
		}
		parts = append(parts, t.Name+"="+t.Default)
	}
	return strings.Join(parts, " ")
}

// regretOf is what a standing loses to the best. Without a best, or when it
// breaks a limit, it loses all.
func regretOf(s, best *stats.Standing, maximise bool) Regret {
	g := Regret{State: s.State, Loss: 1}
	if s.Value.N > 0 {
		g.Center, g.Bound = results.Some(s.Value.Center), s.Missing > s.Trials-s.Value.N
	}
	switch {
	case s == best:
		g.Loss, g.Lo, g.Hi = 0, results.Some(0), results.Some(0)
	case best == nil, s.Leaning != stats.Feasible, s.Against == nil:
	default:
		g.Outcome = s.Against.Outcome
		if g.Outcome != stats.Same {
			g.Contrary = s.Against.Contradiction()
		}
		g.bounds(s.Against, maximise)
	}
	return g
}

func (g *Regret) bounds(c *stats.Comparison, maximise bool) {
	loss := func(ratio float64) float64 {
		if maximise {
			return min(1, max(0, 1-ratio))
		}
		return min(1, max(0, 1-1/ratio))
	}
	if c.MedianRatio.Valid {
		g.Loss = loss(c.MedianRatio.V)
	}
	switch {
	case !c.Ratio.Valid:
	case maximise:
		g.Lo, g.Hi = results.Some(loss(c.Hi.V)), results.Some(loss(c.Lo.V))
	default:
		g.Lo, g.Hi = results.Some(loss(c.Lo.V)), results.Some(loss(c.Hi.V))
	}
}
