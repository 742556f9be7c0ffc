package results

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func line(t *testing.T, trial *Trial) string {
	t.Helper()
	trial.Schema = SchemaVersion
	text, err := json.Marshal(trial)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// Each bad line costs itself, is told by file and line, and nothing else.
func TestBadLines(t *testing.T) {
	newer := strings.Replace(line(t, small(1)), `"schema":1`, `"schema":2`, 1)
	negative := small(1)
	negative.Jobs = []JobResult{{Name: "scrub", Kinds: []KindResult{{Kind: "read", Ops: -1}}}}
	tests := map[string]struct{ bad, want string }{
		"not JSON":        {"{\"index\":1,\n", "trials.jsonl:2: not a trial"},
		"zeros":           {strings.Repeat("\x00", 4096) + "\n", "trials.jsonl:2: not a trial"},
		"empty":           {"\n", "trials.jsonl:2: not a trial"},
		"null":            {"null\n", "trials.jsonl:2: no schema version"},
		"two on a line":   {"{}{}\n", "trials.jsonl:2: not a trial"},
		"wrong type":      {`{"schema":1,"index":"x"}` + "\n", "trials.jsonl:2: not a trial"},
		"overflow":        {`{"schema":1,"window_s":1e999}` + "\n", "trials.jsonl:2: not a trial"},
		"newer":           {newer, "trials.jsonl:2: schema version 2, but this iosweep reads up to 1: use a newer iosweep"},
		"strange variant": {strings.Replace(line(t, small(1)), `"a"`, `"z"`, 1), `trials.jsonl:2: not a trial of this run: variant "z" is not in run.json`},
		"strange work":    {strings.Replace(line(t, small(1)), `"mix"`, `"z"`, 1), `workload "z" is not in run.json`},
		"status":          {strings.Replace(line(t, small(1)), `"valid"`, `"fine"`, 1), `unknown status "fine"`},
		"negative index":  {line(t, small(-1)), "negative"},
		"negative count":  {line(t, negative), `job "scrub": read: -1 operations`},
		"too long":        {strings.Repeat("x", MaxLineBytes+1) + "\n", "trials.jsonl:2: longer than 16777216 bytes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := store(t)
			write(t, dir, TrialsFile, line(t, small(0))+test.bad+line(t, small(2)))
			got := open(t, dir)
			if len(got.Trials) != 2 || got.Trials[0].Index != 0 || got.Trials[1].Index != 2 {
				t.Errorf("trials %+v, want 0 and 2", got.Trials)
			}
			if !mentions(got.Problems[:1], test.want) || !mentions(got.Problems[:1], "left out") {
				t.Errorf("problems %q, want %q", got.Problems, test.want)
			}
			if got.Complete {
				t.Error("complete, though it does not match its sums")
			}
		})
	}
}

// The longest line that Append may write is read back.
func TestLongestLine(t *testing.T) {
	trial := small(0)
	trial.Findings = []Finding{{Code: "x", Text: ""}}
	room := MaxLineBytes - len(line(t, trial)) + 1
	trial.Findings[0].Text = strings.Repeat("x", room)
	got := open(t, store(t, trial, small(1)))
	if len(got.Trials) != 2 || len(got.Problems) != 0 || !got.Complete {
		t.Errorf("%d trials, problems %q", len(got.Trials), got.Problems)
	}
}

func TestDuplicates(t *testing.T) {
	with := func(status Status, window float64) *Trial {
		trial := small(0)
		trial.Status, trial.WindowSeconds = status, window
		return trial
	}
	tests := map[string]struct {
		trials []*Trial
		want   float64
	}{
		"last":             {[]*Trial{with(Valid, 1), with(Valid, 2)}, 2},
		"last valid":       {[]*Trial{with(Valid, 1), with(Interrupted, 2)}, 1},
		"valid after none": {[]*Trial{with(Failed, 1), with(Valid, 2), with(Failed, 3)}, 2},
		"none valid":       {[]*Trial{with(Failed, 1), with(Invalid, 2)}, 2},
	}
	for name, test := range tests {
		got := open(t, store(t, test.trials...))
		if len(got.Trials) != 1 || got.Trials[0].WindowSeconds != test.want {
			t.Errorf("%s: %+v, want the one of %v s", name, got.Trials, test.want)
		}
		if want := "trials.jsonl:2: trial 0 attempt 0 is stored twice"; !mentions(got.Problems, want) {
			t.Errorf("%s: problems %q, want %q", name, got.Problems, want)
		}
	}
}

