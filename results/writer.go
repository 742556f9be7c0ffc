package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/iosweep/iosweep/internal/durable"
)

// filePerm lets everybody read results.
const filePerm = 0o644

// Writer stores a run trial by trial. It is not safe for concurrent use. One
// process at a time can have a folder open for writing; another gets ErrBusy.
//
// Once Append has returned nil its trial survives a crash. After Append has
// failed, every trial stored before is still readable, the Writer takes no more
// (ErrBroken), and Resume can go on from there. Only after Close has returned
// nil does the folder have a SHA256SUMS.
type Writer struct {
	root     *os.Root
	fs       durable.FS
	run      *Run
	log      *durable.Log
	lock     *durable.Lock
	broken   error
	problems []string
}

// Create makes the run folder dir and stores run in it, durably, before any
// trial. A folder that already has something in it is refused. It sets
// run.Schema.
func Create(dir string, run *Run) (*Writer, error) {
	run.Schema = SchemaVersion
	text, err := encodeRun(run)
	if err != nil {
		return nil, fmt.Errorf("create run %s: %w", dir, err)
	}
	root, err := makeFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("create run %s: %w", dir, err)
	}
	w := &Writer{root: root, fs: folderFS{root}, run: run}
	if err := w.start(text); err != nil {
		w.release()
		return nil, fmt.Errorf("create run %s: %w", dir, err)
	}
	return w, nil
}

func encodeRun(run *Run) ([]byte, error) {
	text, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", RunFile, err)
	}
	if len(text) >= MaxRunBytes {
		return nil, fmt.Errorf("%s would have %d bytes, more than the %d that are read back", RunFile, len(text), MaxRunBytes)
	}
	if err := run.check(); err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// makeFolder makes dir, or takes it when it is empty.
func makeFolder(dir string) (*os.Root, error) {
	if err := makeDirs(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("the folder is not empty (it has %s): name another, or go on with a run by --resume", entries[0].Name())
	}
	return os.OpenRoot(dir)
}

// release closes what a failed Create or Resume had opened.
func (w *Writer) release() {
	w.unlock()
	w.root.Close()
}

func (w *Writer) start(run []byte) (err error) {
	if w.lock, err = lockFolder(w.root); err != nil {
		return err
	}
	if err := durable.WriteFile(w.fs, RunFile, run, filePerm); err != nil {
		return err
	}
	w.log, err = durable.OpenLog(w.fs, TrialsFile, filePerm)
	return err
}

// Resume opens a run that was interrupted, to append what is missing, and
// returns what it has. An incomplete last line is cut off. A run that has its
// sums is refused with ErrComplete.
func Resume(dir string) (*Writer, *Run, []Trial, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("resume run: %w", err)
	}
	w := &Writer{root: root, fs: folderFS{root}}
	trials, err := w.resume()
	if err != nil {
		w.release()
		return nil, nil, nil, fmt.Errorf("resume run %s: %w", dir, err)
	}
	return w, w.run, trials, nil
}

func (w *Writer) resume() ([]Trial, error) {
	run, err := readRun(w.root)
	if err != nil {
		return nil, err
	}
	if w.lock, err = lockFolder(w.root); err != nil {
		return nil, err
	}
	if err := incomplete(w.root); err != nil {
		return nil, err
	}
	found, err := loadTrials(w.root, run)
	if err != nil {
		return nil, err
	}
	w.run, w.problems = run, found.problems
	if err := w.cut(found.whole); err != nil {
		return nil, err
	}
	w.log, err = durable.OpenLog(w.fs, TrialsFile, filePerm)
	return found.trials, err
}

func incomplete(root *os.Root) error {
	switch _, err := root.Lstat(SumsFile); {
	case err == nil:
		return fmt.Errorf("it has %s: %w", SumsFile, ErrComplete)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// cut shortens trials.jsonl to its whole lines, durably.
func (w *Writer) cut(size int64) error {
	file, err := folderFS{w.root}.open(TrialsFile, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return err
	}
	return errors.Join(file.Truncate(size), file.Sync(), file.Close())
}

// Problems tells what Resume found wrong with what was stored, as file:line:
// text.
func (w *Writer) Problems() []string { return w.problems }

// Dir is the run folder.
func (w *Writer) Dir() string { return w.root.Name() }

// Append stores t durably. It sets t.Schema. A trial that Open would not read
// back is refused, without harm to the Writer.
func (w *Writer) Append(t *Trial) error {
	path := filepath.Join(w.root.Name(), TrialsFile)
	if w.broken != nil {
		return fmt.Errorf("store trial %d in %s: %w: %w", t.Index, path, ErrBroken, w.broken)
	}
	line, err := w.encode(t)
	if err != nil {
		return fmt.Errorf("store trial %d in %s: %w", t.Index, path, err)
	}
	if err := w.log.Append(line); err != nil {
		w.broken = err
		return fmt.Errorf("store trial %d in %s: %w: the trials before it are kept; mend this and go on with --resume %s",
			t.Index, path, err, w.root.Name())
	}
	return nil
}

func (w *Writer) encode(t *Trial) ([]byte, error) {
	t.Schema = SchemaVersion
	if err := t.check(w.run); err != nil {
		return nil, err
	}
	line, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	if len(line) > MaxLineBytes {
		return nil, fmt.Errorf("%d bytes, more than the %d of a line: measure with fewer jobs, or in longer intervals", len(line), MaxLineBytes)
	}
	return append(line, '\n'), nil
}

// Close writes SHA256SUMS, which marks the run as complete, and closes the
// folder. A Writer whose Append failed writes none.
func (w *Writer) Close() error {
	defer w.root.Close()
	err := w.log.Close()
	if err == nil && w.broken != nil {
		err = fmt.Errorf("%w: %w", ErrBroken, w.broken)
	}
	if err == nil {
		err = w.complete()
	}
	if err = errors.Join(err, w.unlock()); err != nil {
		return fmt.Errorf("complete run %s: %w", w.root.Name(), err)
	}
	if err := durable.Remove(w.fs, lockName); err != nil {
		return fmt.Errorf("remove the lock of run %s: %w", w.root.Name(), err)
	}
	return nil
}

func (w *Writer) complete() error {
	text, err := sums(w.root)
	if err != nil {
		return err
	}
	return durable.WriteFile(w.fs, SumsFile, text, filePerm)
}

// Abort closes the folder without marking the run as complete, so that Resume
// can go on with it.
func (w *Writer) Abort() error {
	return errors.Join(w.log.Close(), w.unlock(), w.root.Close())
}
