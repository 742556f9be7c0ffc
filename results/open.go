package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Set is the runs that a report or a comparison is about.
type Set struct {
	Runs []*RunData
}

// RunData is one run folder as it was found.
type RunData struct {
	Run *Run
	// Trials are in the order in which they were stored, one for each index and
	// attempt.
	Trials []Trial
	Dir    string
	// Complete says that the folder has its SHA256SUMS and matches it.
	Complete bool
	// Sum is the SHA-256 of trials.jsonl in hex, empty unless Complete.
	Sum string
	// Problems tells what is wrong with the folder, as file:line: text. What
	// they are about is not in Trials.
	Problems []string
}

// Open reads run folders. What is wrong with a line or a sum is told in
// Problems; a folder without a readable run.json, of a newer schema version
// (ErrNewer), or named twice is an error.
func Open(dirs ...string) (*Set, error) {
	set := &Set{}
	seen := map[string]string{}
	for _, dir := range dirs {
		data, err := openRun(dir)
		if err != nil {
			return nil, fmt.Errorf("open run %s: %w", dir, err)
		}
		if other, twice := seen[data.Run.ID]; twice {
			return nil, fmt.Errorf("open run %s: it is run %s, as is %s: name each run once", dir, data.Run.ID, other)
		}
		seen[data.Run.ID] = dir
		set.Runs = append(set.Runs, data)
	}
	return set, nil
}

func openRun(dir string) (*RunData, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	run, err := readRun(root)
	if err != nil {
		return nil, err
	}
	found, err := loadTrials(root, run)
	if err != nil {
		return nil, err
	}
	complete, problems := verify(root)
	return &RunData{Run: run, Trials: found.trials, Dir: dir, Complete: complete, Sum: listedSum(root, complete),
		Problems: append(found.problems, problems...)}, nil
}

// readRun reads and checks run.json.
func readRun(root *os.Root) (*Run, error) {
	text, err := readBounded(root, RunFile, MaxRunBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("it has no %s, so it is not a run's folder: %w", RunFile, err)
	}
	if err != nil {
		return nil, err
	}
	return parseRun(text)
}

func parseRun(text []byte) (*Run, error) {
	// The version comes first, alone: a newer run.json may not fit Run at all.
	var version struct{ Schema int }
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("%s:%d: %w: %w", RunFile, lineOf(text, err), ErrCorrupt, err)
	}
	if err := checkSchema(version.Schema); err != nil {
		return nil, fmt.Errorf("%s: %w", RunFile, err)
	}
	var run Run
	if err := json.Unmarshal(text, &run); err != nil {
		return nil, fmt.Errorf("%s:%d: %w: %w", RunFile, lineOf(text, err), ErrCorrupt, err)
	}
	if err := run.check(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", RunFile, ErrCorrupt, err)
	}
	return &run, nil
}

// lineOf is the line, from 1, at which decoding text failed.
func lineOf(text []byte, err error) int {
	offset := int64(0)
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mistyped):
		offset = mistyped.Offset
	}
	return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
}

// check finds what makes a run's trials ambiguous.
func (r *Run) check() error {
	if r.ID == "" {
		return errors.New("the run has no id")
	}
	variants := map[string]bool{}
	for _, v := range r.Variants {
		if v.ID == "" || variants[v.ID] {
			return fmt.Errorf("variant id %q is empty or used twice", v.ID)
		}
		variants[v.ID] = true
	}
	workloads := map[string]bool{}
	for _, w := range r.Workloads {
		if w.Name == "" || workloads[w.Name] {
			return fmt.Errorf("workload name %q is empty or used twice", w.Name)
		}
		workloads[w.Name] = true
	}
	return nil
}

// loadTrials reads trials.jsonl. A run may have been interrupted before the
// file was made.
func loadTrials(root *os.Root, run *Run) (trialLines, error) {
	file, err := openRegular(root, TrialsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return trialLines{problems: []string{TrialsFile + ": missing: no trial was stored"}}, nil
	}
	if err != nil {
		return trialLines{}, err
	}
	defer file.Close()
	return readTrials(file, run)
}

// Counted are the trials that enter statistics: of each place in the plan the
// last attempt that is valid.
func (d *RunData) Counted() []*Trial {
	last := map[int]*Trial{}
	for i := range d.Trials {
		t := &d.Trials[i]
		if t.Status != Valid {
			continue
		}
		if other, ok := last[t.Index]; !ok || t.Attempt > other.Attempt {
			last[t.Index] = t
		}
	}
	var counted []*Trial
	for i := range d.Trials {
		if t := &d.Trials[i]; last[t.Index] == t {
			counted = append(counted, t)
		}
	}
	return counted
}
