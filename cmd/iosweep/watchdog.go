package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/iosweep/iosweep/tunables"
	"github.com/spf13/cobra"
)

// A watchdog is this program once more, started before the first knob is
// touched. It reads a pipe of which only the run holds the other end, so the
// end of the run, however it comes, is an end of file. Then it puts back what
// the device's journal still holds, and ends.

const watchdogVerb = "watchdog"

// watchdogPatience is how long a watchdog waits for a lock that somebody still
// holds after the run's end: another restore, or a run that a stuck device
// keeps from dying.
const watchdogPatience = 5 * time.Minute

// watchdogTries is how often a watchdog tries to restore.
const watchdogTries = 5

// closePatience is how long a run waits for its watchdog to end: at first, and
// once more while the journal holds what the watchdog may be putting back.
const closePatience = 5 * time.Second

// watchdog is the run's end of the pipe, and what it takes to start another.
type watchdog struct {
	state    string
	dev      tunables.Identity
	commands bool
	stderr   *os.File

	cmd   *exec.Cmd
	pipe  io.Closer
	ended chan struct{} // closed when the process has ended, after err is set
	err   error
}

// startWatchdog starts the watchdog of a device. Without one no knob may be
// touched, so an error ends the run.
func startWatchdog(state string, dev tunables.Identity, commands bool, stderr *os.File) (*watchdog, error) {
	w := &watchdog{state: state, dev: dev, commands: commands, stderr: stderr}
	if err := w.start(); err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	return w, nil
}

// start starts the process and waits until it watches.
func (w *watchdog) start() error {
	self, err := ownPath()
	if err != nil {
		return err
	}
	args := []string{watchdogVerb, "--state-dir", w.state, "--device", w.dev.ID, "--name", w.dev.Name}
	if w.commands {
		args = append(args, "--allow-commands")
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Stderr = "/", w.stderr
	cmd.SysProcAttr = ownSession()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = io.ReadFull(ready, make([]byte, 1))
	w.cmd, w.pipe, w.ended = cmd, pipe, make(chan struct{})
	go func(ended chan<- struct{}) {
		w.err = cmd.Wait()
		close(ended)
	}(w.ended)
	if err != nil {
		return errors.Join(fmt.Errorf("it ended at once: %w", err), w.Close())
	}
	return nil
}

// ownPath is where this program is.
func ownPath() (string, error) {
	self, err := os.Executable()
	if err != nil { // FreeBSD forgets the path of a program that runs for long
		self, err = exec.LookPath(os.Args[0])
	}
	if err == nil {
		self, err = filepath.Abs(self)
	}
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return self, nil
}

// revive starts another watchdog if this one has ended, killed by somebody.
func (w *watchdog) revive() error {
	select {
	case <-w.ended:
	default:
		return nil
	}
	fmt.Fprintf(w.stderr, "iosweep: the watchdog ended (%v): starting another\n", w.err)
	w.pipe.Close()
	if err := w.start(); err != nil {
		return fmt.Errorf("%w to change settings without a watchdog: the first ended, and another does not start: %w", tunables.ErrRefused, err)
	}
	return nil
}

// Close ends the watchdog after the run has restored, and waits for it. What
// the run could not put back the watchdog tries once more. One that does not end
// (stopped, or stuck in the device) is killed.
func (w *watchdog) Close() error {
	if err := w.pipe.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("end the watchdog: %w", err)
	}
	if w.endsWithin(closePatience) || w.holds() && w.endsWithin(closePatience) {
		if w.err != nil {
			return fmt.Errorf("watchdog: %w", w.err)
		}
		return nil
	}
	_ = w.cmd.Process.Kill() // it may end just now
	w.endsWithin(time.Second)
	if w.holds() {
		return withCode(exitNotRestored, fmt.Errorf("the watchdog of %s did not end and was killed: settings are left to put back: run `iosweep restore`", w.dev.Name))
	}
	fmt.Fprintln(w.stderr, "iosweep: the watchdog did not end and was killed; all settings are back")
	return nil
}

// endsWithin waits for the process to end.
func (w *watchdog) endsWithin(patience time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-time.After(patience):
		return false
	}
}

// holds says that the device's journal holds something to put back, or may.
func (w *watchdog) holds() bool {
	left, err := leftOf(w.state, w.dev)
	return err != nil || len(left) > 0
}

// leftOf is what one device's journals hold.
func leftOf(state string, dev tunables.Identity) ([]tunables.Left, error) {
	left, err := tunables.Journals(state)
	return slices.DeleteFunc(left, func(l tunables.Left) bool {
		return l.Device.ID != dev.ID || dev.ID == "" && l.Device.Name != dev.Name
	}), err
}

// watched are knobs that are changed only while a watchdog runs.
type watched struct {
	campaign.Knobs
	dog *watchdog
}

// Apply applies settings once a watchdog is there to put them back.
func (k watched) Apply(ctx context.Context, settings []tunables.Setting) (*tunables.Lease, error) {
	if err := k.dog.revive(); err != nil {
		return nil, err
	}
	return k.Knobs.Apply(ctx, settings)
}

func newWatchdog() *cobra.Command {
	var state string
	var dev tunables.Identity
	var commands bool
	cmd := &cobra.Command{
		Use:    watchdogVerb,
		Short:  "Put a device's settings back when standard input ends (started by run)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			outlive()
			// The run waits for this byte before it touches a knob.
			if _, err := cmd.OutOrStdout().Write([]byte{'\n'}); err != nil {
				return err
			}
			if _, err := io.Copy(io.Discard, cmd.InOrStdin()); err != nil {
				return fmt.Errorf("watch the run: %w", err)
			}
			return withCode(exitNotRestored, restoreAbandoned(context.Background(), state, dev, commands, cmd.ErrOrStderr()))
		},
	}
	stateFlag(cmd.Flags(), &state)
	cmd.Flags().StringVar(&dev.ID, "device", "", "`ID` of the device")
	cmd.Flags().StringVar(&dev.Name, "name", "", "its name")
	cmd.Flags().BoolVar(&commands, "allow-commands", false, "restore command: tunables as well")
	return cmd
}

// outlive makes the process deaf to what ends its run: the terminal's signals,
// and the end of whoever reads what it prints.
func outlive() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	spareFromOOM()
}

// restoreAbandoned puts back what one device's journal holds, once the run has
// let go of it.
func restoreAbandoned(ctx context.Context, state string, dev tunables.Identity, commands bool, errOut io.Writer) error {
	tries := watchdogTries
	for end := time.Now().Add(watchdogPatience); ; time.Sleep(50 * time.Millisecond) {
		left, err := leftOf(state, dev)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			return nil
		}
		if left[0].Live && time.Now().Before(end) {
			continue
		}
		all, err := restoreThese(ctx, state, restoreOptions{commands: commands}, left)
		if privileged() {
			err = errors.Join(err, device.CleanStale())
		}
		if err != nil && tries > 1 && !errors.Is(err, tunables.ErrDrift) {
			tries-- // a device that is going away is there for one look and not for the next
			continue
		}
		if err == nil {
			fmt.Fprintln(errOut, "iosweep: the run ended without putting its settings back; its watchdog did")
		}
		printRestored(plain{errOut}, all)
		return err
	}
}
