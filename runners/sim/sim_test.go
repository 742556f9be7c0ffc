package sim

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/stack"
	"github.com/iosweep/iosweep/workloads"
)

// measure drives specs on a model behind layers and returns what each job did.
func measure(t testing.TB, model string, layers stack.Config, l runners.Limits, seed uint64, specs ...workloads.Spec) []results.JobResult {
	t.Helper()
	m, err := Load(model)
	if err != nil {
		t.Fatal(err)
	}
	e := Engine{m}
	target := e.Target()
	g := workloads.Geometry{SizeBytes: target.SizeBytes, BlockBytes: target.BlockBytes}
	var sources []runners.Source
	var infos []runners.JobInfo
	o := runners.Options{}
	for i, s := range specs {
		stream, err := workloads.NewStream(s, g, workloads.JobSeed(seed, i, 0))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, runners.Source{Stream: stream, Depth: s.Depth})
		infos = append(infos, runners.JobInfo{Name: s.Name, Depth: s.Depth, Rate: s.Rate, Interval: time.Second})
		o.Depth += s.Depth
		o.MaxLen = max(o.MaxLen, s.MaxLen(g))
	}
	q, err := stack.Wrap(e, layers).Open(context.Background(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	r := runners.NewRecorder(infos)
	if err := runners.Drive(context.Background(), q, sources, l, r); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	return r.Results()
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s is %.6g, want %.6g within %g %%", what, got, want, 100*tolerance)
	}
}

func only(t *testing.T, j results.JobResult, kind string) results.KindResult {
	t.Helper()
	for _, k := range j.Kinds {
		if k.Kind == kind {
			return k
		}
	}
	t.Fatalf("job %s did no %s", j.Name, kind)
	return results.KindResult{}
}

// TestStream holds the model's closed form for sequential reads: 50 us and
// 131072 bytes at 200 MB/s, 185.8 MB/s.
func TestStream(t *testing.T) {
	spec := workloads.Spec{Name: "scrub", Sizes: []workloads.SizeShare{{Bytes: 128 << 10, Share: 1}}, Depth: 8}
	j := measure(t, "hdd-7200", stack.Config{}, runners.Limits{Warmup: time.Second, Duration: 10 * time.Second}, 1, spec)
	reads := only(t, j[0], "read")
	near(t, "MB/s", reads.BytesPerSecond.V/1e6, 185.8, 0.001)
	mean, _ := reads.Service.MeanSeconds()
	near(t, "Little's law", reads.OpsPerSecond.V*mean, 8, 0.01)
}

// TestAccess holds the mean of a random access: seek, half a turn, transfer.
func TestAccess(t *testing.T) {
	spec := workloads.Spec{Name: "reads", Access: workloads.Access{Random: 1}, Depth: 1}
	j := measure(t, "hdd-7200", stack.Config{}, runners.Limits{Duration: 300 * time.Second}, 1, spec)
	mean, _ := only(t, j[0], "read").Service.MeanSeconds()
	// The mean of sqrt|x-y| for x, y uniform on [0,1] is 8/15.
	want := 0.0006 + 0.0164*8/15 + 60/7200.0/2 + 0.00005 + 4096/200e6
	near(t, "mean access", mean, want, 0.01)
}

// TestDeletes holds the fit of the published delete figures: a + B/r for each
// chunk, one after another.
func TestDeletes(t *testing.T) {
	for _, c := range []struct {
		model   string
		sectors int64
		gb      float64
	}{
		{"intel-520", 8192, 0.349}, {"intel-520", 32768, 1.058}, {"intel-520", 65536, 1.600}, {"intel-520", 131072, 2.152},
		{"intel-520", 262144, 2.600}, {"intel-520", 524288, 2.902}, {"intel-520", 1048576, 3.081},
		{"samsung-840", 65536, 20.3}, {"samsung-840", 131072, 40.2}, {"samsung-840", 262144, 79}, {"samsung-840", 524288, 153},
		{"samsung-840", 1048576, 286}, {"samsung-840", 4194304, 834}, {"samsung-840", 0, 2259},
	} {
		spec := workloads.Spec{Name: "deletes", Whole: true, Mix: workloads.Mix{Delete: 1}, Depth: 1}
		j := measure(t, c.model, stack.Config{Delete: true, DeleteChunkBytes: c.sectors * 512}, runners.Limits{Ops: 1, Grace: time.Hour}, 1, spec)
		d := only(t, j[0], "delete")
		took, _ := d.Service.MeanSeconds()
		near(t, c.model+" GB/s", float64(d.Bytes)/took/1e9, c.gb, 0.01)
	}
}

// TestSameBytes holds that the same seed gives the same results.
func TestSameBytes(t *testing.T) {
	spec := workloads.Spec{Name: "reads", Access: workloads.Access{Random: 1}, Depth: 4}
	l := runners.Limits{Duration: 20 * time.Second}
	a := only(t, measure(t, "hdd-7200", stack.Config{}, l, 7, spec)[0], "read")
	b := only(t, measure(t, "hdd-7200", stack.Config{}, l, 7, spec)[0], "read")
	c := only(t, measure(t, "hdd-7200", stack.Config{}, l, 8, spec)[0], "read")
	one, _ := a.Service.MarshalJSON()
	two, _ := b.Service.MarshalJSON()
	three, _ := c.Service.MarshalJSON()
	if string(one) != string(two) {
		t.Error("one seed gave two results")
	}
	if string(one) == string(three) {
		t.Error("two seeds gave one result")
	}
}

// BenchmarkSimulatedIO reports simulated operations a second through the layers.
func BenchmarkSimulatedIO(b *testing.B) {
	spec := workloads.Spec{Name: "scrub", Sizes: []workloads.SizeShare{{Bytes: 128 << 10, Share: 1}}, Depth: 16}
	b.ReportAllocs()
	measure(b, "hdd-7200", stack.Config{Bioq: true, BioqBatch: 128, LowerDepth: 1}, runners.Limits{Ops: int64(b.N)}, 1, spec)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "io/s")
}

func TestModels(t *testing.T) {
	if len(Models()) < 3 {
		t.Fatalf("models: %v", Models())
	}
	for _, name := range Models() {
		if _, err := Load(name); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"", "{}", "title: x", "colour: blue", "origin: x\ncapacity: 1GiB\nblock: 512B\nhdd: {rpm: .nan, media: 1MB/s}", "origin: x\ncapacity: 1G\nblock: 512B\nssd: {channels: 1, delete_channels: 1}"} {
		if _, err := Parse("bad", []byte(text)); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range Models() {
		text, err := library.ReadFile("models/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := Parse("fuzz", text); err == nil && m.channels() < 1 {
			t.Errorf("accepted a model without channels: %q", text)
		}
	})
}
