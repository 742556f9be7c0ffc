package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
)

// faultsTable, when set, is the file that the table of all faults is written
// to; they are then tried as often as the table promises ('make faults').
const faultsTable = "IOSWEEP_FAULTS"

// fault is one way in which a run can be hurt.
type fault struct {
	name string
	// times is how often it is tried for the table, short how often otherwise.
	times, short int
	// hurt lets a run begin, hurts it and waits for its end.
	hurt func(r *rig) (code int, out string)
	// codes are the exit codes that are right; -1 is a death by signal. says
	// must be in the output.
	codes []int
	says  string
	// restores says who puts the settings back, for the table.
	restores string
}

// faults are all that are tried on real processes and a real kernel. What needs
// other devices is in the laboratory.
func faults() []fault {
	signal := func(s syscall.Signal) func(*rig) (int, string) {
		return func(r *rig) (int, string) { return r.signalled(s) }
	}
	return []fault{
		{"kill -9 of the run", 500, 20, signal(syscall.SIGKILL), []int{-1, 0}, "", "watchdog"},
		{"kill -9 of run and watchdog, and of restores", 500, 20, (*rig).killBoth, []int{-1, 0}, "", "`iosweep restore`"},
		{"kill -9 of a run on a scratch device", 20, 3, (*rig).killScratch, []int{-1, 0}, "", "watchdog"},
		{"SIGTERM", 20, 1, signal(syscall.SIGTERM), []int{143}, "", "the run"},
		{"SIGINT", 20, 1, signal(syscall.SIGINT), []int{130}, "", "the run"},
		{"SIGHUP", 20, 1, signal(syscall.SIGHUP), []int{129}, "", "the run"},
		{"SIGQUIT", 20, 1, signal(syscall.SIGQUIT), []int{2}, "", "watchdog"},
		{"the terminal is closed", 20, 1, (*rig).closeTerminal, []int{129}, "", "the run"},
		{"the reader of the output goes away", 20, 1, (*rig).closeOutput, []int{0, 141}, "", "the run"},
		{"no space in the results folder", 20, 1, (*rig).fillResults, []int{exitTransient}, "no space left", "the run"},
		{"results folder goes read-only", 20, 1, (*rig).freezeResults, []int{exitFailed}, "read-only file system", "the run"},
		{"no memory for buffers", 20, 1, (*rig).starveMemory, []int{exitFailed, exitTransient}, "cannot allocate memory", "the run"},
		{"panic in a goroutine", 20, 2, (*rig).panics, []int{2}, "panic: asked for by a test", "watchdog"},
		{"the device is stuck, and Ctrl-C comes twice", 20, 1, (*rig).stick, []int{130}, "were given up; the oldest is a", "the run"},
		{"the device answers EIO", 20, 1, (*rig).breakDevice, []int{exitFailed, exitInvalid}, "input/output error", "the run"},
	}
}

// rig is a loop device with a state folder of its own, on which runs are hurt.
type rig struct {
	t          *testing.T
	dev, id    string
	state, dir string
	profile    string
	before     map[string]string
	changed    int // how often the fault found settings changed
}

func newRig(t *testing.T) *rig {
	dev, id := loopDevice(t, 64<<20)
	return &rig{t: t, dev: dev, id: id, state: t.TempDir(), profile: profileFile(t, fastProfile), before: queueSettings(t, dev)}
}

var fastProfile = strings.ReplaceAll(longProfile, "warmup: 100ms, duration: 300ms", "warmup: 10ms, duration: 30ms")

// begin starts a run into a folder of its own.
func (r *rig) begin(args ...string) (*exec.Cmd, *bytes.Buffer) {
	r.t.Helper()
	if r.dir == "" {
		r.dir = filepath.Join(r.t.TempDir(), "run")
	}
	cmd := command(r.t, r.state, append([]string{"run", r.profile, "--target", r.dev, "--destroy", r.id, "--out", r.dir}, args...)...)
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

func (r *rig) start(cmd *exec.Cmd) {
	r.t.Helper()
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
}

// awaitChange waits until the run has changed a setting, and a moment more.
func (r *rig) awaitChange() {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if r.pending() {
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
			return
		}
	}
	r.t.Error("the run changed nothing within 30 s")
}

// pending says that a journal is not empty; it takes no lock.
func (r *rig) pending() bool {
	found, err := filepath.Glob(filepath.Join(r.state, "*.journal"))
	return err == nil && slices.ContainsFunc(found, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0
	})
}

