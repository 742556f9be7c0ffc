package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

const published = "../../results/published"

// publishedRuns lists what runs.txt says: folders, and how they are made.
func publishedRuns(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(published, "runs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			runs[words[0]] = words[1:]
		}
	}
	if len(runs) < 10 {
		t.Fatalf("%d runs in runs.txt", len(runs))
	}
	return runs
}

// TestPublishedRunsAgain makes every simulated run that is published again, and
// compares it byte for byte.
func TestPublishedRunsAgain(t *testing.T) {
	for folder, args := range publishedRuns(t) {
		if !strings.Contains(strings.Join(args, " "), simulated) {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			var errors bytes.Buffer
			args := append([]string{"run", "--no-report", "--out", dir}, args...)
			if code := execute(args, &bytes.Buffer{}, &errors); code != exitOK {
				t.Fatalf("exit code %d:\n%s", code, errors.String())
			}
			for _, name := range []string{"run.json", "trials.jsonl", "SHA256SUMS"} {
				sameFile(t, filepath.Join(published, folder, name), filepath.Join(dir, name))
			}
		})
	}
}

func sameFile(t *testing.T, want, got string) {
	t.Helper()
	a, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s is not what comes out now: look why, and if it is right 'make publish'", want)
	}
}

// TestPublishedReports: each published run has its report, whole.
func TestPublishedReports(t *testing.T) {
	for folder := range publishedRuns(t) {
		set := openPublished(t, folder)
		if run := set.Runs[0]; !run.Complete || len(run.Problems) > 0 {
			t.Errorf("%s: complete %v, problems %v", folder, run.Complete, run.Problems)
		}
		for _, name := range []string{"report.md", "report.html", "trials.csv"} {
			if _, err := os.Stat(filepath.Join(published, folder, "report", name)); err != nil {
				t.Error(err)
			}
		}
		if plots, _ := filepath.Glob(filepath.Join(published, folder, "report/plots/*.svg")); len(plots) == 0 {
			t.Errorf("%s has no pictures", folder)
		}
	}
}

func openPublished(t *testing.T, folder string) *results.Set {
	t.Helper()
	set, err := results.Open(filepath.Join(published, folder))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// cellOf lists the trials of one workload and value of a published run.
func cellOf(t *testing.T, folder, workload, value string) []results.Trial {
	t.Helper()
	var out []results.Trial
	for _, trial := range openPublished(t, folder).Runs[0].Trials {
		if trial.Workload == workload && trial.Settings[0].Value == value {
			out = append(out, trial)
		}
	}
	if len(out) < 6 {
		t.Fatalf("%s, %s, %s: %d trials", folder, workload, value, len(out))
	}
	return out
}

// meanOf is a metric's mean over trials, in base units.
func meanOf(t *testing.T, trials []results.Trial, metric string) float64 {
	t.Helper()
	sum := 0.0
	for i := range trials {
		v, note, err := results.Metric(&trials[i], metric)
		if err != nil || !v.Valid {
			t.Fatalf("%s: %s %v", metric, note, err)
		}
		sum += v.V
	}
	return sum / float64(len(trials))
}

func nearly(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s is %.5g, want %.5g within %g %%", what, got, want, 100*tolerance)
	}
}

// TestPublishedDeletes holds the four published figures, and what the fit
// predicts between and beyond them, to 1 %; and that a chunk takes a + B/r.
func TestPublishedDeletes(t *testing.T) {
	for _, c := range []struct {
		model, sectors string
		gb, ms         float64
	}{
		{"intel-520", "8192", 0.349, 12.0}, {"intel-520", "32768", 1.058, 15.9}, {"intel-520", "65536", 1.6, 21.0},
		{"intel-520", "131072", 2.152, 31.2}, {"intel-520", "262144", 2.6, 51.6}, {"intel-520", "524288", 2.902, 92.5},
		{"intel-520", "1048576", 3.081, 174}, {"intel-520", "0", 3.255, 0},
		{"samsung-840", "65536", 20.3, 0}, {"samsung-840", "131072", 40.2, 0}, {"samsung-840", "262144", 79, 0},
		{"samsung-840", "524288", 153, 0}, {"samsung-840", "1048576", 286, 0}, {"samsung-840", "0", 2259, 0},
	} {
		trials := cellOf(t, "delete-chunk/sim-"+c.model, "range", c.sectors)
		nearly(t, c.model+" "+c.sectors+" GB/s", meanOf(t, trials, "delete.throughput")/1e9, c.gb, 0.01)
		if c.ms > 0 {
			nearly(t, c.model+" "+c.sectors+" ms a chunk", meanOf(t, trials, "delete.request.mean")*1e3, c.ms, 0.01)
		}
	}
}

// TestPublishedInterference: a read beside deletes waits for at most the chunk
// before it, where a delete holds all channels.
func TestPublishedInterference(t *testing.T) {
	for _, value := range []string{"8192", "262144", "1048576"} {
		trials := cellOf(t, "delete-chunk/sim-intel-520", "beside-reads", value)
		chunk, most := meanOf(t, trials, "delete.request.max"), meanOf(t, trials, "reader.max")
		if most < 0.9*chunk || most > 1.1*chunk+0.001 {
			t.Errorf("%s: the longest read took %.4g s and a chunk %.4g s", value, most, chunk)
		}
	}
}

// reads pools the reader's latencies over trials.
func reads(trials []results.Trial) (mean, most float64, n int64) {
	var all hist.Hist
	for _, trial := range trials {
		for _, k := range trial.Jobs[1].Kinds {
			all.Merge(k.Service)
		}
	}
	mean, _ = all.MeanSeconds()
	return mean * 1e3, all.Max().Seconds() * 1e3, all.Count()
}

