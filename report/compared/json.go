package compared

import (
	"encoding/json"
	"io"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/iosweep/iosweep/results/stats"
)

// table is the JSON form of a comparison, in base units.
type table struct {
	Base       string      `json:"base"`
	New        string      `json:"new"`
	Confidence float64     `json:"confidence"`
	Margin     float64     `json:"margin"`
	Gate       string      `json:"gate,omitempty"`
	Rows       []row       `json:"rows"`
	Unmatched  []unmatched `json:"unmatched"`
	Notes      []string    `json:"notes"`
}

type unmatched struct {
	Workload string `json:"workload"`
	Load     string `json:"load"`
	Setting  string `json:"setting,omitempty"`
	Side     string `json:"side"`
}

type row struct {
	Device      string        `json:"device"`
	Workload    string        `json:"workload"`
	Load        string        `json:"load"`
	Setting     string        `json:"setting,omitempty"`
	BaseValue   string        `json:"base_value,omitempty"`
	NewValue    string        `json:"new_value,omitempty"`
	Metric      string        `json:"metric"`
	Unit        string        `json:"unit"`
	Base        side          `json:"base"`
	New         side          `json:"new"`
	MedianRatio results.Float `json:"median_ratio"`
	Ratio       results.Float `json:"ratio"`
	RatioLo     results.Float `json:"ratio_lo"`
	RatioHi     results.Float `json:"ratio_hi"`
	Confidence  float64       `json:"ratio_confidence"`
	Test        string        `json:"test"`
	Pairs       int           `json:"pairs"`
	P           results.Float `json:"p"`
	PHolm       results.Float `json:"p_holm"`
	Verdict     string        `json:"verdict"`
	Notes       []string      `json:"notes"`
}

type side struct {
	N          int           `json:"n"`
	Median     results.Float `json:"median"`
	Lo         results.Float `json:"lo"`
	Hi         results.Float `json:"hi"`
	Confidence float64       `json:"confidence"`
	// Bounds counts the trials that enter with a bound; the median is one then.
	Bounds int `json:"bounds,omitempty"`
}

func sideOf(s stats.Summary, bounds int) side {
	if s.N == 0 {
		return side{}
	}
	return side{s.N, results.Some(s.Center), results.Some(s.Lo), results.Some(s.Hi), s.Confidence, bounds}
}

// JSON writes the table in base units with the gate's verdict, "" without a
// gate. It returns the writer's error.
func JSON(w io.Writer, t *comparison.Table, gate comparison.Verdict) error {
	out := table{Base: t.Base, New: t.New, Confidence: t.Confidence, Margin: t.Margin, Gate: string(gate), Rows: []row{}, Unmatched: []unmatched{}, Notes: append([]string{}, t.Notes...)}
	for _, u := range t.Unmatched {
		out.Unmatched = append(out.Unmatched, unmatched(u))
	}
	for i := range t.Rows {
		out.Rows = append(out.Rows, rowOf(&t.Rows[i]))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func rowOf(r *comparison.Row) row {
	return row{
		Device: r.Device, Workload: r.Workload, Load: r.Load, Setting: r.Setting, BaseValue: r.BaseValue, NewValue: r.NewValue,
		Metric: r.Metric, Unit: string(r.Unit), Base: sideOf(r.Comparison.Base, r.BaseBounds), New: sideOf(r.Comparison.New, r.NewBounds),
		MedianRatio: r.MedianRatio, Ratio: r.Ratio, RatioLo: r.Lo, RatioHi: r.Hi, Confidence: r.Confidence,
		Test: string(r.Test), Pairs: r.Pairs, P: r.P, PHolm: r.PAdjusted, Verdict: string(r.Outcome),
		Notes: append(append([]string{}, r.Notes...), warnings(r)...),
	}
}
