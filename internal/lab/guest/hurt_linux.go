package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/iosweep/iosweep/results"
	"golang.org/x/sys/unix"
)

// hurt is a run that has changed a setting, and is to be hurt.
type hurt struct {
	path, dir, log string
	before         map[string]string
	cmd            *exec.Cmd
	ended          chan struct{}
}

// begin starts a run of two trials with such windows on a device and waits until
// it has changed a setting.
func (g *guest) begin(path, window string, args ...string) (*hurt, error) {
	dir, err := os.MkdirTemp("/tmp", "hurt-")
	if err != nil {
		return nil, err
	}
	return g.beginIn(dir, path, window, args...)
}

func (g *guest) beginIn(dir, path, window string, args ...string) (*hurt, error) {
	info, err := listed(path)
	if err != nil {
		return nil, err
	}
	r := &hurt{path: path, dir: filepath.Join(dir, "run"), log: filepath.Join(dir, "log"), before: settings(path), ended: make(chan struct{})}
	log, err := os.Create(r.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	r.cmd = prepared(append([]string{"run", longProfile(window), "--target", path, "--destroy", info.ID, "--out", r.dir, "--no-report"}, args...)...)
	r.cmd.Stdout, r.cmd.Stderr = log, log
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		r.cmd.Wait()
		close(r.ended)
	}()
	if !awaitChange(path, r.before) {
		r.cmd.Process.Kill()
		return nil, fmt.Errorf("no setting was changed within %v: %s", changeLimit, r.said())
	}
	return r, nil
}

func longProfile(window string) string {
	text, _ := os.ReadFile(writeProfile(8))
	path := "/tmp/long-" + window + ".yaml"
	os.WriteFile(path, []byte(strings.Replace(string(text), "duration: 400ms", "duration: "+window, 1)), 0o600)
	return path
}

// moment passes at random, so that no two faults find the run at one place.
func (r *hurt) moment() { time.Sleep(time.Duration(rand.IntN(600)) * time.Millisecond) }

// awaitWrites waits until the run writes.
func (r *hurt) awaitWrites() error {
	before := writes(r.path)
	for end := time.Now().Add(changeLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if writes(r.path) > before {
			return nil
		}
	}
	return fmt.Errorf("the run wrote nothing within %v: %s", changeLimit, r.said())
}

// writes is how many writes a device has completed.
func writes(path string) int {
	text, _ := os.ReadFile(filepath.Join("/sys/block", filepath.Base(path), "stat"))
	fields := strings.Fields(string(text))
	if len(fields) < 5 {
		return 0
	}
	n, _ := strconv.Atoi(fields[4])
	return n
}

// wait waits for the run's end. One that does not end must not keep the
// laboratory from the rest; before it is killed, it says where it hangs.
func (r *hurt) wait() (code int) {
	if !r.endsWithin(40 * time.Second) {
		r.cmd.Process.Signal(unix.SIGQUIT)
		r.endsWithin(3 * time.Second)
		r.cmd.Process.Kill()
		if !r.endsWithin(5 * time.Second) {
			return -3
		}
	}
	return r.cmd.ProcessState.ExitCode()
}

func (r *hurt) endsWithin(d time.Duration) bool {
	select {
	case <-r.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// said is the end of what the run has printed.
func (r *hurt) said() string {
	text, _ := os.ReadFile(r.log)
	return string(text[max(0, len(text)-900):])
}

// awaitSaid waits until the run has printed something.
func (r *hurt) awaitSaid(what string) error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(r.said(), what) {
			return nil
		}
	}
	return fmt.Errorf("the run does not say %q: %s", what, r.said())
}

// back waits for the settings to be as they were.
func (r *hurt) back() error { return awaitBack(r.path, r.before) }

// kept reads what the run stored; all trials but the last must have ended well
// or be judged.
func (r *hurt) kept() ([]results.Trial, error) {
	set, err := results.Open(r.dir)
	if err != nil {
		return nil, fmt.Errorf("open what the run left: %w", err)
	}
	if len(set.Runs) == 0 {
		return nil, errors.New("no run is left")
	}
	return set.Runs[0].Trials, nil
}