// TestPublishedSparse holds the rows of a sparse reader. Each reference is one
// run of about 400 reads, whose mean has a standard error of about a twentieth
// of the spread (N requests, uniform); three of these are allowed.
func TestPublishedSparse(t *testing.T) {
	for _, c := range []struct {
		batch          string
		n, mean, most  float64
		scrub, scrubTo float64
	}{
		{"16", 16, 27, 42, 180, 182}, {"32", 32, 33, 52, 180, 182}, {"64", 64, 43, 72, 180, 182}, {"128", 128, 66, 117, 180, 182},
		{"256", 256, 112, 204, 180, 183}, {"512", 512, 204, 386, 180, 183}, {"1024", 1024, 433, 739, 180, 183},
	} {
		trials := cellOf(t, "bioq-batch/sim-hdd-7200", "sparse", c.batch)
		mean, most, _ := reads(trials)
		const request, access, spread = 0.705, 13.1, 4.5 // ms
		allowed := 3 * math.Hypot(c.n*request/math.Sqrt(12), spread) / 20
		if math.Abs(mean-c.mean) > allowed {
			t.Errorf("N=%s: mean %.4g ms, want %g within %.2g", c.batch, mean, c.mean, allowed)
		}
		nearly(t, "N="+c.batch+" longest read in ms", most, c.most, 0.1)
		if bound := (16+c.n+1)*request + 29; most > bound {
			t.Errorf("N=%s: longest read %.4g ms, above its closed form %.4g", c.batch, most, bound)
		}
		scrub := meanOf(t, trials, "stream.throughput") / 1e6
		if scrub < c.scrub || scrub > c.scrubTo {
			t.Errorf("N=%s: scrub %.4g MB/s", c.batch, scrub)
		}
		nearly(t, "N="+c.batch+" mean over its closed form", mean, (12.5+c.n/2+0.5)*request+access, 0.18)
	}
}

// TestPublishedShapes holds starvation, the bursts and the closed loop.
func TestPublishedShapes(t *testing.T) {
	starved := cellOf(t, "bioq-batch/sim-hdd-7200", "sparse", "0")
	if _, _, n := reads(starved); n != 0 {
		t.Errorf("without a limit and a pause %d reads were served", n)
	}
	nearly(t, "scrub MB/s that never pauses", meanOf(t, starved, "stream.throughput")/1e6, 185.8, 0.001)
	mean, most, _ := reads(cellOf(t, "bioq-batch/sim-hdd-7200-shapes", "bursts", "0"))
	if mean < 2313 || mean > 2914 || most < 3983 || most > 4060 {
		t.Errorf("between bursts reads take %.4g ms in the mean and %.4g at most", mean, most)
	}
	bursts := cellOf(t, "bioq-batch/sim-hdd-7200-shapes", "bursts", "128")
	mean, most, _ = reads(bursts)
	scrub := meanOf(t, bursts, "stream.throughput") / 1e6
	if mean < 63 || mean > 65.5 || most < 113 || most > 130 || scrub < 166 || scrub > 169.5 {
		t.Errorf("with bursts and N=128: %.4g ms, %.4g at most, scrub %.4g MB/s", mean, most, scrub)
	}
	for _, c := range []struct {
		batch                string
		n, mean, most, scrub float64
	}{{"128", 128, 117, 132, 145}, {"64", 64, 71, 87, 119}} {
		trials := cellOf(t, "bioq-batch/sim-hdd-7200", "closed", c.batch)
		mean, most, _ := reads(trials)
		nearly(t, "closed mean ms", mean, c.mean, 0.02)
		nearly(t, "closed longest ms", most, c.most, 0.05)
		scrub := meanOf(t, trials, "stream.throughput") / 1e6
		nearly(t, "closed scrub MB/s", scrub, c.scrub, 0.02)
		nearly(t, "N*size/L in MB/s", c.n*131.072/mean, scrub, 0.02)
		nearly(t, "Little's law: one read outstanding", meanOf(t, trials, "reader.ops")*mean/1e3, 1, 0.01)
	}
	for _, batch := range []string{"0", "128", "1024"} {
		nearly(t, "SAS scrub MB/s", meanOf(t, cellOf(t, "bioq-batch/sim-hdd-sas", "closed", batch), "stream.throughput")/1e6, 120, 0.01)
	}
}

// TestPublishedSegments: the models give the fitted rows to 1 %, predict at most
// 2.0 times between 0x11 and 0x21, and so stay below what was published.
func TestPublishedSegments(t *testing.T) {
	for _, c := range []struct {
		folder       string
		small, whole float64
	}{{"segments/sim-zvol-1", 1152.4, 3107.4}, {"segments/sim-zvol-2", 2162.3, 6148.6}, {"segments/sim-zvol-3", 2996.9, 7930.1}} {
		whole := meanOf(t, cellOf(t, c.folder, "writes-128k", "33"), "write.ops")
		small := meanOf(t, cellOf(t, c.folder, "writes-128k", "17"), "write.ops")
		nearly(t, c.folder+" at 0x21", whole, c.whole, 0.01)
		if ratio := whole / small; ratio > 2.005 || ratio >= c.whole/c.small {
			t.Errorf("%s: the model's ratio %.3f, published %.3f", c.folder, ratio, c.whole/c.small)
		}
	}
}

// TestPublishedLinks: the studies point at files that are there.
func TestPublishedLinks(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(published, "*", "*.md"))
	if err != nil || len(pages) < 6 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range append(pages, filepath.Join(published, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "](")[1:] {
			target, _, _ := strings.Cut(part, ")")
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), target)); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}
