package hist

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// short reads by the short way, and gives the buckets as they are stored.
func short(text []byte) (stored, bool) {
	var p packer
	s, ok := canonical(text, &p)
	next := 0
	for i, n := range p.out.all {
		s.Buckets = append(s.Buckets, int64(i-next), n)
		next = i + 1
	}
	return s, ok
}

// What MarshalJSON writes must be read by the short way, and to the same end.
func TestCanonicalIsWhatIsWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		h := New()
		for range n {
			h.Record(random.Int64N(1 << random.IntN(44)))
		}
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := short(text)
		var want stored
		if err := json.Unmarshal(text, &want); err != nil || !ok {
			t.Fatalf("%s: canonical %v, %v", text, ok, err)
		}
		if len(got.Buckets) == 0 {
			got.Buckets = want.Buckets
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// Anything else of the same meaning is read by the long way.
func TestNotCanonical(t *testing.T) {
	h := New()
	h.Record(5)
	h.Record(7)
	written, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	text := string(written)
	for _, other := range []string{
		strings.Replace(text, ",", ", ", 1), strings.Replace(text, `"count":2`, `"count":2,"extra":1`, 1), " " + text,
	} {
		if _, ok := short([]byte(other)); ok {
			t.Errorf("%s is taken for canonical", other)
		}
		var back Hist
		if err := json.Unmarshal([]byte(other), &back); err != nil || back.Count() != 2 || back.Max() != 7 {
			t.Errorf("%s: %v, count %d", other, err, back.Count())
		}
	}
	for _, broken := range []string{"", "{", text[:len(text)-1], text + "x", strings.Replace(text, "[5", "[05", 1), strings.Replace(text, "[5", "[-5", 1),
		strings.Replace(text, `"sum_ns":12`, `"sum_ns":99999999999999999999`, 1), strings.Replace(text, ",", ",,", 1)} {
		if _, ok := short([]byte(broken)); ok {
			t.Errorf("%s is taken for canonical", broken)
		}
	}
}

// No text may be read by the short way to another end than by the long one.
func FuzzCanonical(f *testing.F) {
	h := New()
	for _, ns := range []int64{0, 1, 5000, 1 << 43} {
		h.Record(ns)
		text, err := json.Marshal(h)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := short(text)
		if !ok {
			return
		}
		var want stored
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q is canonical, and no JSON: %v", text, err)
		}
		if len(got.Buckets) == 0 && len(want.Buckets) == 0 {
			got.Buckets, want.Buckets = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	})
}
