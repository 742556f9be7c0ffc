package report

import (
	"strings"

	"github.com/iosweep/iosweep/results"
)

// activity is what a setting's trials did together: operations above, requests
// below.
type activity struct {
	flows            map[string]flow
	layered          bool
	barriers, sorted int64
	maxQueued        int
}

// sum adds up trials. A setting that acts in iosweep's own layers is judged by
// what they handed down, any other by what the kernel counted on the device.
func sum(trials []*results.Trial, via string) activity {
	return sumBy(trials, func(a *activity, t *results.Trial) map[string]results.CounterKind { return a.requests(t, via) })
}

// sumBy is sum with the requests of a trial by kind as given.
func sumBy(trials []*results.Trial, requests func(*activity, *results.Trial) map[string]results.CounterKind) activity {
	a := activity{flows: map[string]flow{}}
	sizes := map[string]map[int64]int64{}
	for _, t := range trials {
		for _, j := range t.Jobs {
			for _, k := range j.Kinds {
				f := a.flows[k.Kind]
				f.kind, f.ops, f.opBytes = k.Kind, f.ops+k.Ops, f.opBytes+k.Bytes
				a.flows[k.Kind] = f
			}
		}
		for kind, c := range requests(&a, t) {
			f := a.flows[kind]
			f.requests, f.bytes = f.requests+c.Requests, f.bytes+c.Bytes
			a.flows[kind] = f
			addSizes(sizes, kind, c.Sizes)
		}
	}
	for kind, f := range a.flows {
		for size, n := range sizes[kind] {
			f.sized += n
			if n > f.commonShares || n == f.commonShares && size > f.common {
				f.common, f.commonShares = size, n
			}
		}
		a.flows[kind] = f
	}
	return a
}

// requests returns what went to the device in a trial, by kind, and takes note
// of the layers.
func (a *activity) requests(t *results.Trial, via string) map[string]results.CounterKind {
	switch {
	case t.Layer != nil && (via == "stack" || t.Counters == nil):
		a.layered = true
		a.barriers += t.Layer.Barriers
		a.sorted += t.Layer.Sorted
		a.maxQueued = max(a.maxQueued, t.Layer.MaxQueued)
		return map[string]results.CounterKind{"read": t.Layer.Read, "write": t.Layer.Write, "delete": t.Layer.Delete}
	case t.Counters != nil:
		return ofKernel(t)
	}
	return nil
}

// ofKernel is what the kernel counted on the device in a trial, by kind.
func ofKernel(t *results.Trial) map[string]results.CounterKind {
	if t.Counters == nil {
		return nil
	}
	return map[string]results.CounterKind{"read": t.Counters.Read, "write": t.Counters.Write, "delete": t.Counters.Delete}
}

func addSizes(sizes map[string]map[int64]int64, kind string, more map[int64]int64) {
	if sizes[kind] == nil {
		sizes[kind] = map[int64]int64{}
	}
	for size, n := range more {
		sizes[kind][size] += n
	}
}

// sizesText tells the request sizes that were seen, whatever they prove.
func (a activity) sizesText() string {
	var parts []string
	for _, kind := range []string{"read", "write", "delete"} {
		if f := a.flows[kind]; f.requests > 0 && f.ops > 0 {
			parts = append(parts, kind+" requests were "+f.sizeText())
		}
	}
	if len(parts) == 0 {
		return "no request was counted"
	}
	return strings.Join(parts, ", ")
}
