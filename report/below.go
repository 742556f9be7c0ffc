package report

import (
	"fmt"
	"math"

	"github.com/iosweep/iosweep/results"
)

// sameBytes is how far the bytes of two counts may differ, as a share, for them
// to be of the same requests: beyond it something else was at the device too.
const sameBytes = 0.1

// below sets what iosweep's layers sent beside what the kernel counted on the
// device: where the kernel merged the parts of a split operation again, or split
// them once more, the device never saw what was asked.
func (e *Effect) below(v results.Setting, d results.Device, trials []*results.Trial) {
	limit, kinds, ok := limitOf(v, d)
	var both []*results.Trial
	for _, t := range trials {
		if t.Layer != nil && t.Counters != nil {
			both = append(both, t)
		}
	}
	if !ok || len(both) == 0 {
		return
	}
	above := sum(both, "stack")
	under := sumBy(both, func(_ *activity, t *results.Trial) map[string]results.CounterKind { return ofKernel(t) })
	for _, kind := range kinds {
		sent, got := above.flows[kind], under.flows[kind]
		if sent.requests == 0 || got.requests == 0 || math.Abs(float64(got.bytes)-float64(sent.bytes)) > sameBytes*float64(sent.bytes) {
			continue
		}
		e.reached(sent, got, limit)
	}
}

// reached tells of one kind what reached the driver. Nothing is said against a
// setting whose requests arrived as they were sent.
func (e *Effect) reached(sent, got flow, limit int64) {
	switch {
	case got.mean() > 1.03*sent.mean() && (limit == 0 || got.mean() > 1.03*float64(limit)):
		e.Seen += fmt.Sprintf("; but %s sent, %s reached the driver: merged", sent.sizeText(), got.sizeText())
	case got.mean() < 0.97*sent.mean() && limit == 0:
		e.Seen += fmt.Sprintf("; %s reached the driver: below, the device's own limit splits them", got.sizeText())
		return
	case got.mean() < 0.97*sent.mean():
		e.Seen += fmt.Sprintf("; but %s sent, %s reached the driver: split again", sent.sizeText(), got.sizeText())
	default:
		e.Seen += fmt.Sprintf("; %s reached the driver", got.sizeText())
		return
	}
	if e.State == Proven || e.State == Untested {
		e.State = Differs
	}
}
