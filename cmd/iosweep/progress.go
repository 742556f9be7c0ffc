package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
	"golang.org/x/term"
)

// progress shows a campaign: one line kept current on a terminal, a line for
// each trial elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	width    int
	open     bool // a current line stands on the terminal
	live     *live
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, width: 100}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.terminal = true
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			p.width = width
		}
	}
	return p
}

// say prints a line of its own.
func (p *progress) say(format string, args ...any) {
	p.clear()
	fmt.Fprintf(plain{p.w}, format+"\n", args...)
}

// Begins shows the trial that starts.
func (p *progress) Begins(s campaign.Progress) {
	p.live.begins(s)
	if p.terminal {
		p.line(place(s) + left(s) + "  " + s.Label)
	}
}

// Runs shows the current rate and latency.
func (p *progress) Runs(s campaign.Progress) {
	p.live.runs(s)
	if p.terminal {
		// What a narrow terminal cuts off is the end.
		p.line(place(s) + left(s) + "  " + rateText(s) + "  " + s.Label)
	}
}

// rateText is the current rate and latency.
func rateText(s campaign.Progress) string {
	if s.OpsPerSecond <= 0 {
		return "waiting"
	}
	return fmt.Sprintf("%s  %s  mean %s", units.FormatOps(s.OpsPerSecond), units.FormatRate(s.BytesPerSecond), units.FormatSeconds(s.MeanSeconds))
}

// Ends leaves a line for the finished trial where there is no terminal, and
// for every trial that is not valid.
func (p *progress) Ends(s campaign.Progress, t *results.Trial) {
	p.live.ends(s, t)
	if p.terminal && t.Status == results.Valid {
		return
	}
	line := fmt.Sprintf("%s  %s  %s", place(s), s.Label, t.Status)
	for _, f := range t.Findings {
		// What interrupted a trial is said once, when the run ends.
		if f.Fatal && t.Status != results.Interrupted {
			line += ": " + f.Text
			break
		}
	}
	p.say("%s", line)
}

func (p *progress) finish() { p.clear() }

func place(s campaign.Progress) string { return fmt.Sprintf("trial %d of %d", s.Trial, s.Trials) }

func left(s campaign.Progress) string {
	if s.Left <= 0 {
		return ""
	}
	return "  " + s.Left.Round(time.Second).String() + " left"
}

// line replaces the current line. It is cut to the terminal's width so that it
// never wraps, and control characters of names are not passed on.
func (p *progress) line(text string) {
	text = strings.Map(printable, text)
	if r := []rune(text); len(r) >= p.width {
		text = string(r[:p.width-1])
	}
	fmt.Fprintf(p.w, "\r\x1b[2K%s", text)
	p.open = true
}

func (p *progress) clear() {
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[2K")
		p.open = false
	}
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}
