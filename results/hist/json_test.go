package hist

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestJSONForm(t *testing.T) {
	h := record([]int64{3, 3, 5, 4096, int64(Range) + 1})
	const want = `{"format":"log2/1024ns","count":5,"above":1,"min_ns":3,"max_ns":4398046511105,"sum_ns":4398046515212,"buckets":[3,2,1,1,3066,1]}`
	if got := marshal(t, h); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for name, h := range map[string]*Hist{
		"empty": New(),
		"one":   record([]int64{77}),
		"many":  record(samples(7, 10_000)),
		"above": record([]int64{int64(Range), int64(Range) + 5}),
		"mixed": record([]int64{1, int64(Range) - 1, int64(Range) + 5}),
	} {
		text := marshal(t, h)
		var back Hist
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := marshal(t, &back); again != text {
			t.Errorf("%s: read back as %s, want %s", name, again, text)
		}
		back.Record(9)
		if back.Count() != h.Count()+1 {
			t.Errorf("%s: a histogram that was read cannot go on", name)
		}
	}
}

func TestJSONRefusesContradictions(t *testing.T) {
	const head = `{"format":"log2/1024ns",`
	for name, text := range map[string]string{
		"format":          `{"format":"other","count":0,"min_ns":0,"max_ns":0,"sum_ns":0,"buckets":[]}`,
		"odd":             head + `"count":1,"min_ns":1,"max_ns":1,"sum_ns":1,"buckets":[1]}`,
		"far":             head + `"count":1,"min_ns":1,"max_ns":1,"sum_ns":1,"buckets":[33792,1]}`,
		"overflowing gap": head + `"count":2,"min_ns":1,"max_ns":1,"sum_ns":2,"buckets":[1,1,9223372036854775807,1]}`,
		"negative gap":    head + `"count":1,"min_ns":1,"max_ns":1,"sum_ns":1,"buckets":[-1,1]}`,
		"zero count":      head + `"count":0,"min_ns":0,"max_ns":0,"sum_ns":0,"buckets":[1,0]}`,
		"count":           head + `"count":2,"min_ns":1,"max_ns":1,"sum_ns":2,"buckets":[1,1]}`,
		"min":             head + `"count":1,"min_ns":0,"max_ns":1,"sum_ns":1,"buckets":[1,1]}`,
		"max":             head + `"count":1,"min_ns":1,"max_ns":9,"sum_ns":1,"buckets":[1,1]}`,
		"max in range":    head + `"count":1,"above":1,"min_ns":1,"max_ns":9,"sum_ns":1,"buckets":[]}`,
		"min in range":    head + `"count":1,"above":1,"min_ns":1,"max_ns":4398046511104,"sum_ns":4398046511104,"buckets":[]}`,
		"sum":             head + `"count":1,"min_ns":1,"max_ns":1,"sum_ns":2,"buckets":[1,1]}`,
		"empty with sum":  head + `"count":0,"min_ns":0,"max_ns":0,"sum_ns":2,"buckets":[]}`,
		"negative":        head + `"count":-1,"above":-1,"min_ns":0,"max_ns":0,"sum_ns":0,"buckets":[]}`,
	} {
		h := record([]int64{42})
		if err := h.UnmarshalJSON([]byte(text)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if h.Count() != 1 || h.Max() != 42 {
			t.Errorf("%s: the histogram was changed", name)
		}
	}
	if err := New().UnmarshalJSON([]byte(`{"count":"x"}`)); err == nil {
		t.Error("no error for a text as count")
	}
}

// FuzzUnmarshal: whatever is accepted is consistent, small, and stable.
func FuzzUnmarshal(f *testing.F) {
	for _, h := range []*Hist{New(), record([]int64{1, 5000, 1e9}), record([]int64{int64(Range) + 1})} {
		b, err := json.Marshal(h)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var h Hist
		if h.UnmarshalJSON(text) != nil {
			return
		}
		for _, q := range []float64{0, 0.5, 0.99999, 1} {
			if v, ok := h.QuantileSeconds(q); ok && (v < h.Min().Seconds() || v > h.Max().Seconds()) {
				t.Errorf("q %v: %v outside %v..%v", q, v, h.Min(), h.Max())
			}
		}
		first := marshal(t, &h)
		var again Hist
		if err := again.UnmarshalJSON([]byte(first)); err != nil {
			t.Fatalf("what was accepted is refused when written: %v", err)
		}
		if second := marshal(t, &again); second != first {
			t.Errorf("%s became %s", first, second)
		}
	})
}
