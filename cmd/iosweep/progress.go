package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
	"golang.org/x/term"
)

// progress shows a campaign: on the whole of a terminal where there is one, else
// by a line for each trial.
type progress struct {
	w    io.Writer
	live *live
	// terminal is nil where lines are wanted.
	terminal *os.File
	board    board

	mu     sync.Mutex
	screen *screen // nil while lines are written
	kept   []string
}

// newProgress shows on w. Lines are written where w is no terminal or one that
// cannot place text, where plain asks for them, and under CI, whose logs keep
// every frame.
func newProgress(w io.Writer, plain bool) *progress {
	p := &progress{w: w}
	f, ok := w.(*os.File)
	if ok && !plain && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == "" {
		p.terminal = f
	}
	return p
}

// say prints a line of its own; one that comes while the screen is taken is
// printed when it is given back.
func (p *progress) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	p.board.say(line, time.Now())
	p.print(line)
}

func (p *progress) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen != nil {
		p.kept = append(p.kept, line)
		return
	}
	fmt.Fprintln(plain{p.w}, line)
}

// describe tells what is run and what was measured before.
func (p *progress) describe(run *results.Run, done []results.Trial) { p.board.describe(run, done) }

// Begins shows the trial that starts.
func (p *progress) Begins(s campaign.Progress) {
	p.board.begins(s, time.Now())
	p.live.begins(s, &p.board)
}

// Runs shows the current rate and latency. The screen is taken with the first
// trial that lasts long enough for that.
func (p *progress) Runs(s campaign.Progress) {
	p.live.runs(s)
	p.board.runs(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal != nil && p.screen == nil {
		p.screen = newScreen(p.terminal, &p.board)
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
	p.board.ends(s, t, time.Now())
	p.live.ends(s, t, &p.board)
	if t.Status == results.Valid && p.drawn() {
		return
	}
	line := fmt.Sprintf("%s  %s  %s", place(s), s.Label, t.Status)
	if reason := whyNot(t); reason != "" {
		line += ": " + reason
	}
	p.print(line)
}

// drawn says that trials are shown by a screen, or would be if they lasted.
func (p *progress) drawn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.terminal != nil
}

// finish gives the screen back, prints what was said meanwhile, and keeps to
// lines from now on.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.terminal = nil
	if p.screen != nil {
		p.screen.close()
		p.screen = nil
	}
	for _, line := range p.kept {
		fmt.Fprintln(plain{p.w}, line)
	}
	p.kept = nil
}

func place(s campaign.Progress) string { return fmt.Sprintf("trial %d of %d", s.Trial, s.Trials) }

func left(s campaign.Progress) string {
	if s.Left <= 0 {
		return ""
	}
	return "  " + s.Left.Round(time.Second).String() + " left"
}
