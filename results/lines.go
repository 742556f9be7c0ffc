package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/iosweep/iosweep/results/hist"
)

// trialLines is what trials.jsonl was found to hold.
type trialLines struct {
	trials   []Trial
	problems []string
	// whole is where the last whole line ends: what lies behind it is the torn
	// rest of a line whose append never succeeded.
	whole int64
	// where is the place in trials of those that were taken.
	where map[place]int
}

// readTrials reads trials line by line. A bad line costs that line and is told
// as a problem; only a failing reader is an error.
func readTrials(r io.Reader, run *Run) (trialLines, error) {
	found := trialLines{where: map[place]int{}}
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; {
		lines, err := readBatch(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return found, fmt.Errorf("read %s: %w", TrialsFile, err)
		}
		parseAll(lines, run)
		for i := range lines {
			found.take(n, &lines[i])
			n++
		}
		if err != nil {
			return found, nil
		}
	}
}

// place identifies a trial in a run.
type place struct{ index, attempt int }

// aLine is one line of trials.jsonl and what came of it.
type aLine struct {
	text []byte
	// length counts the newline, unless the line is torn.
	length int64
	torn   bool
	trial  *Trial
	err    error
}

// readBatch returns some lines, with io.EOF the last. It is bounded so that a
// long file is never in memory as text and as trials at once.
func readBatch(in *bufio.Reader) (lines []aLine, err error) {
	const most, mostBytes = 256, MaxLineBytes
	for size := int64(0); len(lines) < most && size < mostBytes; {
		text, length, err := readLine(in)
		if length > 0 {
			lines = append(lines, aLine{text: text, length: length, torn: err != nil})
		}
		if err != nil {
			return lines, err
		}
		size += length
	}
	return lines, nil
}

// parseAll parses lines on all processors: decoding is nearly all the time that
// opening a run takes.
func parseAll(lines []aLine, run *Run) {
	var workers sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range step {
		workers.Go(func() {
			for i := first; i < len(lines); i += step {
				lines[i].trial, lines[i].err = lines[i].parse(run)
			}
		})
	}
	workers.Wait()
}

func (l *aLine) parse(run *Run) (*Trial, error) {
	switch {
	case l.torn:
		return nil, errors.New("the last line is incomplete, as an interrupted write leaves it")
	case l.length-1 > MaxLineBytes:
		return nil, fmt.Errorf("longer than %d bytes", MaxLineBytes)
	}
	return parseTrial(l.text, run)
}

// take adds the trial of line n. Of two with the same index and attempt the
// last valid one counts.
func (f *trialLines) take(n int, l *aLine) {
	if !l.torn {
		f.whole += l.length
	}
	if l.err != nil {
		f.problem(n, fmt.Sprintf("%v: left out", l.err))
		return
	}
	at := place{l.trial.Index, l.trial.Attempt}
	i, twice := f.where[at]
	if !twice {
		f.where[at] = len(f.trials)
		f.trials = append(f.trials, *l.trial)
		return
	}
	f.problem(n, fmt.Sprintf("trial %d attempt %d is stored twice: the last valid one counts", at.index, at.attempt))
	if l.trial.Status == Valid || f.trials[i].Status != Valid {
		f.trials[i] = *l.trial
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
	rest, cuts := hist.Cut(line) // nine tenths of a line, of which reflection knows nothing
	if err := json.Unmarshal(rest, &trial); err != nil {
		return nil, fmt.Errorf("not a trial: %w", err)
	}
	trial.restore(cuts)
	if err := checkSchema(trial.Schema); err != nil {
		return nil, err
	}
	if err := trial.check(run); err != nil {
		return nil, fmt.Errorf("not a trial of this run: %w", err)
	}
	return &trial, nil
}

// restore puts the histograms that were cut out of its line into a trial.
func (t *Trial) restore(cuts hist.Cuts) {
	for i := range t.Jobs {
		j := &t.Jobs[i]
		j.Lateness = cuts.Restore(j.Lateness)
		for k := range j.Kinds {
			j.Kinds[k].Service = cuts.Restore(j.Kinds[k].Service)
			j.Kinds[k].Response = cuts.Restore(j.Kinds[k].Response)
		}
	}
	if t.Layer != nil {
		t.Layer.DeleteService = cuts.Restore(t.Layer.DeleteService)
	}
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
