package report

import "github.com/iosweep/iosweep/results"

// Figures is every figure of a report with the runs that it is of: what a page
// carries for its script, and what can be recomputed from the runs to check it.
type Figures struct {
	Runs []FiguresRun `json:"runs"`
	// Theme is the layout of the report's pictures.
	Theme     Theme             `json:"theme,omitempty"`
	Workloads []FiguresWorkload `json:"workloads"`
}

// FiguresRun names a run. Sum is the SHA-256 of its trials.jsonl.
type FiguresRun struct {
	ID     string `json:"id"`
	Sum    string `json:"sha256,omitempty"`
	Trials int    `json:"trials"`
}

// FiguresWorkload is one workload.
type FiguresWorkload struct {
	Anchor string          `json:"anchor"`
	Name   string          `json:"name"`
	Run    string          `json:"run,omitempty"`
	Chart  *Chart          `json:"chart,omitempty"`
	Tables []FiguresTable  `json:"tables"`
	Curves []FiguresCurves `json:"curves,omitempty"`
}

// Chart says what a workload's main picture shows: quantities of two of its
// tables, by their place, and the limits in base units.
type Chart struct {
	X         int     `json:"x"`
	Y         int     `json:"y"`
	XQuantity string  `json:"xq"`
	YQuantity string  `json:"yq"`
	YLabel    string  `json:"ylabel"`
	Joined    bool    `json:"joined"`
	XLog      bool    `json:"xlog,omitempty"`
	Limit     float64 `json:"limit,omitempty"`
	Floor     float64 `json:"floor,omitempty"`
}

// FiguresTable is one job's operations of one kind.
type FiguresTable struct {
	Job   string       `json:"job"`
	Kind  string       `json:"kind,omitempty"`
	Clock string       `json:"clock"`
	Rows  []FiguresRow `json:"rows"`
}

// FiguresRow is one setting at one load point. Service is there where Figures
// are response times.
type FiguresRow struct {
	Style   int               `json:"s"`
	Setting string            `json:"setting"`
	Short   string            `json:"short"`
	Load    string            `json:"load,omitempty"`
	Trials  string            `json:"trials"`
	Effect  string            `json:"effect,omitempty"`
	Figures map[string]Number `json:"f"`
	Service map[string]Number `json:"service,omitempty"`
}

// Number is a median and its interval over n trials, in base units.
type Number struct {
	N       int     `json:"n"`
	Value   float64 `json:"v"`
	Low     float64 `json:"lo"`
	High    float64 `json:"hi"`
	AtLeast bool    `json:"ge,omitempty"`
	AtMost  bool    `json:"le,omitempty"`
	Text    string  `json:"t"`
}

// Latencies are the quantities that a page can switch between.
func Latencies() []string { return []string{"mean", "p50", "p99", "p99.9", "max"} }

// Figures lists the model's figures.
func (m *Model) Figures() Figures {
	out := Figures{Runs: m.Runs, Theme: m.Theme}
	for i := range m.Workloads {
		w := &m.Workloads[i]
		f := FiguresWorkload{Anchor: w.Anchor, Name: w.Name, Run: w.Run, Chart: w.Chart}
		for k := range w.Tables {
			f.Tables = append(f.Tables, w.Tables[k].figures())
		}
		f.Curves = append(curvesOf(w.Distributions), curvesOf(w.Progress)...)
		out.Workloads = append(out.Workloads, f)
	}
	return out
}

func (t *Table) figures() FiguresTable {
	out := FiguresTable{Job: t.Job, Kind: t.Kind, Clock: t.Clock}
	for _, r := range t.Rows {
		row := FiguresRow{
			Style: r.Setting.Style, Setting: r.Setting.Label, Short: r.Setting.Short, Load: r.Load, Trials: r.Trials, Effect: r.Setting.Effect,
			Figures: numbers(Quantities(), r.Figures),
		}
		if len(r.Service) > 0 {
			row.Service = numbers(Latencies(), r.Service)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// numbers names the figures that there are.
func numbers(quantities []string, figures []Figure) map[string]Number {
	out := map[string]Number{}
	for i, f := range figures {
		if f.Valid() {
			out[quantities[i]] = Number{f.N, f.Median, f.Low, f.High, f.AtLeast, f.AtMost, f.withSpread()}
		}
	}
	return out
}

// service are a row's latencies counted from issue, where its own are counted
// from when the operations were due.
func (c *cell) service(s subject) []Figure {
	if c == nil || s.kind == "" || c.pooledResponses(s) == 0 {
		return nil
	}
	var out []Figure
	for _, q := range Latencies() {
		m := results.MetricName{Job: s.job, Kind: s.kind, Basis: "service", Quantity: q}
		out = append(out, c.bounded(m.String()))
	}
	return out
}

// pooledResponses counts the response times of a subject.
func (c *cell) pooledResponses(s subject) (n int64) {
	for _, t := range c.counted {
		for _, j := range t.Jobs {
			for _, k := range j.Kinds {
				if j.Name == s.job && k.Kind == s.kind {
					n += k.Response.Count()
				}
			}
		}
	}
	return n
}
