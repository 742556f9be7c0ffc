package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
)

func TestSaid(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	plainly := errors.New("no such thing")
	if got := said(ctx, plainly); got != "no such thing" {
		t.Errorf("without a signal: %q", got)
	}
	cancel(signalled{syscall.SIGINT})
	cancelled := fmt.Errorf("trial 3: %w", context.Canceled)
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.Join(context.Canceled, cancelled), "interrupted by SIGINT: stopped before the end"},
		{context.Cause(ctx), "interrupted by SIGINT: stopped before the end"},
		{errors.Join(cancelled, plainly), "interrupted by SIGINT: no such thing"},
		{fmt.Errorf("%w: knob: %w", campaign.ErrRestore, context.Canceled), "interrupted by SIGINT: " + campaign.ErrRestore.Error() + ": knob: context canceled"},
	} {
		if got := said(ctx, c.err); got != c.want {
			t.Errorf("said(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

// A trial that was cut short is said to be that, not in the runtime's words.
func TestInterruptedTrial(t *testing.T) {
	var out bytes.Buffer
	trial := results.Trial{Status: results.Interrupted, Findings: []results.Finding{{Code: "interrupted", Fatal: true, Text: context.Canceled.Error()}}}
	newProgress(&out, false).Ends(campaign.Progress{Trial: 2, Trials: 9, Label: "w a=1"}, &trial)
	if got, want := out.String(), "trial 2 of 9  w a=1  interrupted\n"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}

// A reader that went away ends a command as it ends other tools: in silence.
func TestReaderGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGPIPE to end by")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	var errOut bytes.Buffer
	if code := execute([]string{"tunables"}, w, &errOut); code != 141 || errOut.Len() > 0 {
		t.Errorf("exit code %d, and it says %q", code, &errOut)
	}
}

func TestPrintDevices(t *testing.T) {
	list := []device.Info{
		{Name: "loop0"}, {Name: "loop1"}, {Name: "loop2"}, {Name: "loop9"},
		{Name: "nvme0n1", ID: "eui.0025385b71b0e5d2", Kind: "nvme", Model: "SAMSUNG MZVL21T0HCLR-00B00", Firmware: "GXA7301Q", SizeBytes: 1 << 40,
			LogicalBlockBytes: 512, PhysicalBlockBytes: 4096, Reason: "in use: " + strings.Repeat("mounted at /mnt; ", 12)},
		{Name: "sdb", ID: "x", SizeBytes: 1 << 30, Writable: true}, {Name: "zram0"},
	}
	var out bytes.Buffer
	if err := printDevices(&out, list); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for _, l := range lines {
		if len(l) > lineWidth {
			t.Errorf("%d columns: %s", len(l), l)
		}
	}
	if !strings.Contains(out.String(), "\nloop0-2, loop9, zram0: not set up\n") || !strings.HasPrefix(lines[2], "    why not: in use: mounted") {
		t.Errorf("printed\n%s", &out)
	}
	if err := printDevices(io.Discard, nil); err != nil {
		t.Error(err)
	}
}
