package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results/hist"
)

// The least that a figure can be had from.
const (
	minRateOps     = 2
	minRateSeconds = 1e-3
)

// Reading is one metric of one trial, in base units.
type Reading struct {
	Value Float
	// Bound is what the figure is surely not better than, when Value is missing
	// because too little completed: of a rate 0 where nothing did, else what it
	// were if all that was outstanding had completed too, each as large as those
	// that did; of a latency how long the oldest operation had been waiting when
	// the window closed.
	Bound Float
	// Note says why Value is missing, or what to know about it.
	Note string
}

// Metric reads the metric called name (see MetricName) off a trial. When the
// figure is missing the note says why. The error is for a name that is wrong:
// not of the grammar, or of a job that the trial does not have.
func Metric(trial *Trial, name string) (Float, string, error) {
	m, err := ParseMetric(name)
	if err != nil {
		return Float{}, "", err
	}
	r, err := m.Read(trial)
	return r.Value, r.Note, err
}

// Read reads the metric off a trial, whatever its status. The error says that
// the trial has no such job.
func (m MetricName) Read(trial *Trial) (Reading, error) {
	if len(trial.Jobs) == 0 {
		return Reading{Note: trial.whyEmpty()}, nil
	}
	part, err := m.part(trial)
	if err != nil {
		return Reading{}, err
	}
	if m.Basis == "request" {
		return m.requests(trial, part), nil
	}
	if m.Unit() == Seconds {
		return m.latency(part), nil
	}
	return m.rate(part), nil
}

// part is what a metric is about: some kinds of some jobs of a trial.
type part struct {
	window float64
	kinds  []KindResult
	// what names the operations in notes.
	what string
	// oldest is how long an operation had been waiting, in seconds; known says
	// that it is surely one of the part's.
	pending int
	oldest  float64
	known   bool
}

func (m MetricName) part(trial *Trial) (part, error) {
	p := part{window: trial.WindowSeconds, what: m.operations(), known: true}
	var names []string
	for _, job := range trial.Jobs {
		names = append(names, job.Name)
		if m.Job != "" && m.Job != job.Name {
			continue
		}
		p.add(job, m.Kind)
	}
	if m.Job != "" && !slices.Contains(names, m.Job) {
		return part{}, fmt.Errorf("read metric %s: trial %d has no job %q: its jobs are %s",
			m, trial.Index, m.Job, strings.Join(names, ", "))
	}
	return p, nil
}

// add takes a job's results of one kind, or of all when kind is empty.
func (p *part) add(job JobResult, kind string) {
	before := len(p.kinds)
	for _, k := range job.Kinds {
		if kind == "" || k.Kind == kind {
			p.kinds = append(p.kinds, k)
		}
	}
	taken := len(p.kinds) - before
	others := taken < len(job.Kinds)
	if others && taken == 0 {
		return // it does other things only, and so its pending operations are others
	}
	p.pending += job.Pending
	if job.OldestPendingSeconds > p.oldest {
		p.oldest, p.known = job.OldestPendingSeconds, !others
	}
}

func (p *part) ops() (n int64) {
	for _, k := range p.kinds {
		n += k.Ops
	}
	return n
}

// operations names in the plural what the metric is about.
func (m MetricName) operations() string {
	what := "operations"
	if m.Kind != "" {
		what = m.Kind + "s"
	}
	if m.Kind == "flush" {
		what = "flushes"
	}
	if m.Job != "" {
		what += " of " + m.Job
	}
	return what
}

// rate sums rates over the part. A kind that has none of its own, since it did
// too little, is counted by its share of the window.
func (m MetricName) rate(p part) Reading {
	ops := p.ops()
	switch {
	case p.window < minRateSeconds:
		return Reading{Note: fmt.Sprintf("no rate over %s: it takes 1 ms", units.FormatSeconds(p.window))}
	case ops == 0:
		return Reading{Bound: Some(0), Note: p.nothingDone()}
	case ops < minRateOps:
		return Reading{Bound: Some(m.most(p)), Note: fmt.Sprintf("no rate from one of the %s alone", p.what)}
	}
	sum := 0.0
	for _, k := range p.kinds {
		stored, counted := k.OpsPerSecond, float64(k.Ops)
		if m.Unit() == BytesPerSecond {
			stored, counted = k.BytesPerSecond, float64(k.Bytes)
		}
		if stored.Valid {
			sum += stored.V
		} else {
			sum += counted / p.window
		}
	}
	return Reading{Value: Some(sum), Note: p.errors()}
}

