package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
	"github.com/iosweep/iosweep/runners/campaign"
)

// view lays a board out on a screen of so many columns and lines. It does no
// more than the screen holds: what is least needed is left out first.
func (b *board) view(now time.Time, width, height int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	width, height = max(width, 20), max(height, 3)
	s := &sheet{width: width}
	b.head(s)
	if height >= 10 && b.now.Label != "" {
		b.trial(s, now, height)
	}
	noticed, log := b.noticedLines(), b.eventLines(height)
	rest := height - len(s.lines)
	// The table may take what the findings and three events leave, and what it
	// does not take goes to the events.
	table := b.table(width)
	few := min(len(log), 3) + min(len(noticed), max(0, height/8))
	if len(table) > 1 && rest > 5 {
		s.section(b.now.Workload+" so far", around(table, b.rowNow(), max(3, rest-few-5)))
	}
	s.section("validity", noticed[:min(len(noticed), max(1, height/8))])
	if room := height - len(s.lines) - 2; room > 0 {
		s.section("last events", log[max(0, len(log)-room):])
	}
	return strings.Join(s.lines[:min(len(s.lines), height)], "\n")
}

// sheet is a screen as it is written from the top.
type sheet struct {
	width int
	lines []string
}

func (s *sheet) line(text string) {
	s.lines = append(s.lines, ansi.Truncate(text, s.width, "…"))
}

// section is a rule with a heading, and lines below; nothing without lines.
func (s *sheet) section(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	heading = clean("── " + heading + " ")
	s.line("")
	s.line(faint(heading + strings.Repeat("─", max(0, s.width-lipgloss.Width(heading)))))
	for _, l := range lines {
		s.line(l)
	}
}

func faint(text string) string   { return lipgloss.NewStyle().Faint(true).Render(text) }
func strong(text string) string  { return lipgloss.NewStyle().Bold(true).Render(text) }
func warning(text string) string { return lipgloss.NewStyle().Foreground(lipgloss.Yellow).Render(text) }

// clean keeps a stranger's text from steering the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return plainRune(r)
	}, text)
}

// head says what is run, how far it is and how long it will take.
func (b *board) head(s *sheet) {
	if b.run != nil {
		d := b.run.Device
		s.line(strong("iosweep "+clean(b.run.Profile)) + clean("  "+strings.TrimSpace(d.Name+" "+d.Model)+"  "+b.run.Engine))
	}
	if b.now.Trials == 0 {
		s.line("getting ready")
		return
	}
	share := min(1, float64(max(0, b.now.Trial-1))/float64(b.now.Trials))
	text := fmt.Sprintf(" %.0f %%  %s%s", 100*share, place(b.now), left(b.now))
	s.line(bar(share, min(40, max(8, s.width-lipgloss.Width(text)))) + text)
}

func bar(share float64, width int) string {
	full := int(share*float64(width) + 0.5)
	return strings.Repeat("█", full) + faint(strings.Repeat("░", width-full))
}

// trial shows the running trial.
func (b *board) trial(s *sheet, now time.Time, height int) {
	lines := []string{strong(clean(b.now.Label))}
	switch {
	case len(b.rates) == 0 && !b.begun.IsZero():
		lines = append(lines, fmt.Sprintf("getting ready for %s", now.Sub(b.begun).Round(time.Second)))
	default:
		lines = append(lines, rateText(b.now))
	}
	lines = append(lines, sampledLines(b.now)...)
	rows := 1
	if height >= 30 {
		rows = 3
	}
	if top := slices.Max(append([]float64{0}, b.rates...)); top > 0 {
		scale := " 0 to " + units.FormatRate(top)
		chart := spark(b.rates, max(8, s.width-lipgloss.Width(scale)), rows, top)
		chart[len(chart)-1] += faint(scale)
		lines = append(lines, chart...)
	}
	s.section("running", lines)
}

// sampledLines are the latencies by job and kind.
func sampledLines(p campaign.Progress) (out []string) {
	wide := 0
	for _, k := range p.Sampled {
		wide = max(wide, lipgloss.Width(clean(k.Job+" "+k.Kind)))
	}
	for _, k := range p.Sampled {
		text := fmt.Sprintf("%s  p50 %-8s", pad(clean(k.Job+" "+k.Kind), wide), units.FormatSeconds(k.P50.Seconds()))
		if k.P99 > 0 {
			text += "  p99 " + units.FormatSeconds(k.P99.Seconds())
		}
		out = append(out, text)
	}
	return out
}

