package content

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// childEnv makes the test binary the writer that TestKilledWriter kills; its
// value is the folder to work in.
const childEnv = "IOSWEEP_STAMP_WRITER"

const crashBytes = 8 << 20

// TestKilledWriter kills a process in the midst of stamped writes and verifies
// what it left.
func TestKilledWriter(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		writeForEver(t, dir)
	}
	dir := t.TempDir()
	target, journal := filepath.Join(dir, "target"), filepath.Join(dir, "journal")
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
	child.Env = append(os.Environ(), childEnv+"="+dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	waitForBytes(t, journal, 1000*recordSize)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := child.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	v, faults := verifyFiles(t, target, journal)
	if !v.Sound() || v.Blocks < 400 {
		t.Errorf("after the kill: %+v %v", v, faults)
	}
	data, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("iosw"))
	data[at+100] ^= 1
	if err := os.WriteFile(target, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if v, faults := verifyFiles(t, target, journal); v.Faults[Corrupt] != 1 {
		t.Errorf("one bit flipped at %d: %+v %v", at+100, v, faults)
	}
}

// writeForEver is the child.
func writeForEver(t *testing.T, dir string) {
	target, err := os.Create(filepath.Join(dir, "target"))
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Truncate(crashBytes); err != nil {
		t.Fatal(err)
	}
	journal, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStamps(Options{Device: "file", Seed: 1, Length: crashBytes, BlockBytes: blockBytes, Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := workloads.NewStream(workloads.Spec{
		Sizes:  []workloads.SizeShare{{Bytes: blockBytes}, {Bytes: 16 * blockBytes}},
		Access: workloads.Access{Random: 0.5}, Mix: workloads.Mix{Write: 1}, AlignBytes: blockBytes,
	}, workloads.Geometry{SizeBytes: crashBytes, BlockBytes: 512}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var op workloads.Op
	for buf := make([]byte, 16*blockBytes); stream.Next(&op); {
		s.Fill(op, buf[:op.Len])
		_, err := target.WriteAt(buf[:op.Len], op.Off)
		if s.Done(op, err); err != nil || s.err != nil {
			t.Fatal(err, s.err)
		}
	}
}

func waitForBytes(t *testing.T, path string, n int64) {
	t.Helper()
	for range 3000 {
		if info, err := os.Stat(path); err == nil && info.Size() >= n {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not reach %d bytes in 30 s", path, n)
}

func verifyFiles(t *testing.T, target, journal string) (Verdict, []*Fault) {
	t.Helper()
	data, err := os.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	log, err := os.Open(journal)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	l, err := ReadJournal(log, crashBytes)
	if err != nil {
		t.Fatal(err)
	}
	var faults []*Fault
	v, err := l.Verify(t.Context(), data, func(f *Fault) { faults = append(faults, f) })
	if err != nil {
		t.Fatal(err)
	}
	return v, faults
}
