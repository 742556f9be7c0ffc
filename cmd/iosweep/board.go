package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
)

// board is what is known of a run while it goes on: what a terminal's screen
// shows. Its methods may be called from any goroutine.
type board struct {
	mu    sync.Mutex
	run   *results.Run
	now   campaign.Progress
	begun time.Time // the running trial
	ended int
	// rates is the throughput of the running trial, a figure each time it is shown.
	rates   []float64
	cells   []boardCell
	noticed []boardFinding
	events  []boardEvent
}

// boardCell is what was measured of a variant at a load point of a workload: the
// values of the columns by valid trial, and what a table says of them, which is
// worked out when a trial ends and not when it is drawn.
type boardCell struct {
	workload, variant string
	load              results.Load
	order             int // the variant's place in the run
	trials            int
	values            [][]float64
	row               []string
}

// boardFinding is a validity finding and how many trials had it.
type boardFinding struct {
	code, text string
	fatal      bool
	trials     int
}

type boardEvent struct {
	at   time.Time
	text string
	bad  bool
}

// mostEvents is how many of the last events are kept.
const mostEvents = 50

// describe tells the board what is run and what an earlier session has measured.
func (b *board) describe(run *results.Run, done []results.Trial) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run = run
	b.ended = len(done)
	for i := range done {
		b.keep(&done[i])
	}
}

func (b *board) begins(p campaign.Progress, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now, b.begun, b.rates = p, now, nil
}

func (b *board) runs(p campaign.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = p
	b.rates = append(b.rates, p.BytesPerSecond)
	if n := len(b.rates); n > mostMoments {
		b.rates = slices.Clone(b.rates[n-mostMoments:])
	}
}

func (b *board) ends(p campaign.Progress, t *results.Trial, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = p
	b.ended++
	b.keep(t)
	text := fmt.Sprintf("trial %d  %s  %s", p.Trial, p.Label, t.Status)
	if reason := whyNot(t); reason != "" {
		text += ": " + reason
	}
	b.event(text, t.Status != results.Valid, now)
}

// say keeps a line that is not of a trial.
func (b *board) say(text string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.event(text, false, now)
}

func (b *board) event(text string, bad bool, now time.Time) {
	b.events = append(b.events, boardEvent{now, text, bad})
	if n := len(b.events); n > mostEvents {
		b.events = slices.Clone(b.events[n-mostEvents:])
	}
}

// keep adds a trial's figures and findings.
func (b *board) keep(t *results.Trial) {
	for _, f := range t.Findings {
		i := slices.IndexFunc(b.noticed, func(have boardFinding) bool { return have.code == f.Code })
		if i < 0 {
			i = len(b.noticed)
			b.noticed = append(b.noticed, boardFinding{code: f.Code})
		}
		n := &b.noticed[i]
		n.text, n.fatal, n.trials = f.Text, n.fatal || f.Fatal, n.trials+1
	}
	if t.Status != results.Valid || b.run == nil {
		return
	}
	c := b.cell(t)
	c.trials++
	for i, metric := range columnsOf(b.run, t.Workload) {
		if v, _, err := results.Metric(t, metric); err == nil && v.Valid {
			c.values[i] = append(c.values[i], v.V)
		}
		c.row[i+2] = figureText(metric, c.values[i])
	}
	c.row[1] = strconv.Itoa(c.trials)
}

func (b *board) cell(t *results.Trial) *boardCell {
	for i := range b.cells {
		if c := &b.cells[i]; c.is(t.Workload, t.Variant, t.Load) {
			return c
		}
	}
	c := boardCell{workload: t.Workload, variant: t.Variant, load: t.Load}
	c.order = slices.IndexFunc(b.run.Variants, func(v results.Variant) bool { return v.ID == t.Variant })
	columns := len(columnsOf(b.run, t.Workload))
	c.values, c.row = make([][]float64, columns), make([]string, 2+columns)
	c.row[0] = cellName(b.run, &c)
	at, _ := slices.BinarySearchFunc(b.cells, c, boardCell.compare)
	b.cells = slices.Insert(b.cells, at, c)
	return &b.cells[at]
}

// compare orders cells as a table has them.
func (c boardCell) compare(o boardCell) int {
	return cmp.Or(cmp.Compare(c.workload, o.workload), cmp.Compare(c.order, o.order), c.load.Compare(o.load))
}

// is says that a cell is of a variant at a load point of a workload.
func (c *boardCell) is(workload, variant string, load results.Load) bool {
	return c.workload == workload && c.variant == variant && c.load.Compare(load) == 0
}

// cellName is a cell's setting and load point.
func cellName(run *results.Run, c *boardCell) string {
	text := c.variant
	if c.order >= 0 {
		if v := run.Variants[c.order]; len(v.Settings) == 1 {
			text = v.Settings[0].Text()
		} else if v.Label != "" {
			text = v.Label
		}
	}
	if load := c.load.String(); load != "own" {
		text += ", " + load
	}
	return clean(text)
}

// columnsOf are the metrics by which a workload is judged, and those that people
// look for where no more than one is.
func columnsOf(run *results.Run, workload string) []string {
	var out []string
	add := func(metric string) {
		if metric != "" && !slices.Contains(out, metric) {
			out = append(out, metric)
		}
	}
	for _, o := range run.Objectives {
		if o.Workload == workload {
			add(o.Maximise)
			add(o.Minimise)
			for _, l := range o.Limits {
				add(l.Metric)
			}
		}
	}
	for _, usual := range []string{"throughput", "p50", "p99"} {
		if len(out) < 3 {
			add(usual)
		}
	}
	return out
}

// whyNot is the first finding that made a trial invalid. What interrupted a
// trial is said once, when the run ends.
func whyNot(t *results.Trial) string {
	for _, f := range t.Findings {
		if f.Fatal && t.Status != results.Interrupted {
			return f.Text
		}
	}
	return ""
}
