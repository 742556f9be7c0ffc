package results

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results/hist"
)

// aRun is a small run of two variants and one workload.
func aRun() *Run {
	return &Run{
		ID: "quick-20260102T030405Z-abcdef", Tool: "test", Profile: "quick", Seed: 7, Engine: "uring",
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Device:  Device{Name: "loop8", ID: "/tmp/backing", Kind: "loop", SizeBytes: 1 << 30, LogicalBlockBytes: 512},
		Tunables: []Tunable{
			{Name: "max_sectors_kb", Unit: "KiB", Values: []string{"64", "1280"}},
		},
		Variants: []Variant{
			{ID: "a", Label: "64", Settings: []Setting{{Tunable: "max_sectors_kb", Value: "64", Via: "kernel"}}},
			{ID: "b", Label: "1280", Settings: []Setting{{Tunable: "max_sectors_kb", Value: "1280", Via: "kernel"}}},
		},
		Workloads: []Workload{{Name: "mix", Varies: []string{"max_sectors_kb"}, Jobs: []Job{{Name: "scrub"}, {Name: "reader"}}}},
		Repeats:   3, Planned: 6,
	}
}

// latencies records n times of ms milliseconds.
func latencies(ms float64, n int) *hist.Hist {
	h := hist.New()
	for range n {
		h.Record(int64(ms * 1e6))
	}
	return h
}

// aTrial is a valid trial of two seconds: a scrub beside a reader.
func aTrial(index int, variant string) *Trial {
	return &Trial{
		Index: index, Block: index / 2, Variant: variant, Workload: "mix", Status: Valid,
		Started: time.Date(2026, 1, 2, 3, 4, 5+index, 0, time.UTC), WindowSeconds: 2, Seed: 1,
		Settings: []Applied{{Setting: Setting{Tunable: "max_sectors_kb", Value: "64", Via: "kernel"}, Observed: "64"}},
		Jobs: []JobResult{
			{Name: "scrub", Depth: 8, AchievedDepth: Some(7.9), Kinds: []KindResult{{Kind: "read", Ops: 2000, Bytes: 2000 << 17,
				OpsPerSecond: Some(1000), BytesPerSecond: Some(1000 << 17), Service: latencies(5, 2000)}}},
			{Name: "reader", Depth: 1, AchievedDepth: Some(1), Kinds: []KindResult{{Kind: "read", Ops: 200, Bytes: 200 << 12,
				OpsPerSecond: Some(100), BytesPerSecond: Some(100 << 12), Service: latencies(10, 200), Response: latencies(20, 200)}}},
		},
	}
}

// store makes a complete run folder with the trials.
func store(t *testing.T, trials ...*Trial) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, aRun())
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		if err := w.Append(trial); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens one folder.
func open(t *testing.T, dir string) *RunData {
	t.Helper()
	set, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return set.Runs[0]
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatIsStoredIsReadBack(t *testing.T) {
	want := []Trial{*aTrial(0, "a"), *aTrial(1, "b")}
	dir := store(t, &want[0], &want[1])
	got := open(t, dir)
	if !got.Complete || len(got.Problems) > 0 {
		t.Errorf("complete %v, problems %q: want a complete run without any", got.Complete, got.Problems)
	}
	run := aRun()
	run.Schema = SchemaVersion
	if !reflect.DeepEqual(got.Run, run) {
		t.Errorf("run\n%+v\nwant\n%+v", got.Run, run)
	}
	for i := range got.Trials {
		sameLatencies(t, &got.Trials[i], &want[i])
	}
	if len(got.Trials) != 2 || !reflect.DeepEqual(got.Trials, want) {
		t.Errorf("trials\n%+v\nwant\n%+v", got.Trials, want)
	}
}

// sameLatencies compares the histograms of the trials' jobs and leaves both with
// the same ones: one that was read holds what it counted in another form.
func sameLatencies(t *testing.T, got, want *Trial) {
	t.Helper()
	for j := range got.Jobs {
		for k := range got.Jobs[j].Kinds {
			a, b := &got.Jobs[j].Kinds[k], &want.Jobs[j].Kinds[k]
			if !a.Service.Equal(b.Service) || !a.Response.Equal(b.Response) || (a.Response == nil) != (b.Response == nil) {
				t.Errorf("trial %d, %s: other latencies are read back", got.Index, a.Kind)
			}
			a.Service, a.Response = b.Service, b.Response
		}
	}
}
