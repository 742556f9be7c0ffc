package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/iosweep/iosweep/internal/privilege"
)

// nobody is a user without any power.
const nobody = 65534

// openFolder makes a folder that every user can reach and write to.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asNobody runs iosweep without any power.
func asNobody(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	program := filepath.Join(dir, "iosweep")
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	to.Close()
	cmd := exec.Command(program, append(args, "--state-dir", filepath.Join(dir, "state"))...)
	cmd.Env = []string{actAsIosweep + "=1", "HOME=" + dir, "TMPDIR=" + dir}
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// TestWithoutRoot sweeps a knob as an ordinary user: it works exactly where the
// modes of the device's node and of the knob's file allow it.
func TestWithoutRoot(t *testing.T) {
	dev, id := loopDevice(t, 64<<20)
	before := queueSettings(t, dev)
	dir := openFolder(t)
	profile := filepath.Join(dir, "profile.yaml")
	text := head + `
tunables:
  - {name: max_sectors_kb, values: [64, 128], why: two that differ}
workloads:
  - name: writes
    why: something to do
    jobs: [{name: write, op: write, access: random, size: 128KiB, depth: 2}]
`
	if err := os.WriteFile(profile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", profile, "--target", dev, "--destroy", id, "--out", filepath.Join(dir, "run")}
	if code, out := asNobody(t, dir, args...); code != exitRefused || !strings.Contains(out, "permission denied") {
		t.Errorf("without any right: exit code %d:\n%s", code, out)
	}
	if err := os.Chown(dev, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if code, out := asNobody(t, dir, args...); code != exitUnsupported || strings.Count(out, "\n") > 1 ||
		!strings.Contains(out, "run as root") || !strings.Contains(out, "mode -rw-r--r--") {
		t.Errorf("without the knob: exit code %d, want %d:\n%s", code, exitUnsupported, out)
	}
	if err := os.Chown(filepath.Join("/sys/block", filepath.Base(dev), "queue/max_sectors_kb"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	args[len(args)-1] += "-2"
	if code, out := asNobody(t, dir, args...); code != 0 {
		t.Fatalf("with both: exit code %d:\n%s", code, out)
	}
	for _, tr := range trials(t, args[len(args)-1]) {
		if a := tr.Settings[0]; a.Observed != a.Value || a.After != a.Value {
			t.Errorf("asked %s, read back %s, at the end %s", a.Value, a.Observed, a.After)
		}
	}
	sameSettings(t, before, queueSettings(t, dev))
}

// TestStepsDown looks at what power a run and its watchdog have while a knob is
// changed: what docs/security.md names, unless commands are allowed.
func TestStepsDown(t *testing.T) {
	needsRoot(t)
	full := capabilities(t, os.Getpid())
	named := uint64(0)
	for _, c := range privilege.Kept() {
		named |= 1 << c
	}
	for _, tt := range []struct {
		args []string
		want uint64
	}{{nil, full & named}, {[]string{"--allow-commands"}, full}} {
		r := newRig(t)
		cmd, out := r.begin(tt.args...)
		r.start(cmd)
		r.awaitChange()
		dogs := children(cmd.Process.Pid)
		if len(dogs) != 1 {
			t.Fatalf("children %v, want the watchdog alone", dogs)
		}
		for who, pid := range map[string]int{"the run": cmd.Process.Pid, "its watchdog": dogs[0]} {
			if got := capabilities(t, pid); got != tt.want {
				t.Errorf("%v: %s has the capabilities %x, want %x", tt.args, who, got, tt.want)
			}
		}
		spared := full&(1<<privilege.SysResource) != 0 // else nobody here may ask for it
		if score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", dogs[0])); err != nil || spared && string(score) != "-1000\n" {
			t.Errorf("%v: the watchdog is not spared when memory is short: %q, %v", tt.args, score, err)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		if code, text := ended(cmd, out); code != 143 {
			t.Errorf("%v: exit code %d:\n%s", tt.args, code, text)
		}
	}
}

// capabilities are the effective ones of a process, which must be its bounding
// set: all that it and its children can ever have.
func capabilities(t *testing.T, pid int) (effective uint64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	bounding := uint64(0)
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "CapEff: %x", &effective)
		fmt.Sscanf(line, "CapBnd: %x", &bounding)
	}
	if effective != bounding || effective == 0 {
		t.Errorf("process %d has %x and could have %x", pid, effective, bounding)
	}
	return effective
}

// TestNamedCapabilities sweeps knobs on a scratch loop device with three of the
// capabilities that docs/security.md names: the others are for disk health and
// against the OOM killer.
func TestNamedCapabilities(t *testing.T) {
	needsRoot(t)
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("needs setpriv, which this machine lacks")
	}
	run := command(t, t.TempDir(), "run", profileFile(t, fastProfile), "--out", filepath.Join(t.TempDir(), "run"), "--scratch-dir", t.TempDir(), "--no-report")
	cmd := exec.Command("setpriv", append([]string{"--bounding-set=-all,+sys_admin,+dac_override,+ipc_lock", "--no-new-privs", run.Path}, run.Args[1:]...)...)
	cmd.Env = run.Env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "scratch loop device") {
		t.Errorf("%v:\n%s", err, out)
	}
}
