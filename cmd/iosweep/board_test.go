package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/campaign"
)

// clock is when the boards of tests are looked at.
func clock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// fed is a board in the middle of a run.
func fed(data *results.RunData, ended int) *board {
	b := &board{}
	b.describe(data.Run, nil)
	var p campaign.Progress
	for i := range ended + 1 {
		t := &data.Trials[i]
		p = campaign.Progress{
			Trial: i + 1, Trials: len(data.Trials), Left: 90 * time.Second,
			Workload: t.Workload, Variant: t.Variant, Load: t.Load, Label: t.Workload + " " + t.Variant,
		}
		b.begins(p, clock().Add(-4*time.Second))
		if i < ended {
			b.ends(p, t, clock().Add(time.Duration(i-ended)*time.Second))
		}
	}
	p.OpsPerSecond, p.BytesPerSecond, p.MeanSeconds = 12345, 12345*4096, 81e-6
	p.Sampled = []runners.Sampled{
		{Job: "reader", Kind: "read", P50: 80 * time.Microsecond, P99: 1200 * time.Microsecond},
		{Job: "scrub", Kind: "delete", P50: 65 * time.Millisecond},
	}
	for i := range 200 {
		p.BytesPerSecond = 5e7 + 1e6*float64(i%40)
		b.runs(p)
	}
	return b
}

// TestBoardMatchesGoldens draws boards on screens of several sizes. No line is
// wider than the screen and none more than it holds.
func TestBoardMatchesGoldens(t *testing.T) {
	hostile := reporttest.Hostile()
	for _, c := range []struct {
		name          string
		board         *board
		width, height int
	}{
		{"quick-120x40", fed(reporttest.Quick(), 30), 120, 40},
		{"quick-80x24", fed(reporttest.Quick(), 30), 80, 24},
		{"quick-40x12", fed(reporttest.Quick(), 30), 40, 12},
		{"curves-100x30", fed(reporttest.Curves(4, 3, func(s, d int) bool { return s == 2 && d == 4 }), 60), 100, 30},
		{"hostile-80x24", fed(hostile, len(hostile.Trials)-1), 80, 24},
		{"nothing-80x24", &board{}, 80, 24},
		{"slit-80x3", fed(reporttest.Quick(), 30), 80, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := c.board.view(clock(), c.width, c.height)
			lines := strings.Split(frame, "\n")
			if len(lines) > c.height {
				t.Errorf("%d lines on a screen of %d", len(lines), c.height)
			}
			for _, l := range lines {
				if lipgloss.Width(l) > c.width {
					t.Errorf("%d columns on a screen of %d: %s", lipgloss.Width(l), c.width, l)
				}
			}
			reporttest.Golden(t, "board/"+c.name+".txt", []byte(ansi.Strip(frame)+"\n"))
		})
	}
}

// TestBoardFitsEveryScreen tries every size, of a board with much to show.
func TestBoardFitsEveryScreen(t *testing.T) {
	b := fed(reporttest.Curves(12, 3, func(s, d int) bool { return d == 4 }), 200)
	for height := 1; height < 60; height++ {
		for _, width := range []int{1, 20, 33, 80, 200} {
			frame := b.view(clock(), width, height)
			if n := strings.Count(frame, "\n") + 1; n > max(height, 3) {
				t.Fatalf("%d lines on a screen of %d by %d", n, width, height)
			}
		}
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []float64
		rows   int
		want   string
	}{
		{[]float64{0, 4, 8}, 1, " ▄█"},
		{[]float64{0, 2, 4, 6, 8}, 2, "   ▄█| ▄███"},
		{[]float64{9, 8, 8, 8, 8, 8}, 1, "█████"},
	} {
		if got := strings.Join(spark(c.values, 5, c.rows, 8), "|"); got != c.want {
			t.Errorf("%v on %d rows: %q, want %q", c.values, c.rows, got, c.want)
		}
	}
}

// TestBoardForgets keeps the last events and moments only.
func TestBoardForgets(t *testing.T) {
	b := &board{}
	for i := range 3 * mostMoments {
		b.runs(campaign.Progress{BytesPerSecond: float64(i)})
		b.say(fmt.Sprint(i), clock())
	}
	if len(b.rates) != mostMoments || len(b.events) != mostEvents || b.events[mostEvents-1].text != fmt.Sprint(3*mostMoments-1) {
		t.Errorf("%d moments and %d events are kept", len(b.rates), len(b.events))
	}
}

// BenchmarkBoard is what one drawing costs; there are two a second.
func BenchmarkBoard(b *testing.B) {
	board := fed(reporttest.Curves(12, 3, nil), 200)
	for b.Loop() {
		board.view(clock(), 160, 50)
	}
}

func TestSpan(t *testing.T) {
	for _, c := range [][3]string{
		{"1.02 ms", "1.31 ms", "1.02–1.31 ms"}, {"980 us", "1.31 ms", "980 us–1.31 ms"}, {"2.31k/s", "2.34k/s", "2.31–2.34k/s"},
		{"980/s", "1.02k/s", "980/s–1.02k/s"}, {"n/a", "1 s", "n/a–1 s"}, {"1 s", "12 s", "1–12 s"}, {"2 s", "5 ms", "2 s–5 ms"},
	} {
		if got := span(c[0], c[1]); got != c[2] {
			t.Errorf("%s to %s is %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