func TestCountedTakesTheLastValidAttempt(t *testing.T) {
	attempt := func(index, attempt int, status Status) *Trial {
		trial := small(index)
		trial.Attempt, trial.Status = attempt, status
		return trial
	}
	got := open(t, store(t, attempt(0, 0, Invalid), attempt(1, 0, Valid), attempt(0, 1, Valid), attempt(2, 0, Failed), attempt(1, 1, Valid), attempt(1, 2, Invalid)))
	var counted [][2]int
	for _, c := range got.Counted() {
		counted = append(counted, [2]int{c.Index, c.Attempt})
	}
	if want := [][2]int{{0, 1}, {1, 1}}; !slices.Equal(counted, want) {
		t.Errorf("counted %v, want %v", counted, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	good := read(t, store(t), RunFile)
	tests := map[string]struct {
		run, want string
		is        error
	}{
		"newer":         {strings.Replace(good, `"schema": 1`, `"schema": 2, "id": {"shape": "unknown"}`, 1), "schema version 2, but this iosweep reads up to 1: use a newer iosweep", ErrNewer},
		"no version":    {strings.Replace(good, `"schema": 1,`, "", 1), "no schema version", ErrCorrupt},
		"cut off":       {good[:len(good)/2], "run.json:", ErrCorrupt},
		"wrong type":    {strings.Replace(good, `"repeats": 3`, `"repeats": "three"`, 1), "run.json:", ErrCorrupt},
		"empty":         {"", "run.json:1", ErrCorrupt},
		"too long":      {good + strings.Repeat(" ", MaxRunBytes), "longer than 16777216 bytes", ErrCorrupt},
		"two variants":  {strings.Replace(good, `"id": "b"`, `"id": "a"`, 1), `variant id "a" is empty or used twice`, ErrCorrupt},
		"no id":         {strings.Replace(good, aRun().ID, "", 1), "the run has no id", ErrCorrupt},
		"two workloads": {strings.Replace(good, `"workloads": [`, `"workloads": [{"name": "mix"},`, 1), `workload name "mix"`, ErrCorrupt},
	}
	for name, test := range tests {
		dir := t.TempDir()
		write(t, dir, RunFile, test.run)
		_, err := Open(dir)
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v\nwant %q in it", name, err, test.want)
		}
		if _, _, _, err := Resume(dir); !errors.Is(err, test.is) {
			t.Errorf("%s: resume: %v, want the same", name, err)
		}
	}
}

func TestOpenRefusesOneRunTwice(t *testing.T) {
	dir := store(t, small(0))
	if _, err := Open(dir, dir+"/."); err == nil || !strings.Contains(err.Error(), "name each run once") {
		t.Errorf("open twice: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no run.json") {
		t.Errorf("open of an empty folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("open of nothing: %v", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	full := t.TempDir()
	write(t, full, "thesis.tex", "")
	for name, run := range map[string]*Run{"thesis.tex": aRun(), "no id": {}} {
		dir := full
		if name == "no id" {
			dir = filepath.Join(t.TempDir(), "new")
		}
		if _, err := Create(dir, run); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("create: %v, want %q in it", err, name)
		}
		if _, err := os.Stat(filepath.Join(dir, RunFile)); err == nil {
			t.Errorf("%s: refused, but wrote %s", name, RunFile)
		}
	}
}

func TestSums(t *testing.T) {
	dir := store(t, small(0))
	checkWithTool(t, dir)
	sums := read(t, dir, SumsFile)
	lines := strings.SplitAfter(sums, "\n")
	tests := map[string]struct{ file, text, want string }{
		"changed":   {TrialsFile, line(t, small(1)), "trials.jsonl: does not match SHA256SUMS"},
		"unlisted":  {SumsFile, lines[0], "SHA256SUMS: does not list trials.jsonl"},
		"no sum":    {SumsFile, "zz  run.json\n" + lines[1], "SHA256SUMS:1: not a line of sha256sum"},
		"elsewhere": {SumsFile, strings.ReplaceAll(sums, "run.json", "../../etc/passwd"), "does not list run.json"},
		"endless":   {SumsFile, strings.Repeat("x", maxSumsBytes+1), "longer than"},
	}
	for name, test := range tests {
		before := read(t, dir, test.file)
		write(t, dir, test.file, test.text)
		if got := open(t, dir); got.Complete || !mentions(got.Problems, test.want) {
			t.Errorf("%s: complete %v, problems %q, want %q", name, got.Complete, got.Problems, test.want)
		}
		write(t, dir, test.file, before)
	}
	if got := open(t, dir); !got.Complete {
		t.Errorf("with everything put back: problems %q", got.Problems)
	}
}

func checkWithTool(t *testing.T, dir string) {
	tool, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Log("sha256sum is not installed: the sums are only checked by Open")
		return
	}
	check := exec.Command(tool, "-c", "--strict", SumsFile)
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("sha256sum -c: %v\n%s", err, out)
	}
}

// Links must lead neither reading nor writing out of the folder.
func TestLinksAreRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("precious\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := func(dir, name string) {
		os.Remove(filepath.Join(dir, name))
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	dir := store(t, small(0))
	os.Remove(filepath.Join(dir, SumsFile))
	link(dir, SumsFile+".tmp")
	w, _, _, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("close over a link: %v", err)
	}
	link(dir, TrialsFile)
	if _, err := Open(dir); err == nil {
		t.Error("open followed a link out of the folder")
	}
	os.Remove(filepath.Join(dir, SumsFile))
	if _, _, _, err := Resume(dir); err == nil {
		t.Error("resume followed a link out of the folder")
	}
	if text, _ := os.ReadFile(outside); string(text) != "precious\n" {
		t.Errorf("the file outside now has %q", text)
	}
}
