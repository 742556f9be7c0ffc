package results

import (
	"encoding/json"
	"math"
	"testing"
)

func TestFloatJSON(t *testing.T) {
	for text, want := range map[string]Float{"null": {}, "0": Some(0), "1.5": Some(1.5), "-2e300": Some(-2e300)} {
		var got Float
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		again, err := json.Marshal(got)
		var back Float
		if err != nil || json.Unmarshal(again, &back) != nil || back != want {
			t.Errorf("%s became %s, %v", text, again, err)
		}
	}
	for _, text := range []string{`"1"`, "1e999", "{}", "NaN"} {
		got := Some(1)
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was read as %v", text, got)
		}
	}
}

func TestWhatIsNoNumberIsMissing(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got, err := json.Marshal(Some(v)); err != nil || string(got) != "null" {
			t.Errorf("%v: %s, %v, want null", v, got, err)
		}
	}
}

func TestMeanBytes(t *testing.T) {
	if got := (CounterKind{}).MeanBytes(); got.Valid {
		t.Errorf("of no requests: %v", got)
	}
	if got := (CounterKind{Requests: 4, Bytes: 262144}).MeanBytes(); got != Some(65536) {
		t.Errorf("of four: %v", got)
	}
}
