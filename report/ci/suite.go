// Package ci writes what runs, comparisons and recommendations came to in the
// forms that continuous integration reads.
//
//  1. Compared, Recommended and Measured make a Suite: a list of cases and of
//     samples that knows nothing of where it came from.
//  2. JUnit, OpenMetrics and Suite.Markdown write a Suite; Summary writes a
//     comparison's own table.
package ci

import (
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// State is what became of a case.
type State string

// The states of a case. Failed is the gate's, Erred the lab's fault, Skipped
// what is not supported or could not be decided.
const (
	Passed  State = "passed"
	Failed  State = "failed"
	Erred   State = "error"
	Skipped State = "skipped"
)

// Case is one thing that was asked. Class and Name together are its own in a
// suite.
type Case struct {
	Class, Name string
	State       State
	// Text says in words what came out, and why where it did not pass.
	Text string
}

// Suite is all that a verb has to tell.
type Suite struct {
	Name    string
	Cases   []Case
	Samples []Sample
}

// Sample is one value of a family of gauges, in the family's unit.
type Sample struct {
	Family Family
	Value  float64
	Labels []Label
}

// Label tells a sample from others of its family. One without a value is left
// out.
type Label struct{ Name, Value string }

// add adds a sample where there is a value.
func (s *Suite) add(f Family, v results.Float, at []Label, more ...Label) {
	if v.Valid {
		s.Samples = append(s.Samples, Sample{f, v.V, append(at[:len(at):len(at)], more...)})
	}
}

// median adds the median of a metric, where there are figures.
func (s *Suite) median(unit results.Unit, m stats.Summary, at []Label, more ...Label) {
	if m.N > 0 {
		s.add(familyOf(unit), results.Some(m.Center), at, more...)
	}
}

// count is how many cases are in a state.
func (s *Suite) count(state State) (n int) {
	for _, c := range s.Cases {
		if c.State == state {
			n++
		}
	}
	return n
}
