package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
)

const stampedProfile = `
schema: 1
name: stamped
workloads:
  - name: mixed
    verify: stamp
    jobs:
      - {name: mixed, mix: {read: 30%, write: 60%, delete: 10%}, access: random, size: {4KiB: 80%, 16KiB: 20%}, align: 4KiB, depth: 8, region: {offset: 1MiB, length: 16MiB}}
      - {name: beside, op: write, size: 64KiB, depth: 2, region: {offset: 32MiB, length: 8MiB}}
measure: {duration: DURATION, repeats: 1}
`

// stampedRun runs the profile on a loop device; with kill it is killed in the
// midst of it.
func stampedRun(t *testing.T, duration string, kill bool) (dir, dev, backing string) {
	t.Helper()
	dev, backing = loopDevice(t, 64<<20)
	dir = filepath.Join(t.TempDir(), "run")
	state := t.TempDir()
	args := []string{"run", profileFile(t, strings.Replace(stampedProfile, "DURATION", duration, 1)), "--target", dev, "--destroy", backing, "--out", dir}
	if !kill {
		if code, out := run(t, state, args...); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, out)
		}
		return dir, dev, backing
	}
	cmd := command(t, state, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(journalsOf(dir), "0.journal")
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(journal); err == nil && info.Size() > 4000 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the run does not begin to write within 30 s")
		}
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the run ended before it was killed")
	}
	return dir, dev, backing
}

// verifyData runs iosweep verify-data.
func verifyData(t *testing.T, dir, dev string) (int, verified, string) {
	t.Helper()
	code, out := runBare(t, "verify-data", dir, "--target", dev, "--json")
	var v verified
	if text, _, _ := strings.Cut(out, "iosweep: "); json.Unmarshal([]byte(text), &v) != nil {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	return code, v, out
}

// runBare runs a command that has no state folder.
func runBare(t *testing.T, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), actAsIosweep+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func TestVerifyDataAfterAKill(t *testing.T) {
	dir, dev, _ := stampedRun(t, "60s", true)
	code, v, out := verifyData(t, dir, dev)
	if code != 0 || v.Blocks < 50 || len(v.Faults) != 0 {
		t.Errorf("exit code %d, %+v:\n%s", code, v, out)
	}
}

// TestVerifyDataNamesFaults damages the backing file in each way.
func TestVerifyDataNamesFaults(t *testing.T) {
	dir, dev, backing := stampedRun(t, "700ms", false)
	if code, v, out := verifyData(t, dir, dev); code != 0 || v.Blocks < 128 {
		t.Fatalf("before any damage: exit code %d, %+v:\n%s", code, v, out)
	}
	// The second job's region: every block was written, and more than once.
	const begin, block = 32 << 20, 64 << 10
	f, err := os.OpenFile(backing, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := func(off int64, n int) []byte {
		b := make([]byte, n)
		if _, err := f.ReadAt(b, off); err != nil {
			t.Fatal(err)
		}
		return b
	}
	write := func(off int64, b []byte) {
		if _, err := f.WriteAt(b, off); err != nil {
			t.Fatal(err)
		}
	}
	write(begin+1*block, make([]byte, block))        // lost
	write(begin+3*block, make([]byte, block/2))      // torn
	write(begin+5*block, read(begin+7*block, block)) // misplaced
	flipped := read(begin+9*block, 512)
	flipped[300] ^= 1
	write(begin+9*block, flipped) // corrupt
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	code, v, out := verifyData(t, dir, dev)
	want := map[string]int64{"lost": begin + block, "torn": begin + 3*block, "misplaced": begin + 5*block, "corrupt": begin + 9*block}
	for _, fault := range v.Faults {
		if first, ok := want[fault.Kind]; !ok || first != fault.First || fault.Count != 1 {
			t.Errorf("fault %+v, want at %d", fault, first)
		}
		delete(want, fault.Kind)
	}
	if code != exitFailed || len(want) > 0 {
		t.Errorf("exit code %d, not found: %v:\n%s", code, want, out)
	}
}

// TestStampsAreCheckedInTheRun looks at what a sound target's trial says.
// TestVerifyDataNamesStale brings back what a block held earlier in the run.
func TestVerifyDataNamesStale(t *testing.T) {
	const at, block = 32<<20 + 11*64<<10, 64 << 10
	dev, backing := loopDevice(t, 64<<20)
	dir := filepath.Join(t.TempDir(), "run")
	cmd := command(t, t.TempDir(), "run", profileFile(t, strings.Replace(stampedProfile, "DURATION", "2s", 1)), "--target", dev, "--destroy", backing, "--out", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(backing, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	old, again := make([]byte, block), make([]byte, block)
	// Two readings that are alike are not of a write in progress.
	for deadline := time.Now().Add(30 * time.Second); string(old[:4]) != "iosw" || !bytes.Equal(old, again); time.Sleep(time.Millisecond) {
		copy(again, old)
		if _, err := f.ReadAt(old, at); err != nil || time.Now().After(deadline) {
			t.Fatalf("the block is not written within 30 s: %v", err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(old, at); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	code, v, out := verifyData(t, dir, dev)
	if code != exitFailed || len(v.Faults) != 1 || v.Faults[0] != (results.Fault{Kind: "stale", Count: 1, First: at}) {
		t.Errorf("exit code %d, %+v:\n%s", code, v, out)
	}
}

func TestStampsAreCheckedInTheRun(t *testing.T) {
	dir, _, _ := stampedRun(t, "500ms", false)
	for _, trial := range trials(t, dir) {
		v := trial.Verified
		if trial.Status != results.Valid || v == nil || v.Stamped == 0 || v.Checked == 0 || v.Seconds <= 0 || len(v.Faults) > 0 {
			t.Errorf("status %s, verified %+v, findings %v", trial.Status, v, trial.Findings)
		}
	}
}

func TestVerifyDataRefuses(t *testing.T) {
	dir, dev, _ := stampedRun(t, "200ms", false)
	other, _ := loopDevice(t, 64<<20)
	if code, out := runBare(t, "verify-data", dir, "--target", other); code != exitRefused {
		t.Errorf("another device: exit code %d:\n%s", code, out)
	}
	if code, out := runBare(t, "verify-data", dir); code != exitUsage {
		t.Errorf("no device: exit code %d:\n%s", code, out)
	}
	if err := os.RemoveAll(journalsOf(dir)); err != nil {
		t.Fatal(err)
	}
	if code, out := runBare(t, "verify-data", dir, "--target", dev); code != exitUsage || !strings.Contains(out, "did not stamp") {
		t.Errorf("no journal: exit code %d:\n%s", code, out)
	}
}
