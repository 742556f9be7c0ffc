package bundle

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/results"
)

// Columns are the columns of trials.csv, in order:
//
//	run, workload, setting, variant, load   what was measured
//	index, attempt, block                   its place in the plan
//	status                                  only valid trials enter statistics
//	job, kind                               empty where nothing completed
//	depth, rate_per_s                       what was asked; rate 0: a closed loop
//	achieved_depth                          mean number outstanding
//	window_s                                the measured time
//	ops, bytes, errors                      counts over the window
//	bytes_per_s, ops_per_s                  empty where there is no honest rate
//	mean_s ... max_s                        latencies: response, else service
//	pending, oldest_pending_s               left outstanding at the end
//	findings                                codes, parted by spaces
func Columns() []string {
	return []string{
		"run", "workload", "setting", "variant", "load", "index", "attempt", "block", "status", "job", "kind",
		"depth", "rate_per_s", "achieved_depth", "window_s", "ops", "bytes", "errors",
		"bytes_per_s", "ops_per_s", "mean_s", "p50_s", "p99_s", "p99.9_s", "max_s",
		"pending", "oldest_pending_s", "findings",
	}
}

// WriteTrials writes one row for each trial, job and kind of operation, in base
// units, under Columns. Cells that a spreadsheet would take for a formula are
// quoted with an apostrophe. It returns the writer's error.
func WriteTrials(w io.Writer, m *report.Model) error {
	out := csv.NewWriter(w)
	if err := out.Write(Columns()); err != nil {
		return err
	}
	for i := range m.Trials {
		if err := out.Write(fields(&m.Trials[i])); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func fields(t *report.TrialRow) []string {
	row := []string{
		text(t.Run), text(t.Workload), text(t.Setting), text(t.Variant), text(t.Load),
		strconv.Itoa(t.Index), strconv.Itoa(t.Attempt), strconv.Itoa(t.Block), string(t.Status), text(t.Job), t.Kind,
		strconv.Itoa(t.Depth), number(t.Rate), float(t.AchievedDepth), number(t.WindowSeconds),
		strconv.FormatInt(t.Ops, 10), strconv.FormatInt(t.Bytes, 10), strconv.FormatInt(t.Errors, 10),
	}
	for _, f := range t.Figures {
		row = append(row, float(f))
	}
	return append(row, strconv.Itoa(t.Pending), number(t.OldestPendingSeconds), text(strings.Join(t.Findings, " ")))
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func float(f results.Float) string {
	if !f.Valid {
		return ""
	}
	return number(f.V)
}

// text guards against names that a spreadsheet would run.
func text(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) && !numeric(s) {
		return "'" + s
	}
	return s
}

func numeric(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