// spark draws the last values as columns of eighths on so many rows, from 0 to top.
func spark(values []float64, width, rows int, top float64) []string {
	values = values[max(0, len(values)-width):]
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	out := make([]string, rows)
	for _, v := range values {
		eighths := int(v/top*float64(8*rows) + 0.5)
		for r := range rows {
			out[r] += string(blocks[min(8, max(0, eighths-8*(rows-1-r)))])
		}
	}
	return out
}

// table has a row for each variant and load point of the running workload, under
// a header.
func (b *board) table(width int) []string {
	if b.run == nil {
		return nil
	}
	metrics := columnsOf(b.run, b.now.Workload)
	rows := [][]string{append([]string{"setting", "trials"}, metrics...)}
	for _, c := range b.cells {
		if c.workload == b.now.Workload {
			rows = append(rows, c.row)
		}
	}
	out := layRows(rows, width)
	out[0] = faint(out[0])
	return out
}

// rowNow is the line of the table that the running trial will add to.
func (b *board) rowNow() int {
	at := 0
	for i := range b.cells {
		if b.cells[i].workload == b.now.Workload {
			at++
		}
		if b.cells[i].is(b.now.Workload, b.now.Variant, b.now.Load) {
			return at
		}
	}
	return 0
}

// figureText is a median and its interval, or a dash.
func figureText(metric string, values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	format := units.FormatSeconds
	if m, err := results.ParseMetric(metric); err == nil && m.Quantity == "throughput" {
		format = units.FormatRate
	} else if err == nil && m.Quantity == "ops" {
		format = units.FormatOps
	}
	s := stats.Summarise(values, stats.DefaultConfidence)
	if s.N < 2 {
		return format(s.Center)
	}
	return format(s.Center) + " [" + span(format(s.Lo), format(s.Hi)) + "]"
}

// span is "1.02–1.31 ms": a unit that both ends have is written once.
func span(low, high string) string {
	number := strings.TrimRight(low, " abcdefghijklmnopqrstuvwxyzGMTB/")
	if unit := low[len(number):]; strings.HasSuffix(high, unit) && !strings.HasSuffix(strings.TrimSuffix(high, unit), "k") {
		return number + "–" + high
	}
	return low + "–" + high
}

// layRows aligns rows and leaves out the last columns where there is no room.
func layRows(rows [][]string, width int) []string {
	out := make([]string, len(rows))
	at := 0
	for col := range rows[0] {
		wide := 0
		for _, r := range rows {
			wide = max(wide, lipgloss.Width(r[col]))
		}
		wide = min(wide, max(8, width/2))
		if col > 0 && at+2+wide > width {
			break
		}
		for i, r := range rows {
			cell := pad(ansi.Truncate(r[col], wide, "…"), wide)
			if col > 0 {
				cell = "  " + cell
			}
			out[i] += cell
		}
		at += wide + 2
	}
	return out
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}

// around is a header and so many of the rows below it, with row at among them.
func around(table []string, at, room int) []string {
	if len(table) <= room+1 {
		return table
	}
	first := min(max(1, at-room/2), len(table)-room)
	out := append([]string{table[0]}, table[first:first+room-1]...)
	return append(out, faint(fmt.Sprintf("… rows %d to %d of %d", first, first+room-2, len(table)-1)))
}

func (b *board) noticedLines() (out []string) {
	for _, n := range b.noticed {
		text := clean(n.code + " in " + count(n.trials, "trial") + ": " + n.text)
		if n.fatal {
			text = warning(text)
		}
		out = append(out, text)
	}
	return out
}

// eventLines are the last events, so many at most.
func (b *board) eventLines(most int) (out []string) {
	for _, e := range b.events[max(0, len(b.events)-most):] {
		text := clean(e.text)
		if e.bad {
			text = warning(text)
		}
		out = append(out, faint(e.at.Format("15:04:05"))+" "+text)
	}
	return out
}