func ended(cmd *exec.Cmd, out *bytes.Buffer) (int, string) {
	cmd.Wait()
	return cmd.ProcessState.ExitCode(), out.String()
}

func (r *rig) signalled(s syscall.Signal) (int, string) {
	cmd, out := r.begin()
	r.start(cmd)
	r.awaitChange()
	if r.pending() {
		r.changed++
	}
	cmd.Process.Signal(s)
	return ended(cmd, out)
}

// killBoth kills the run and its watchdog at a random point, and sometimes the
// restores that follow; then one restore may end.
func (r *rig) killBoth() (int, string) {
	cmd, _ := r.begin()
	cmd.Stdout, cmd.Stderr = nil, nil
	r.start(cmd)
	time.Sleep(time.Duration(rand.IntN(600)) * time.Millisecond)
	killWithWatchdog(cmd)
	code := cmd.ProcessState.ExitCode()
	if r.pending() && len(sameOrNot(r.before, queueSettings(r.t, r.dev))) > 0 {
		r.changed++
		if code, out := run(r.t, r.state, "run", r.profile, "--target", r.dev, "--destroy", r.id, "--out", r.dir+"-next"); code != exitNotRestored {
			r.t.Errorf("a run with a pending journal exits with %d:\n%s", code, out)
		}
	}
	for range rand.IntN(3) {
		again := command(r.t, r.state, "restore")
		r.start(again)
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		again.Process.Kill()
		again.Wait()
	}
	if code, out := run(r.t, r.state, "restore"); code != 0 {
		r.t.Errorf("restore exits with %d:\n%s", code, out)
	}
	return code, ""
}

// killScratch kills a run on a device that it made itself: the device goes with
// the process, and the watchdog tidies up.
func (r *rig) killScratch() (int, string) {
	r.dir = filepath.Join(r.t.TempDir(), "run")
	cmd := command(r.t, r.state, "run", r.profile, "--out", r.dir, "--scratch-dir", r.t.TempDir())
	out := &bytes.Buffer{}
	cmd.Stderr = out
	r.start(cmd)
	r.awaitChange()
	if r.pending() {
		r.changed++
	}
	cmd.Process.Kill()
	return ended(cmd, out)
}

