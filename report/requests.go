package report

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

// ofRequest is the quantity that stands for the latency of deletes where
// iosweep's layers cut them: the mean of a single request. How long the whole
// range took is the throughput by another name; what others wait for is the
// request, which nothing interrupts.
const ofRequest = "request.mean"

// timesRequests says that the trials of a subject have its requests timed.
func (t Table) timesRequests() bool {
	if t.Kind != "delete" {
		return false
	}
	for _, r := range t.Rows {
		if r.cell.figure(subject{t.Job, t.Kind}.metric(ofRequest)).Valid() {
			return true
		}
	}
	return false
}

// wordsOfRequest is words for a quantity of requests; ok is false for others.
func (s subject) wordsOfRequest(q string) (text string, ok bool) {
	q, ok = strings.CutPrefix(q, "request.")
	return q + " service time of a request of " + s.plural(), ok
}

// requestTimes tells how long the requests of cut deletes took; empty where
// they were not timed.
func requestTimes(trials []*results.Trial) string {
	all := hist.New()
	for _, t := range trials {
		if t.Layer != nil && t.Layer.DeleteService != nil {
			all.Merge(t.Layer.DeleteService)
		}
	}
	mean, ok := all.MeanSeconds()
	if !ok {
		return ""
	}
	return fmt.Sprintf("; each took %s in the mean, %s at most", show("mean", mean), show("max", all.Max().Seconds()))
}