// most is the rate of a part of too few operations if those that were
// outstanding had completed in its window.
func (m MetricName) most(p part) float64 {
	var bytes int64
	for _, k := range p.kinds {
		bytes += k.Bytes
	}
	ops, share := float64(p.ops()), float64(1)
	if m.Unit() == BytesPerSecond {
		share = float64(bytes) / ops
	}
	return share * (ops + float64(p.pending)) / p.window
}

// errors says how many of the operations failed, if any did.
func (p *part) errors() string {
	var n int64
	for _, k := range p.kinds {
		n += k.Errors
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %s failed", n, p.what)
}

func (p *part) nothingDone() string {
	note := fmt.Sprintf("no %s completed in %s", p.what, units.FormatSeconds(p.window))
	if p.pending > 0 && p.oldest > 0 {
		note += "; oldest waiting " + units.FormatSeconds(p.oldest)
	}
	return note
}

// latency takes the quantity from the merged histogram of the part.
func (m MetricName) latency(p part) Reading {
	h := m.latencies(p)
	if h.Count() == 0 {
		r := Reading{Note: p.nothingDone()}
		if p.ops() > 0 {
			r.Note = fmt.Sprintf("the latencies of %s were not recorded", p.what)
		} else if p.pending > 0 && p.known && p.oldest > 0 {
			r.Bound = Some(p.oldest)
		}
		return r
	}
	if m.Quantity == "max" {
		return p.longest(h)
	}
	return m.ofHist(h, p)
}

// requests takes the quantity from the requests that the layers made of the
// trial's deletes.
func (m MetricName) requests(trial *Trial, p part) Reading {
	if trial.Layer == nil || trial.Layer.DeleteService.Count() == 0 {
		return Reading{Note: "no layer of iosweep's own cut deletes, so requests were not timed"}
	}
	h := trial.Layer.DeleteService
	if m.Quantity == "max" {
		return Reading{Value: Some(h.Max().Seconds())}
	}
	return m.ofHist(h, part{what: "requests of " + p.what})
}

// latencies is the merged histogram of the part. The only one there is is taken
// as it is, since merging is most of what reading a metric takes.
func (m MetricName) latencies(p part) *hist.Hist {
	var all []*hist.Hist
	for _, k := range p.kinds {
		h := k.Service
		if k.Response != nil && m.Basis != "service" {
			h = k.Response
		}
		if h.Count() > 0 {
			all = append(all, h)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	merged := hist.New()
	for _, h := range all {
		merged.Merge(h)
	}
	return merged
}

// longest is the longest latency, or the longest wait where an operation that
// had not completed was already waiting for longer.
func (p *part) longest(h *hist.Hist) Reading {
	longest := h.Max().Seconds()
	if p.oldest <= longest || p.pending == 0 {
		return Reading{Value: Some(longest), Note: p.errors()}
	}
	note := fmt.Sprintf("one was still waiting after %s when the window closed; the longest to complete took %s", units.FormatSeconds(p.oldest), units.FormatSeconds(longest))
	if p.known {
		longest = p.oldest
	}
	return Reading{Value: Some(longest), Note: note}
}

func (m MetricName) ofHist(h *hist.Hist, p part) Reading {
	r := Reading{Note: p.errors()}
	if p.pending > 0 && p.oldest > h.Max().Seconds() {
		r.Note = fmt.Sprintf("one was still waiting after %s when the window closed and is not counted", units.FormatSeconds(p.oldest))
	}
	q, percentile := m.quantile()
	if !percentile {
		v, ok := h.MeanSeconds()
		r.Value = Float{V: v, Valid: ok}
		return r
	}
	// A percentile takes an operation beyond it, or it is the maximum by
	// another name.
	if need := int64(math.Round(1 / (1 - q))); h.Count() < need {
		return Reading{Note: fmt.Sprintf("%s takes %d %s, and %d completed", m.Quantity, need, p.what, h.Count())}
	}
	v, ok := h.QuantileSeconds(q)
	if !ok {
		return Reading{Note: fmt.Sprintf("%s cannot be had from %d %s", m.Quantity, h.Count(), p.what)}
	}
	r.Value = Some(v)
	return r
}

// whyEmpty says why a trial has no job's results.
func (t *Trial) whyEmpty() string {
	note := "not measured: the trial is " + string(t.Status)
	if len(t.Findings) > 0 {
		note += ": " + t.Findings[0].Text
	}
	return note
}
