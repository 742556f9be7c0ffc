package tunables

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// victimEnv tells the test's own program to be a run that gets killed: its
// value is what to do, the device number and the state directory.
const victimEnv = "IOSWEEP_TEST_VICTIM"

func TestMain(m *testing.M) {
	if task := os.Getenv(victimEnv); task != "" {
		os.Exit(victim(strings.Split(task, ",")))
	}
	os.Exit(m.Run())
}

// loop is a loop device of the test's own.
type loop struct {
	device Identity
	queue  string
	state  string
}

// newLoop adds a loop device over a sparse file, and removes it when the test
// ends.
func newLoop(t *testing.T) *loop {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("adding a loop device needs root")
	}
	backing := filepath.Join(t.TempDir(), "backing")
	if err := errors.Join(os.WriteFile(backing, nil, 0o600), os.Truncate(backing, 64<<20)); err != nil {
		t.Fatal(err)
	}
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no loop devices here: %v", err)
	}
	defer control.Close()
	none := -1
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, control.Fd(), unix.LOOP_CTL_ADD, uintptr(none))
	if errno != 0 {
		t.Fatalf("add a loop device: %v", errno)
	}
	t.Cleanup(func() { removeLoop(t, int(n)) })
	attach(t, int(n), backing)
	name := fmt.Sprintf("loop%d", n)
	dev, err := os.ReadFile("/sys/block/" + name + "/dev")
	if err != nil {
		t.Fatal(err)
	}
	return &loop{queue: "/sys/block/" + name + "/queue", state: t.TempDir(),
		device: Identity{ID: backing, Name: name, DevNum: strings.TrimSpace(string(dev))}}
}

func attach(t *testing.T, n int, backing string) {
	t.Helper()
	file, err := os.OpenFile(backing, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	device, err := os.OpenFile(fmt.Sprintf("/dev/loop%d", n), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if err := unix.IoctlSetInt(int(device.Fd()), unix.LOOP_SET_FD, int(file.Fd())); err != nil {
		t.Fatalf("attach %s: %v", backing, err)
	}
}

func removeLoop(t *testing.T, n int) {
	if device, err := os.Open(fmt.Sprintf("/dev/loop%d", n)); err == nil {
		_ = unix.IoctlSetInt(int(device.Fd()), unix.LOOP_CLR_FD, 0) // it may not be attached yet
		device.Close()
	}
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Errorf("remove loop%d: %v", n, err)
		return
	}
	defer control.Close()
	for range 100 {
		if err = unix.IoctlSetInt(int(control.Fd()), unix.LOOP_CTL_REMOVE, n); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond) // udev may have it open for a moment
	}
	t.Errorf("remove loop%d: %v", n, err)
}

// knobs reads every file of the queue, and of its scheduler.
func (l *loop) knobs(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"/*", "/iosched/*"} {
		paths, err := filepath.Glob(l.queue + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			if text, err := os.ReadFile(p); err == nil {
				all[strings.TrimPrefix(p, l.queue+"/")] = strings.TrimSpace(string(text))
			}
		}
	}
	if len(all) < 10 {
		t.Fatalf("only %d knobs under %s", len(all), l.queue)
	}
	return all
}

func (l *loop) mustHold(t *testing.T, want map[string]string) {
	t.Helper()
	if got := l.knobs(t); !maps.Equal(got, want) {
		t.Fatalf("knobs changed: %s", difference(want, got))
	}
	if left, err := Journals(l.state); len(left) != 0 || err != nil {
		t.Fatalf("journals left: %v, %v", left, err)
	}
}

func difference(before, after map[string]string) []string {
	var lines []string
	for name, value := range before {
		if after[name] != value {
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", name, value, after[name]))
		}
	}
	return lines
}

func (l *loop) options() HostOptions {
	return HostOptions{StateDir: l.state, Device: l.device}
}

