package query

import (
	"strconv"

	"github.com/iosweep/iosweep/results"
)

// Field is one key of a record and its value, as text.
type Field struct {
	Key, Value string
}

// Record is a trial with everything that it may be told apart by.
type Record struct {
	Data  *results.RunData
	Trial *results.Trial
	// run are the fields that all trials of the run share, own the trial's.
	run, own []Field
}

// All yields the fields in order: the trial's, then its run's. The key job
// comes once for each job.
func (r *Record) All(yield func(key, value string) bool) {
	for _, fields := range [][]Field{r.own, r.run} {
		for _, f := range fields {
			if !yield(f.Key, f.Value) {
				return
			}
		}
	}
}

// Value is the first value of a key. It is "" and false when the trial has no
// such key, as a tunable that another workload varies.
func (r *Record) Value(key string) (string, bool) {
	for k, v := range r.All {
		if k == key {
			return v, true
		}
	}
	return "", false
}

func (r *Record) has(key, value string) bool {
	for k, v := range r.All {
		if k == key && v == value {
			return true
		}
	}
	return false
}

// Project returns the record's values of keys, in their order; those that it
// does not have are "".
func (r *Record) Project(keys ...string) []Field {
	fields := make([]Field, len(keys))
	for i, key := range keys {
		value, _ := r.Value(key)
		fields[i] = Field{key, value}
	}
	return fields
}

func records(set *results.Set) []Record {
	var all []Record
	for _, data := range set.Runs {
		shared := runFields(data.Run)
		settings := map[string][]Field{}
		for _, v := range data.Run.Variants {
			settings[v.ID] = variantFields(v)
		}
		for i := range data.Trials {
			t := &data.Trials[i]
			all = append(all, Record{Data: data, Trial: t, run: shared, own: append(trialFields(t), settings[t.Variant]...)})
		}
	}
	return all
}

func trialFields(t *results.Trial) []Field {
	fields := []Field{
		{"workload", t.Workload},
		{"load", t.Load.String()},
		{"block", strconv.Itoa(t.Block)},
		{"index", strconv.Itoa(t.Index)},
		{"attempt", strconv.Itoa(t.Attempt)},
		{"status", string(t.Status)},
	}
	for _, j := range t.Jobs {
		fields = append(fields, Field{"job", j.Name})
	}
	return append(fields, Field{"variant", t.Variant})
}

// variantFields are the variant's label and, by its own name, each tunable; a
// tunable called like another key is out of reach but through the label.
func variantFields(v results.Variant) []Field {
	fields := []Field{{"label", v.Label}}
	for _, s := range v.Settings {
		fields = append(fields, Field{s.Tunable, s.Value})
	}
	return fields
}

func runFields(r *results.Run) []Field {
	d, e := r.Device, r.Environment
	return []Field{
		{"run", r.ID},
		{"profile", r.Profile},
		{"seed", strconv.FormatUint(r.Seed, 10)},
		{"engine", r.Engine},
		{"simulated", strconv.FormatBool(r.Simulated)},
		{"tool", r.Tool},
		{"device", d.Name},
		{"device.id", d.ID},
		{"device.kind", d.Kind},
		{"device.model", d.Model},
		{"device.firmware", d.Firmware},
		{"device.size", strconv.FormatInt(d.SizeBytes, 10)},
		{"device.logical_block", strconv.FormatInt(d.LogicalBlockBytes, 10)},
		{"os", e.OS},
		{"arch", e.Arch},
		{"kernel", e.Kernel},
		{"host", e.Hostname},
		{"cpu", e.CPU},
		{"governor", e.Governor},
		{"virtualisation", e.Virtual},
	}
}
