package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
	if code, out := asNobody(t, dir, args...); code != exitUnsupported {
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

// TestNamedCapabilities sweeps knobs on a scratch loop device with the three
// capabilities that docs/security.md names, and no other.
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