func (l *loop) host(t *testing.T, o HostOptions) *Host {
	t.Helper()
	h, err := NewHost(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func (l *loop) set(t *testing.T, knob, value string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(l.queue, knob), []byte(value), 0); err != nil {
		t.Fatal(err)
	}
}

func TestLoopApplyAndRestore(t *testing.T) {
	l := newLoop(t)
	for knob, value := range map[string]string{"scheduler": "kyber", "read_ahead_kb": "64", "max_sectors_kb": "512"} {
		l.set(t, knob, value)
	}
	l.set(t, "nr_requests", "77") // what a scheduler's change would reset
	l.set(t, "read_ahead_kb", "64")
	before := l.knobs(t)
	h := l.host(t, l.options())
	lease, err := h.Apply(context.Background(), settings(t, "fifo_batch", "3", "nr_requests", "3",
		"scheduler", "mq-deadline", "max_sectors_kb", "99999999", "nomerges", "2", "wbt_lat_usec", "500"))
	if err != nil {
		t.Fatal(err)
	}
	now := l.knobs(t)
	for _, s := range lease.Settings() {
		knob := strings.TrimPrefix(s.Address, "sysfs:queue/")
		if s.Observed != now[knob] && !strings.Contains(now[knob], "["+s.Observed+"]") {
			t.Errorf("%s: observed %s, the kernel has %s", s.Tunable, s.Observed, now[knob])
		}
	}
	if now["max_sectors_kb"] != now["max_hw_sectors_kb"] || now["nr_requests"] == "3" || now["iosched/fifo_batch"] != "3" {
		t.Errorf("the kernel has max_sectors_kb %s, nr_requests %s, fifo_batch %s",
			now["max_sectors_kb"], now["nr_requests"], now["iosched/fifo_batch"])
	}
	if drifts, err := lease.Check(context.Background()); len(drifts) != 0 || err != nil {
		t.Errorf("Check = %v, %v", drifts, err)
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Fatal(err)
	}
	l.mustHold(t, before)
}

func TestLoopDiscard(t *testing.T) {
	l := newLoop(t)
	before := l.knobs(t)
	if before["discard_granularity"] == "0" {
		t.Skip("the file system of the temporary directory cannot punch holes")
	}
	change := settings(t, "discard_max_bytes", "4MiB")
	if _, err := l.host(t, l.options()).Apply(context.Background(), change); !errors.Is(err, ErrRefused) {
		t.Fatalf("a change that cannot be undone: %v", err)
	}
	l.mustHold(t, before)
	o := l.options()
	o.Scratch = true
	o.StateDir = t.TempDir()
	h := l.host(t, o)
	lease, err := h.Apply(context.Background(), change)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.knobs(t)["discard_max_bytes"]; got != "4194304" {
		t.Errorf("the kernel has %s", got)
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Fatal(err)
	}
	granularity, _ := strconv.ParseInt(before["discard_granularity"], 10, 64)
	original, _ := strconv.ParseInt(before["discard_max_bytes"], 10, 64)
	before["discard_max_bytes"] = strconv.FormatInt(original/granularity*granularity, 10)
	l.mustHold(t, before)
	// From there on the way back is exact.
	lease, err = h.Apply(context.Background(), change)
	if err != nil || lease.Settings()[0].Note != "" {
		t.Fatalf("second time: %v", err)
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Fatal(err)
	}
	l.mustHold(t, before)
}

// The catalogue says all of what a change disturbs: no knob may move unless it
// was announced, and all of them come back.
func TestLoopNothingElseMoves(t *testing.T) {
	l := newLoop(t)
	for _, scheduler := range []string{"none", "mq-deadline", "kyber"} {
		l.set(t, "scheduler", scheduler)
		tried := 0
		for _, def := range All() {
			k, ok := def.Knob("linux")
			knob, isQueue := strings.CutPrefix(k.Address, "sysfs:queue/")
			before := l.knobs(t)
			if !ok || !isQueue || before[knob] == "" || def.Name == "discard_max_bytes" {
				continue
			}
			tried++
			l.mustMoveOnlyAnnounced(t, def, otherValue(def, before[knob]), before)
		}
		if tried < 8 {
			t.Errorf("only %d knobs tried under %s", tried, scheduler)
		}
	}
}

// otherValue is a legal value that is not the current one.
func otherValue(def Tunable, current string) string {
	if def.Type == Choice {
		for _, name := range []string{"none", "mq-deadline"} {
			if !strings.Contains(current, "["+name+"]") {
				return name
			}
		}
	}
	n, _ := strconv.ParseInt(current, 10, 64)
	if n/2 >= max(def.Min, 4) && def.Max > 4 {
		return strconv.FormatInt(n/2, 10)
	}
	if n == 0 {
		return "1"
	}
	return "0"
}

func (l *loop) mustMoveOnlyAnnounced(t *testing.T, def Tunable, value string, before map[string]string) {
	t.Helper()
	h := l.host(t, l.options())
	defer h.Close()
	lease, err := h.Apply(context.Background(), settings(t, def.Name, value))
	if err != nil {
		t.Errorf("set %s to %s: %v", def.Name, value, err)
		return
	}
	known := map[string]bool{}
	for _, o := range originals(lease.entries) {
		known[strings.TrimPrefix(o.address, "sysfs:queue/")] = true
	}
	for name, was := range before {
		if now := l.knobs(t)[name]; now != was && !known[name] {
			t.Errorf("%s = %s moves %s from %s to %s, which the catalogue does not say", def.Name, value, name, was, now)
		}
	}
	if err := lease.Restore(context.Background()); err != nil {
		t.Errorf("restore %s: %v", def.Name, err)
	}
	l.mustHold(t, before)
}

// victim applies and restores, or recovers, until it is killed.
func victim(task []string) int {
	o := HostOptions{StateDir: task[2], Device: Identity{ID: task[3], Name: "loop", DevNum: task[1]}}
	if task[0] == "recover" {
		_, err := Recover(context.Background(), o)
		return report(err)
	}
	h, err := NewHost(o)
	if err != nil {
		return report(err)
	}
	var all []Setting
	for _, pair := range [][2]string{{"scheduler", "mq-deadline"}, {"fifo_batch", "3"}, {"nr_requests", "33"}, {"max_sectors_kb", "64"}, {"nomerges", "2"}} {
		def, _ := Lookup(pair[0])
		all = append(all, Setting{Tunable: def, Value: pair[1]})
	}
	for {
		lease, err := h.Apply(context.Background(), all)
		if err != nil {
			return report(err)
		}
		if err := lease.Restore(context.Background()); err != nil {
			return report(err)
		}
	}
}

func report(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// killed runs a victim and kills it after a while. A victim that fails by
// itself fails the test; one that ends well is early.
func (l *loop) killed(t *testing.T, what string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+strings.Join([]string{what, l.device.DevNum, l.state, l.device.ID}, ","))
	var complaint strings.Builder
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
	if complaint.Len() > 0 {
		t.Fatalf("%s: %s", what, complaint.String())
	}
}

// However long a run lived, and however long the recovery after it: the next
// recovery leaves every knob as it was.
func TestLoopKill(t *testing.T) {
	l := newLoop(t)
	l.set(t, "scheduler", "kyber")
	l.set(t, "nr_requests", "77")
	before := l.knobs(t)
	changed := 0
	for i := range 40 {
		l.killed(t, "run", time.Duration(10+7*i%60)*time.Millisecond)
		if !maps.Equal(l.knobs(t), before) {
			changed++
		}
		if i%2 == 0 {
			l.killed(t, "recover", time.Duration(5+i%20)*time.Millisecond)
		}
		if _, err := Recover(context.Background(), l.options()); err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		l.mustHold(t, before)
	}
	if changed < 5 {
		t.Errorf("only %d of 40 kills hit a change: the test shows little", changed)
	}
	t.Logf("%d of 40 kills hit a change", changed)
}
