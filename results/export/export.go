// Package export writes runs in forms that other programs read: the Go benchmark
// format (benchstat), CSV, JSON and Parquet.
//
// A row is one metric of one trial, in base units. The benchmark format has the
// trials that count only; the others have every trial and say of each whether it
// counts.
package export

import (
	"slices"

	"github.com/iosweep/iosweep/results"
)

// Row is one metric of one trial.
type Row struct {
	Run      string `json:"run" parquet:"run,dict"`
	Profile  string `json:"profile" parquet:"profile,dict"`
	Engine   string `json:"engine" parquet:"engine,dict"`
	Device   string `json:"device" parquet:"device,dict"`
	DeviceID string `json:"device_id" parquet:"device_id,dict"`
	Model    string `json:"device_model" parquet:"device_model,dict"`
	Kernel   string `json:"kernel" parquet:"kernel,dict"`
	Workload string `json:"workload" parquet:"workload,dict"`
	Load     string `json:"load" parquet:"load,dict"`
	Variant  string `json:"variant" parquet:"variant,dict"`
	// Settings are the variant's, by tunable.
	Settings map[string]string `json:"settings" parquet:"settings"`
	Index    int64             `json:"index" parquet:"index"`
	Attempt  int64             `json:"attempt" parquet:"attempt"`
	Block    int64             `json:"block" parquet:"block"`
	Status   string            `json:"status" parquet:"status,dict"`
	// Counted says that the trial enters statistics.
	Counted       bool    `json:"counted" parquet:"counted"`
	WindowSeconds float64 `json:"window_s" parquet:"window_s"`
	Metric        string  `json:"metric" parquet:"metric,dict"`
	Unit          string  `json:"unit" parquet:"unit,dict"`
	// Value is nil where there is no figure; Note then says why.
	Value *float64 `json:"value" parquet:"value,optional"`
	Note  string   `json:"note,omitempty" parquet:"note,dict"`
}

// rows calls yield with every row of a set, in the order of storage.
func rows(set *results.Set, yield func(*Row) error) error {
	for _, data := range set.Runs {
		counted := map[*results.Trial]bool{}
		for _, t := range data.Counted() {
			counted[t] = true
		}
		settings := settingsOf(data.Run)
		for i := range data.Trials {
			t := &data.Trials[i]
			row := trialRow(data.Run, t)
			row.Counted, row.Settings = counted[t], settings[t.Variant]
			if err := metricRows(data.Run, t, row, yield); err != nil {
				return err
			}
		}
	}
	return nil
}

func trialRow(run *results.Run, t *results.Trial) Row {
	d := run.Device
	return Row{
		Run: run.ID, Profile: run.Profile, Engine: run.Engine, Device: d.Name, DeviceID: d.ID, Model: d.Model, Kernel: run.Environment.Kernel,
		Workload: t.Workload, Load: t.Load.String(), Variant: t.Variant, Index: int64(t.Index), Attempt: int64(t.Attempt), Block: int64(t.Block),
		Status: string(t.Status), WindowSeconds: t.WindowSeconds,
	}
}

func metricRows(run *results.Run, t *results.Trial, row Row, yield func(*Row) error) error {
	for _, m := range metrics(run, t.Workload) {
		r, err := m.Read(t)
		if err != nil {
			return err
		}
		row.Metric, row.Unit, row.Note, row.Value = m.String(), string(m.Unit()), r.Note, nil
		if r.Value.Valid {
			v := r.Value.V
			row.Value = &v
		}
		if err := yield(&row); err != nil {
			return err
		}
	}
	return nil
}

func settingsOf(run *results.Run) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, v := range run.Variants {
		all[v.ID] = map[string]string{}
		for _, s := range v.Settings {
			all[v.ID][s.Tunable] = s.Value
		}
	}
	return all
}

// metrics are those of all operations of a workload, of each of its jobs, and
// those that an objective names. A job called like a kind is read as the kind,
// as it is everywhere else.
func metrics(run *results.Run, workload string) (all []results.MetricName) {
	names := append(results.Quantities(), objectiveMetrics(run, workload)...)
	for _, w := range run.Workloads {
		for _, j := range w.Jobs {
			for _, q := range results.Quantities() {
				if w.Name == workload {
					names = append(names, results.MetricName{Job: j.Name, Quantity: q}.String())
				}
			}
		}
	}
	for _, name := range names {
		if m, err := results.ParseMetric(name); err == nil && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

func objectiveMetrics(run *results.Run, workload string) (names []string) {
	for _, o := range run.Objectives {
		if o.Workload != workload {
			continue
		}
		if name := o.Maximise + o.Minimise; name != "" {
			names = append(names, name)
		}
		for _, l := range o.Limits {
			names = append(names, l.Metric)
		}
	}
	return names
}
