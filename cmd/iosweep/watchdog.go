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

// watchdog is the run's end of the pipe.
type watchdog struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

// startWatchdog starts the watchdog of a device. Without one no knob may be
// touched, so an error ends the run.
func startWatchdog(state string, dev tunables.Identity, commands bool, stderr io.Writer) (*watchdog, error) {
	self, err := os.Executable()
	if err != nil { // FreeBSD forgets the path of a program that runs for long
		self, err = exec.LookPath(os.Args[0])
	}
	if err == nil {
		self, err = filepath.Abs(self)
	}
	if err != nil {
		return nil, fmt.Errorf("start the watchdog: find this program: %w", err)
	}
	args := []string{watchdogVerb, "--state-dir", state, "--device", dev.ID, "--name", dev.Name}
	if commands {
		args = append(args, "--allow-commands")
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Stderr = "/", stderr
	cmd.SysProcAttr = ownSession()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	w := &watchdog{cmd: cmd, pipe: pipe}
	if _, err := io.ReadFull(ready, make([]byte, 1)); err != nil {
		return nil, errors.Join(fmt.Errorf("start the watchdog: it ended at once: %w", err), w.Close())
	}
	return w, nil
}

// Close ends the watchdog after the run has restored, and waits for it. What
// the run could not put back the watchdog tries once more.
func (w *watchdog) Close() error {
	err := w.pipe.Close()
	if waitErr := w.cmd.Wait(); waitErr != nil {
		err = errors.Join(err, fmt.Errorf("watchdog: %w", waitErr))
	}
	return err
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
		left, err := tunables.Journals(state)
		if err != nil {
			return err
		}
		left = slices.DeleteFunc(left, func(l tunables.Left) bool {
			return l.Device.ID != dev.ID || dev.ID == "" && l.Device.Name != dev.Name
		})
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
