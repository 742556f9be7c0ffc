package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/iosweep/iosweep/internal/durable"
	"github.com/iosweep/iosweep/internal/durable/durabletest"
)

// small is a trial of few bytes, so that every byte of some can be tried.
func small(index int) *Trial {
	return &Trial{Index: index, Block: index, Variant: "a", Workload: "mix", Status: Valid, WindowSeconds: 1}
}

// A crash can leave any prefix of trials.jsonl. All whole lines must be read,
// and what is left of a line told and not counted.
func TestOpenReadsEveryPrefix(t *testing.T) {
	dir := store(t, small(0), small(1), small(2))
	whole := read(t, dir, TrialsFile)
	for size := range len(whole) + 1 {
		write(t, dir, TrialsFile, whole[:size])
		got := open(t, dir)
		lines := strings.Count(whole[:size], "\n")
		if len(got.Trials) != lines {
			t.Fatalf("%d bytes: %d trials, want %d", size, len(got.Trials), lines)
		}
		torn := size > 0 && whole[size-1] != '\n'
		if told := mentions(got.Problems, fmt.Sprintf("%s:%d: the last line is incomplete", TrialsFile, lines+1)); told != torn {
			t.Fatalf("%d bytes: problems %q, want the torn line told: %v", size, got.Problems, torn)
		}
		if complete := size == len(whole); got.Complete != complete {
			t.Fatalf("%d bytes: complete %v, want %v", size, got.Complete, complete)
		}
	}
}

func mentions(problems []string, text string) bool {
	return strings.Contains(strings.Join(problems, "\n"), text)
}

// Whatever a crash left, Resume goes on so that the folder ends as it would
// have without the crash.
func TestResumeMendsEveryPrefix(t *testing.T) {
	dir := store(t, small(0), small(1), small(2))
	whole, sums := read(t, dir, TrialsFile), read(t, dir, SumsFile)
	for size := 0; size <= len(whole); size += 7 {
		write(t, dir, TrialsFile, whole[:size])
		if err := os.Remove(filepath.Join(dir, SumsFile)); err != nil {
			t.Fatal(err)
		}
		w, _, trials, err := Resume(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(trials); i < 3; i++ {
			if err := w.Append(small(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if read(t, dir, TrialsFile) != whole || read(t, dir, SumsFile) != sums {
			t.Fatalf("resumed from %d bytes, the folder is not what it would have been", size)
		}
	}
}

// A line that is corrupt is told and stays: Resume cuts off only what no append
// had finished.
func TestResumeTellsCorruptLines(t *testing.T) {
	dir := store(t, small(0), small(1))
	os.Remove(filepath.Join(dir, SumsFile))
	text := "corrupt\n" + read(t, dir, TrialsFile)
	write(t, dir, TrialsFile, text+"{")
	w, _, trials, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) != 2 || len(w.Problems()) != 2 || !mentions(w.Problems(), "trials.jsonl:1: not a trial") || !mentions(w.Problems(), "trials.jsonl:4: the last line") {
		t.Errorf("%d trials, problems %q", len(trials), w.Problems())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if read(t, dir, TrialsFile) != text {
		t.Errorf("resume left %q", read(t, dir, TrialsFile))
	}
}

func TestResumeWithoutTrialsFile(t *testing.T) {
	dir := store(t)
	os.Remove(filepath.Join(dir, SumsFile))
	os.Remove(filepath.Join(dir, TrialsFile))
	if got := open(t, dir); !mentions(got.Problems, "trials.jsonl: missing") {
		t.Errorf("problems %q, want the missing file told", got.Problems)
	}
	w, run, trials, err := Resume(dir)
	if err != nil || run.ID != aRun().ID || len(trials) != 0 {
		t.Fatalf("resume: %v, %v, %d trials", err, run, len(trials))
	}
	if err := errors.Join(w.Append(small(0)), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got := open(t, dir); !got.Complete || len(got.Trials) != 1 {
		t.Errorf("after resuming: complete %v, %d trials", got.Complete, len(got.Trials))
	}
}

func TestAbortLeavesARunToResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "run")
	w, err := Create(dir, aRun())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(small(0)), w.Abort()); err != nil {
		t.Fatal(err)
	}
	if got := open(t, dir); got.Complete || len(got.Trials) != 1 || len(got.Problems) != 0 {
		t.Errorf("complete %v, %d trials, problems %q", got.Complete, len(got.Trials), got.Problems)
	}
	w, _, _, err = Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Resume(dir); !errors.Is(err, ErrComplete) {
		t.Errorf("resume of a complete run: %v, want ErrComplete", err)
	}
}

// fullFS has room for some more bytes in logs.
type fullFS struct {
	durable.FS
	room int
}

func (f *fullFS) Open(name string, flag int, perm os.FileMode) (durable.File, error) {
	file, err := f.FS.Open(name, flag, perm)
	return &fullFile{file, f}, err
}

type fullFile struct {
	durable.File
	disk *fullFS
}

func (f *fullFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p[:min(len(p), f.disk.room)])
	f.disk.room -= n
	if err == nil && n < len(p) {
		err = syscall.ENOSPC
	}
	return n, err
}

// A full disk ends the run, but takes nothing that was stored before.
func TestDiskFull(t *testing.T) {
	dir := store(t, small(0))
	os.Remove(filepath.Join(dir, SumsFile))
	w, _, _, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.fs = &fullFS{FS: w.fs, room: 300}
	if w.log, err = durable.OpenLog(w.fs, TrialsFile, filePerm); err != nil {
		t.Fatal(err)
	}
	stored := 1
	for err == nil {
		if err = w.Append(small(stored)); err == nil {
			stored++
		}
	}
	path := filepath.Join(dir, TrialsFile)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("append on a full disk: %v, want no space, %s, and what to do", err, path)
	}
	if err := w.Append(small(9)); !errors.Is(err, ErrBroken) {
		t.Errorf("the append after: %v, want ErrBroken", err)
	}
	if err := w.Close(); !errors.Is(err, ErrBroken) {
		t.Errorf("close: %v, want ErrBroken", err)
	}
	got := open(t, dir)
	if got.Complete || len(got.Trials) != stored || stored < 2 {
		t.Errorf("complete %v, %d trials of %d stored", got.Complete, len(got.Trials), stored)
	}
}

func TestOneWriterAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, aRun())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Resume(dir); !errors.Is(err, ErrBusy) {
		t.Errorf("resume of a run that is being written: %v, want ErrBusy", err)
	}
	if got := open(t, dir); len(got.Problems) != 0 {
		t.Errorf("a run that is being written: problems %q", got.Problems)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if w, _, _, err = Resume(dir); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != len(summed())+1 {
		t.Errorf("a complete run has %v, want no more than what is summed and the sums", entries)
	}
}

// A power cut after any step must leave every trial that Append had taken, and
// before them a whole run.json.
func TestPowerCut(t *testing.T) {
	for _, loss := range []durabletest.Loss{durabletest.Nothing, durabletest.Half, durabletest.Everything} {
		for cut := 0; ; cut++ {
			disk, steps, taken := durabletest.New(), 0, 0
			disk.Fault = func(durabletest.Op) error {
				if steps++; steps > cut {
					return errors.New("power cut")
				}
				return nil
			}
			w := scratchWriter(t, disk)
			err := w.start([]byte("run"))
			for i := 0; i < 3 && err == nil; i++ {
				if err = w.Append(small(i)); err == nil {
					taken++
				}
			}
			w.release()
			disk.Crash(loss)
			disk.Fault = nil
			checkDisk(t, disk, taken, fmt.Sprintf("cut after step %d, loss %d", cut, loss))
			if err == nil {
				break
			}
		}
	}
}

// scratchWriter writes to disk, and locks a folder that nothing else is in.
func scratchWriter(t *testing.T, disk durable.FS) *Writer {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Writer{root: root, fs: disk, run: aRun()}
}

func checkDisk(t *testing.T, disk *durabletest.FS, taken int, when string) {
	text, _ := disk.Text(TrialsFile)
	found, err := readTrials(strings.NewReader(text), aRun())
	if err != nil || len(found.trials) < taken {
		t.Errorf("%s: %d trials of the %d taken, %v", when, len(found.trials), taken, err)
	}
	if run, there := disk.Text(RunFile); text != "" && run != "run" || there && run != "run" {
		t.Errorf("%s: %d bytes of trials beside run.json %q", when, len(text), run)
	}
}

func TestAppendRefusesWhatOpenWould(t *testing.T) {
	w, err := Create(t.TempDir(), aRun())
	if err != nil {
		t.Fatal(err)
	}
	stranger, unknown, endless := small(0), small(0), small(0)
	stranger.Variant, unknown.Status = "z", "fine"
	endless.Findings = []Finding{{Text: strings.Repeat("x", MaxLineBytes)}}
	for want, trial := range map[string]*Trial{"variant \"z\"": stranger, "unknown status \"fine\"": unknown, "more than": endless} {
		if err := w.Append(trial); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("append: %v, want %q in it", err, want)
		}
	}
	if err := errors.Join(w.Append(small(0)), w.Close()); err != nil {
		t.Errorf("the Writer is no good after refusing: %v", err)
	}
}
