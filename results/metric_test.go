package results

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results/hist"
)

func TestParseMetric(t *testing.T) {
	tests := []struct {
		name   string
		want   MetricName
		unit   Unit
		higher bool
	}{
		{"ops", MetricName{Quantity: "ops"}, OpsPerSecond, true},
		{"throughput", MetricName{Quantity: "throughput"}, BytesPerSecond, true},
		{"max", MetricName{Quantity: "max"}, Seconds, false},
		{"p99.9", MetricName{Quantity: "p99.9"}, Seconds, false},
		{"p99.999", MetricName{Quantity: "p99.999"}, Seconds, false},
		{"scrub.throughput", MetricName{Job: "scrub", Quantity: "throughput"}, BytesPerSecond, true},
		{"delete.p99", MetricName{Kind: "delete", Quantity: "p99"}, Seconds, false},
		{"service.mean", MetricName{Basis: "service", Quantity: "mean"}, Seconds, false},
		{"a.read.response.p99.99", MetricName{Job: "a", Kind: "read", Basis: "response", Quantity: "p99.99"}, Seconds, false},
		{"a.b.ops", MetricName{Job: "a.b", Quantity: "ops"}, OpsPerSecond, true},
		{"read.read.ops", MetricName{Job: "read", Kind: "read", Quantity: "ops"}, OpsPerSecond, true},
	}
	for _, test := range tests {
		got, err := ParseMetric(test.name)
		if err != nil || got != test.want || got.Unit() != test.unit || got.HigherIsBetter() != test.higher {
			t.Errorf("%s: %+v in %s, higher %v, %v\nwant %+v", test.name, got, got.Unit(), got.HigherIsBetter(), err, test.want)
		}
	}
}

func TestParseMetricRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"":             "use one of ops, throughput, mean, p50, p99, p99.9, p99.99, p99.999, max",
		"iops":         "use one of ops",
		"p98":          "use one of ops",
		"p99.95":       "use one of ops",
		"99.9":         "use one of ops",
		"scrub":        "use one of ops",
		"OPS":          "use one of ops",
		"response.ops": `leave "response." out`,
		".ops":         "a part is empty: leave its dot out",
		"scrub..p99":   "a part is empty",
	} {
		if got, err := ParseMetric(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v\nwant %q", name, got, err, want)
		}
	}
}

func TestMetric(t *testing.T) {
	tests := []struct {
		name string
		want float64
	}{
		{"ops", 1100},
		{"scrub.ops", 1000},
		{"read.ops", 1100},
		{"throughput", 1000<<17 + 100<<12},
		{"reader.read.throughput", 100 << 12},
		{"scrub.p50", 0.005},          // closed loop: the service time
		{"reader.p50", 0.020},         // open loop: the response time
		{"reader.service.p50", 0.010}, // asked for by name
		{"reader.response.mean", 0.020},
		{"p50", 0.005}, // 2000 of 5 ms and 200 of 20 ms
		{"p99", 0.020}, // not the mean of two percentiles
		{"max", 0.020},
		{"mean", (2000*0.005 + 200*0.020) / 2200},
		{"service.max", 0.010},
	}
	for _, test := range tests {
		got, note, err := Metric(aTrial(0, "a"), test.name)
		if err != nil || !got.Valid || note != "" || got.V < test.want*0.999 || got.V > test.want*1.001 {
			t.Errorf("%s: %+v, %q, %v, want %v", test.name, got, note, err, test.want)
		}
	}
}

// starved is a trial whose reader completed n reads and has one waiting.
func starved(n int, oldest float64) *Trial {
	trial := aTrial(0, "a")
	reader := &trial.Jobs[1]
	reader.Pending, reader.OldestPendingSeconds = 1, oldest
	reader.Kinds[0] = KindResult{Kind: "read", Ops: int64(n), Bytes: int64(n) << 12, Service: latencies(10, n)}
	return trial
}

func TestMetricSaysWhyThereIsNone(t *testing.T) {
	short := aTrial(0, "a")
	short.WindowSeconds = 0.0005
	unrecorded := aTrial(0, "a")
	unrecorded.Jobs[0].Kinds[0].Service = nil
	idle := starved(0, 0)
	idle.Jobs[1].Pending, idle.Jobs[1].Kinds = 0, nil
	tests := []struct {
		trial        *Trial
		metric, note string
		bound        Float
	}{
		{starved(0, 1.98), "reader.p99", "no operations of reader completed in 2.00 s; oldest waiting 1.98 s", Some(1.98)},
		{starved(0, 1.98), "reader.read.max", "no reads of reader completed in 2.00 s; oldest waiting 1.98 s", Some(1.98)},
		{starved(0, 1.98), "reader.ops", "no operations of reader completed in 2.00 s; oldest waiting 1.98 s", Some(0)},
		{starved(0, 1.98), "reader.delete.mean", "no deletes of reader completed in 2.00 s", Float{}},
		{starved(0, 1.98), "flush.throughput", "no flushes completed in 2.00 s", Some(0)},
		{idle, "reader.read.mean", "no reads of reader completed in 2.00 s", Float{}},
		{starved(1, 0), "reader.ops", "no rate from one of the operations of reader alone", Some(1)},
		{starved(1, 0), "reader.throughput", "no rate from one of the operations of reader alone", Some(4096)},
		{starved(1, 0), "reader.p50", "p50 takes 2 operations of reader, and 1 completed", Float{}},
		{starved(99, 0), "reader.p99", "p99 takes 100 operations of reader, and 99 completed", Float{}},
		{starved(999, 0), "reader.read.p99.9", "p99.9 takes 1000 reads of reader, and 999 completed", Float{}},
		{short, "ops", "no rate over 500 us: it takes 1 ms", Float{}},
		{unrecorded, "scrub.mean", "the latencies of operations of scrub were not recorded", Float{}},
		{&Trial{Status: Unsupported, Findings: []Finding{{Text: "the device cannot delete"}}}, "delete.ops", "not measured: the trial is unsupported: the device cannot delete", Float{}},
	}
	for _, test := range tests {
		m, err := ParseMetric(test.metric)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Read(test.trial)
		if err != nil || got.Value.Valid || got.Note != test.note || got.Bound != test.bound {
			t.Errorf("%s: %+v, %v\nwant %q, bound %v", test.metric, got, err, test.note, test.bound)
		}
	}
}

