package results

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Every schema version has a stored run, made by the iosweep of its time, that
// opens for ever and means what it meant. Never make one anew: a file here that
// no longer opens is the defect that this test is for.
func TestStoredRunsOpenForEver(t *testing.T) {
	for version := 1; version <= SchemaVersion; version++ {
		dir := filepath.Join("testdata", fmt.Sprintf("v%d", version))
		got := open(t, dir)
		if !got.Complete || len(got.Problems) > 0 || got.Run.Schema != version {
			t.Errorf("%s: complete %v, schema %d, problems %q", dir, got.Complete, got.Run.Schema, got.Problems)
		}
		golden(t, dir+".golden", describe(t, got))
	}
}

// describe prints the run and each metric of each trial.
func describe(t *testing.T, data *RunData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s of %s on %s, %d variants, %d objectives\n", data.Run.ID, data.Run.Profile, data.Run.Device.ID, len(data.Run.Variants), len(data.Run.Objectives))
	fmt.Fprintf(&b, "counted: %d of %d trials\n", len(data.Counted()), len(data.Trials))
	for i := range data.Trials {
		trial := &data.Trials[i]
		fmt.Fprintf(&b, "\ntrial %d.%d block %d variant %s at %s: %s\n", trial.Index, trial.Attempt, trial.Block, trial.Variant, trial.Load, trial.Status)
		for _, name := range append(Quantities(), "scrub.throughput", "reader.read.p99", "reader.service.mean") {
			v, note, err := Metric(trial, name)
			if err != nil {
				t.Fatal(err)
			}
			figure := "-"
			if v.Valid {
				figure = fmt.Sprintf("%.6g", v.V)
			}
			fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%-19s %-11s %s", name, figure, note)))
		}
	}
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}
