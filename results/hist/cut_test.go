package hist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// holder is a document with histograms, as a trial is.
type holder struct {
	Name       string           `json:"name"`
	Some, More *Hist            `json:",omitempty"`
	List       []*Hist          `json:"list"`
	Texts      map[string]int64 `json:"texts"`
}

// cutOut decodes a document by way of Cut.
func cutOut(text []byte) (h holder, taken int, err error) {
	rest, cuts := Cut(text)
	err = json.Unmarshal(rest, &h)
	h.Some, h.More = cuts.Restore(h.Some), cuts.Restore(h.More)
	for i := range h.List {
		h.List[i] = cuts.Restore(h.List[i])
	}
	return h, len(cuts.taken), err
}

// same says that a document decodes to the same by way of Cut and without.
func same(t *testing.T, text []byte) (taken int) {
	t.Helper()
	got, taken, gotErr := cutOut(text)
	var want holder
	wantErr := json.Unmarshal(text, &want)
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%q: error %v, without the cut %v", text, gotErr, wantErr)
	}
	if gotErr != nil {
		return taken
	}
	a, errA := json.Marshal(got)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Fatalf("%q:\n%s %v, without the cut\n%s %v", text, a, errA, b, errB)
	}
	return taken
}

func TestCut(t *testing.T) {
	one := marshal(t, record(samples(3, 500)))
	forged := string(appendMark(nil, 0))
	for name, c := range map[string]struct {
		text  string
		taken int
	}{
		"none":        {`{"name":"x"}`, 0},
		"several":     {`{"name":"x","Some":` + one + `,"list":[` + one + `,null,` + forgedLike() + `]}`, 3},
		"empty":       {`{"Some":` + marshal(t, New()) + `}`, 1},
		"spaced":      {`{"Some": ` + strings.Replace(one, ",", ", ", 1) + `,"More":` + one + `}`, 1},
		"corrupt":     {`{"Some":` + strings.Replace(one, `"count":500`, `"count":501`, 1) + `}`, 0},
		"torn":        {`{"Some":` + one[:len(one)-3], 0},
		"elsewhere":   {`{"texts":` + one + `}`, 1},
		"in a string": {`{"name":"a` + one + `"}`, 1},
		"escaped":     {`{"name":` + fmt.Sprintf("%q", one) + `}`, 0},
		"forged":      {`{"Some":` + forged + `,"More":` + one + `}`, 0},
		"spelt":       {`{"Some":` + strings.Replace(forged, "format", "\\u0066ormat", 1) + `,"More":` + one + `}`, 0},
		"twice":       {`{"Some":` + one + `,"Some":` + marshal(t, record([]int64{7})) + `}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := same(t, []byte(c.text)); got != c.taken {
				t.Errorf("%d cut, want %d", got, c.taken)
			}
		})
	}
}

// forgedLike is a histogram that is like a mark but for its count.
func forgedLike() string {
	return strings.ReplaceAll(string(appendMark(nil, 0)), fmt.Sprint(markCount), "5")
}

// More histograms than there are marks stay where they are.
func TestCutTooMany(t *testing.T) {
	one := marshal(t, record([]int64{5}))
	all := strings.Repeat(one+",", sub+5)
	if got := same(t, []byte(`{"list":[`+all[:len(all)-1]+`]}`)); got != sub {
		t.Errorf("%d cut, want %d", got, sub)
	}
}

// No text may decode to something else by way of Cut.
func FuzzCut(f *testing.F) {
	one, err := json.Marshal(record([]int64{1, 5000, 1e9}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"Some":` + string(one) + `,"list":[` + string(one) + `]}`))
	f.Add([]byte(`{"name":"x` + string(one) + `"}`))
	f.Add([]byte(`{"Some":` + string(appendMark(nil, 0)) + `}`))
	f.Fuzz(func(t *testing.T, text []byte) { same(t, text) })
}