func TestOneOperationHasALatency(t *testing.T) {
	for _, metric := range []string{"reader.mean", "reader.max"} {
		if got, note, err := Metric(starved(1, 0), metric); err != nil || got != Some(0.010) || note != "" {
			t.Errorf("%s: %v, %q, %v, want 10 ms", metric, got, note, err)
		}
	}
}

// What still waits when the window closes must not make a latency look better.
func TestWhatStillWaitsIsTold(t *testing.T) {
	got, note, err := Metric(starved(200, 1.5), "reader.max")
	if err != nil || got != Some(1.5) || note != "one was still waiting after 1.50 s when the window closed; the longest to complete took 10.0 ms" {
		t.Errorf("max: %v, %q, %v", got, note, err)
	}
	got, note, err = Metric(starved(200, 1.5), "reader.p99")
	if err != nil || !got.Valid || note != "one was still waiting after 1.50 s when the window closed and is not counted" {
		t.Errorf("p99: %v, %q, %v", got, note, err)
	}
	two := starved(200, 1.5)
	two.Jobs[1].Kinds = append(two.Jobs[1].Kinds, KindResult{Kind: "write", Ops: 9, Service: latencies(1, 9)})
	got, note, err = Metric(two, "reader.write.max")
	if err != nil || got != Some(0.001) || note == "" {
		t.Errorf("max of one kind of two: %v, %q, %v, want 1 ms, since it is not known which kind waits", got, note, err)
	}
}

// A kind that did too little for a rate of its own is still in the sum.
func TestRateOfManyKinds(t *testing.T) {
	trial := aTrial(0, "a")
	trial.Jobs[0].Kinds = append(trial.Jobs[0].Kinds, KindResult{Kind: "delete", Ops: 1, Bytes: 4096, Errors: 1})
	got, note, err := Metric(trial, "scrub.ops")
	if err != nil || got != Some(1000.5) || note != "1 of the operations of scrub failed" {
		t.Errorf("ops: %v, %q, %v", got, note, err)
	}
}

func TestMetricOfAnUnknownJob(t *testing.T) {
	_, _, err := Metric(aTrial(4, "a"), "writer.ops")
	if err == nil || !strings.Contains(err.Error(), `trial 4 has no job "writer": its jobs are scrub, reader`) {
		t.Error(err)
	}
	if _, _, err := Metric(aTrial(0, "a"), "p98"); err == nil {
		t.Error("a name out of the grammar was read")
	}
}

func TestLoad(t *testing.T) {
	curve := []Load{{}, {Depth: 8}, {Depth: 32}, {Rate: 99.5}, {Rate: 1000}, {Percent: 12.5, Rate: 9}, {Percent: 50, Rate: 3}, {Max: true, Depth: 64}}
	want := []string{"own", "depth 8", "depth 32", "99.5/s", "1000/s", "12.5%", "50%", "max"}
	shuffled := slices.Clone(curve)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, Load.Compare)
	for i, l := range shuffled {
		if l != curve[i] || l.String() != want[i] {
			t.Errorf("place %d of the curve: %v, want %v", i, l, want[i])
		}
	}
	if (Load{Percent: 50, Rate: 3}).Compare(Load{Percent: 50, Rate: 4}) != 0 {
		t.Error("one percentage of two maxima is two load points")
	}
}

func FuzzParseMetric(f *testing.F) {
	for _, name := range []string{"ops", "a.b.read.service.p99.9", "..ops", "response.ops", "read", "p99."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, err := ParseMetric(name)
		if err != nil {
			return
		}
		if m.String() != name || !slices.Contains(Quantities(), m.Quantity) {
			t.Errorf("%q parsed to %+v, which is %q", name, m, m)
		}
	})
}

// TestRequestsAreTimedOnTheirOwn: of a delete that a layer cut, request is the
// time of a chunk.
func TestRequestsAreTimedOnTheirOwn(t *testing.T) {
	chunks := hist.New()
	for range 100 {
		chunks.Record(5e6)
	}
	trial := &Trial{WindowSeconds: 1, Jobs: []JobResult{{Name: "wipe"}}, Layer: &Layer{DeleteService: chunks}}
	for name, want := range map[string]float64{"wipe.delete.request.mean": 0.005, "delete.request.max": 0.005, "delete.request.p99": 0.005} {
		got, note, err := Metric(trial, name)
		if err != nil || !got.Valid || math.Abs(got.V-want) > 1e-5 {
			t.Errorf("%s is %v (%s, %v), want %v", name, got, note, err, want)
		}
	}
	trial.Layer = nil
	if got, note, err := Metric(trial, "delete.request.mean"); err != nil || got.Valid || note == "" {
		t.Errorf("without a layer it is %v (%q, %v)", got, note, err)
	}
	for _, name := range []string{"read.request.mean", "request.mean", "delete.request.ops"} {
		if _, err := ParseMetric(name); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
