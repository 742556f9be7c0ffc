package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// trialLines is what trials.jsonl was found to hold.
type trialLines struct {
	trials   []Trial
	problems []string
	// whole is where the last whole line ends: what lies behind it is the torn
	// rest of a line whose append never succeeded.
	whole int64
}

// readTrials reads trials line by line. A bad line costs that line and is told
// as a problem; only a failing reader is an error.
func readTrials(r io.Reader, run *Run) (trialLines, error) {
	var found trialLines
	where := map[place]int{}
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, length, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return found, fmt.Errorf("read %s: %w", TrialsFile, err)
		}
		if err != nil {
			if length > 0 {
				found.problem(n, "the last line is incomplete, as an interrupted write leaves it: left out")
			}
			return found, nil
		}
		found.whole += length
		found.take(n, line, length, run, where)
	}
}

// place identifies a trial in a run.
type place struct{ index, attempt int }

// take adds the trial of line n. Of two with the same index and attempt the
// last valid one counts.
func (f *trialLines) take(n int, line []byte, length int64, run *Run, where map[place]int) {
	if length-1 > MaxLineBytes {
		f.problem(n, fmt.Sprintf("longer than %d bytes: left out", MaxLineBytes))
		return
	}
	trial, err := parseTrial(line, run)
	if err != nil {
		f.problem(n, fmt.Sprintf("%v: left out", err))
		return
	}
	at := place{trial.Index, trial.Attempt}
	i, twice := where[at]
	if !twice {
		where[at] = len(f.trials)
		f.trials = append(f.trials, *trial)
		return
	}
	f.problem(n, fmt.Sprintf("trial %d attempt %d is stored twice: the last valid one counts", at.index, at.attempt))
	if trial.Status == Valid || f.trials[i].Status != Valid {
		f.trials[i] = *trial
	}
}

func (f *trialLines) problem(line int, text string) {
	f.problems = append(f.problems, fmt.Sprintf("%s:%d: %s", TrialsFile, line, text))
}

// readLine returns a line without its newline, and its length with it. Of a
// line over MaxLineBytes it keeps only a beginning, but counts all. At the end
// of the input it returns io.EOF and the length of what no newline ended.
func readLine(in *bufio.Reader) (line []byte, length int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		length += int64(len(part))
		if length <= MaxLineBytes+1 {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), length, err
		}
	}
}

// parseTrial reads one line and checks that it is a trial of run.
func parseTrial(line []byte, run *Run) (*Trial, error) {
	var trial Trial
	if err := json.Unmarshal(line, &trial); err != nil {
		return nil, fmt.Errorf("not a trial: %w", err)
	}
	if err := checkSchema(trial.Schema); err != nil {
		return nil, err
	}
	if err := trial.check(run); err != nil {
		return nil, fmt.Errorf("not a trial of this run: %w", err)
	}
	return &trial, nil
}

// checkSchema refuses what this version cannot know how to read.
func checkSchema(version int) error {
	switch {
	case version > SchemaVersion:
		return fmt.Errorf("schema version %d, but this iosweep reads up to %d: use a newer iosweep: %w", version, SchemaVersion, ErrNewer)
	case version < 1:
		return fmt.Errorf("no schema version: %w", ErrCorrupt)
	}
	return nil
}

// check finds what no campaign would have stored.
func (t *Trial) check(run *Run) error {
	switch {
	case t.Index < 0, t.Attempt < 0, t.Block < 0:
		return fmt.Errorf("index %d, attempt %d, block %d: negative", t.Index, t.Attempt, t.Block)
	case !t.Status.known():
		return fmt.Errorf("unknown status %q", t.Status)
	case t.WindowSeconds < 0, t.WarmupSeconds < 0:
		return fmt.Errorf("window %v s, warm-up %v s: negative", t.WindowSeconds, t.WarmupSeconds)
	case run.variant(t.Variant) == nil:
		return fmt.Errorf("variant %q is not in %s", t.Variant, RunFile)
	case run.workload(t.Workload) == nil:
		return fmt.Errorf("workload %q is not in %s", t.Workload, RunFile)
	}
	for i := range t.Jobs {
		if err := t.Jobs[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func (j *JobResult) check() error {
	if j.Pending < 0 || j.OldestPendingSeconds < 0 {
		return fmt.Errorf("job %q: %d pending for %v s: negative", j.Name, j.Pending, j.OldestPendingSeconds)
	}
	for _, k := range j.Kinds {
		if k.Ops < 0 || k.Bytes < 0 || k.Errors < 0 {
			return fmt.Errorf("job %q: %s: %d operations, %d bytes, %d errors: negative", j.Name, k.Kind, k.Ops, k.Bytes, k.Errors)
		}
	}
	return nil
}

func (s Status) known() bool {
	switch s {
	case Valid, Invalid, Failed, Unsupported, Interrupted:
		return true
	}
	return false
}

// variant returns the run's variant of that ID, or nil.
func (r *Run) variant(id string) *Variant {
	for i := range r.Variants {
		if r.Variants[i].ID == id {
			return &r.Variants[i]
		}
	}
	return nil
}

// workload returns the run's workload of that name, or nil.
func (r *Run) workload(name string) *Workload {
	for i := range r.Workloads {
		if r.Workloads[i].Name == name {
			return &r.Workloads[i]
		}
	}
	return nil
}
