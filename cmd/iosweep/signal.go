package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalled is the cause of a cancelled context.
type signalled struct{ syscall.Signal }

// Error says which signal it was.
func (s signalled) Error() string {
	name := s.Signal.String()
	switch s.Signal {
	case syscall.SIGINT:
		name = "SIGINT"
	case syscall.SIGTERM:
		name = "SIGTERM"
	case syscall.SIGHUP:
		name = "SIGHUP"
	}
	return "interrupted by " + name
}

// signalCode is the exit code of a context that a signal cancelled, or 0.
func signalCode(ctx context.Context) int {
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		return exitSignal + int(s.Signal)
	}
	return 0
}

// hintAfter is how long a run may take to end, after a signal, before it says
// what it waits for.
const hintAfter = 3 * time.Second

const hint = "waiting for the device's outstanding I/O, and for the settings to be put back; " +
	"once more (Ctrl-C) gives the I/O up, and the settings are put back all the same"

// signalContext is cancelled by the first signal that asks to stop. A second
// one gives up what a device does not answer (see abandoned); none cuts the
// restoring of settings short.
func signalContext(stderr io.Writer) (context.Context, func()) {
	// A reader that went away must not end a run before it has restored: its
	// writes fail instead.
	signal.Ignore(syscall.SIGPIPE)
	caught := make(chan os.Signal, 4)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup means it
			signal.Notify(caught, s)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	given := make(chan struct{})
	go obey(caught, cancel, given, stderr)
	return context.WithValue(ctx, abandonKey{}, given), func() {
		signal.Stop(caught)
		close(caught)
	}
}

// obey acts on signals until there are no more.
func obey(caught <-chan os.Signal, cancel context.CancelCauseFunc, given chan<- struct{}, stderr io.Writer) {
	first, ok := <-caught
	if !ok {
		return
	}
	number, _ := first.(syscall.Signal)
	cancel(signalled{number})
	waits := time.NewTimer(hintAfter)
	defer waits.Stop()
	for again := false; ; {
		select {
		case <-waits.C:
			fmt.Fprintf(stderr, "\niosweep: %v: %s\n", signalled{number}, hint)
		case _, ok := <-caught:
			if !ok {
				return
			}
			if !again {
				close(given)
			}
			again = true
		}
	}
}

// abandonKey is the key of abandoned's channel in a context.
type abandonKey struct{}

// abandoned is closed by the second signal of signalContext; nil, which never
// is, where the context is another's.
func abandoned(ctx context.Context) <-chan struct{} {
	given, _ := ctx.Value(abandonKey{}).(chan struct{})
	return given
}