// killWithWatchdog kills a run and the watchdog that it started, which is in a
// session of its own.
func killWithWatchdog(cmd *exec.Cmd) {
	cmd.Process.Signal(syscall.SIGSTOP) // so that it starts none meanwhile
	for _, child := range children(cmd.Process.Pid) {
		syscall.Kill(child, syscall.SIGKILL)
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// children lists the processes that a process started.
func children(parent int) []int {
	entries, _ := os.ReadDir("/proc")
	var out []int
	for _, e := range entries {
		var pid, ppid int
		var state string
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		// The name, in brackets, may hold anything.
		head, rest, _ := strings.Cut(string(text), " ")
		rest = rest[strings.LastIndex(rest, ")")+1:]
		fmt.Sscan(head, &pid)
		fmt.Sscan(rest, &state, &ppid)
		if ppid == parent && pid > 0 {
			out = append(out, pid)
		}
	}
	return out
}

func (r *rig) panics() (int, string) {
	cmd, out := r.begin()
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%dms", panicAfter, 150+rand.IntN(300)))
	r.start(cmd)
	return ended(cmd, out)
}

func (r *rig) starveMemory() (int, string) {
	r.profile = profileFile(r.t, strings.ReplaceAll(fastProfile, "size: 4KiB, depth: 4", "size: 4MiB, depth: 1024"))
	run, out := r.begin("--engine", []string{"uring", "portable"}[rand.IntN(2)])
	cmd := exec.Command("prlimit", append([]string{"--as=3000000000", run.Path}, run.Args[1:]...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = run.Env, out, out
	r.start(cmd)
	code, text := ended(cmd, out)
	if _, err := results.Open(r.dir); err != nil {
		r.t.Error(err)
	}
	r.dir = "" // every trial failed there
	return code, text
}

// sameOrNot lists the knobs that differ.
func sameOrNot(before, after map[string]string) (differ []string) {
	for knob, value := range before {
		if after[knob] != value {
			differ = append(differ, fmt.Sprintf("%s was %q and is %q", knob, value, after[knob]))
		}
	}
	return differ
}

// settled waits for the settings to come back and the journal to be cleared,
// without anybody asking for it, and returns what is wrong.
func (r *rig) settled() (wrong []string) {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		wrong = sameOrNot(r.before, queueSettings(r.t, r.dev))
		if n := journals(r.t, r.state); n > 0 {
			wrong = append(wrong, fmt.Sprintf("%d journals left", n))
		}
		if len(wrong) == 0 || time.Now().After(end) {
			return wrong
		}
	}
}

// outcome counts what became of a fault.
type outcome struct{ tried, changed, lost, unreadable, wrongCode, unnamed int }

func (o *outcome) add(p outcome) {
	o.tried += p.tried
	o.changed += p.changed
	o.lost += p.lost
	o.unreadable += p.unreadable
	o.wrongCode += p.wrongCode
	o.unnamed += p.unnamed
}

// once tries a fault once.
func (f *fault) once(r *rig) (o outcome) {
	r.t.Helper()
	o.tried = 1
	was := r.changed
	code, out := f.hurt(r)
	o.changed = r.changed - was
	if wrong := r.settled(); len(wrong) > 0 {
		o.lost = 1
		r.t.Errorf("%s: not back: %v\n%s", f.name, wrong, out)
	}
	if !slices.Contains(f.codes, code) {
		o.wrongCode = 1
		r.t.Errorf("%s: exit code %d, want one of %v:\n%s", f.name, code, f.codes, out)
	}
	if !strings.Contains(strings.ToLower(out), strings.ToLower(f.says)) {
		o.unnamed = 1
		r.t.Errorf("%s: the output does not say %q:\n%s", f.name, f.says, out)
	}
	if bad := unreadable(r.dir); bad != "" {
		o.unreadable = 1
		r.t.Errorf("%s: %s", f.name, bad)
	}
	return o
}

// unreadable says what is wrong with what a run left; trials that ended before
// the fault are valid, and one at most did not end.
func unreadable(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
		return ""
	}
	set, err := results.Open(dir)
	if err != nil {
		return fmt.Sprintf("open what a run left: %v", err)
	}
	all := set.Runs[0].Trials
	for i := range all {
		if all[i].Status != results.Valid && all[i].Status != results.Invalid && i < len(all)-1 {
			return fmt.Sprintf("trial %d of %d is %s: %v", i+1, len(all), all[i].Status, all[i].Findings)
		}
	}
	return ""
}

// TestFaults hurts runs in every way and counts what is lost.
func TestFaults(t *testing.T) {
	needsRoot(t)
	path := os.Getenv(faultsTable)
	rows := []string{
		"| fault | tried | settings were changed then | settings lost | results lost | wrong exit code | not named | put back by |",
		"|---|---|---|---|---|---|---|---|",
	}
	var all outcome
	for _, f := range faults() {
		times := f.short
		if path != "" {
			times = f.times
		}
		o := f.often(t, times)
		all.add(o)
		row := fmt.Sprintf("| %s | %d | %s | %d | %d | %d | %d | %s |", f.name, o.tried, orDash(o.changed), o.lost, o.unreadable, o.wrongCode, o.unnamed, f.restores)
		t.Log(row)
		rows = append(rows, row)
	}
	if all.changed < all.tried/4 {
		t.Errorf("only %d of %d faults found a setting changed: the test does not test", all.changed, all.tried)
	}
	if path != "" {
		if err := os.WriteFile(path, []byte(faultsHead+strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func orDash(n int) string {
	if n == 0 {
		return "not counted"
	}
	return fmt.Sprint(n)
}

const faultsHead = `# Faults tried

Written by ` + "`make faults`" + `: each fault hurts a run on a loop device at a random
point while settings are changed. *Put back by* says who had to do it; nobody
called ` + "`iosweep restore`" + ` where it says the run or its watchdog. What a loop device
cannot show is in the second table; a stuck device, a panic in an engine and errors
on ranges are also tests of ` + "`runners/campaign`" + ` (TestFaultsBelow, TestAbandoned), a
hung knob of ` + "`tunables`" + ` (TestHungKnob).

`

// often tries a fault so many times, on a few rigs side by side.
func (f *fault) often(t *testing.T, times int) (sum outcome) {
	const rigs = 4
	var mu sync.Mutex
	var left = make(chan int, times)
	for i := range times {
		left <- i
	}
	close(left)
	t.Run(f.name, func(t *testing.T) {
		for i := range min(rigs, times) {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				for range left {
					r.dir = ""
					o := f.once(r)
					mu.Lock()
					sum.add(o)
					mu.Unlock()
				}
			})
		}
	})
	return sum
}
