package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
)

// product is a run that varies three tunables, of which one never differs.
func product(finding results.Finding) *results.RunData {
	r := pair(1, 1, 1)
	r.Trials, r.Run.Workloads, r.Run.Variants, r.Run.Objectives = nil, nil, nil, nil
	r.Run.Workloads = []results.Workload{{Name: "w", Varies: []string{"scheduler", "nr_requests", "max_sectors_kb"}, Jobs: []results.Job{{Name: "read"}}}}
	for i, n := range []string{"32", "64", "128", "256"} {
		for k, size := range []string{"64", "128"} {
			v := results.Variant{ID: fmt.Sprintf("v%d%d", i, k), Label: "scheduler=none nr_requests=" + n + " max_sectors_kb=" + size, Settings: []results.Setting{
				{Tunable: "scheduler", Value: "none", Via: "kernel"}, {Tunable: "nr_requests", Value: n, Via: "kernel"},
				{Tunable: "max_sectors_kb", Value: size, Label: size + " KiB", Via: "kernel"},
			}}
			r.Run.Variants = append(r.Run.Variants, v)
			tr := reporttest.Add(r, "w", v, 0, reporttest.Job(reporttest.Rand(1), "read", "read", 1000, 4096, time.Millisecond))
			tr.Findings = []results.Finding{finding}
		}
	}
	return r
}

func TestShortNamesTellSettingsApart(t *testing.T) {
	w := build(t, product(results.Finding{Code: "host_busy", Text: "busy"})).Workloads[0]
	if w.Key != "nr_requests · max_sectors_kb" {
		t.Errorf("the key is %q", w.Key)
	}
	seen := map[string]bool{}
	for _, s := range w.Settings {
		if seen[s.Short] || strings.Contains(s.Short, "none") {
			t.Errorf("the short name %q does not serve", s.Short)
		}
		seen[s.Short] = true
	}
	if w.Settings[0].Short != "32 · 64 KiB" || w.Tables[0].Rows[0].Setting.Short != "32 · 64 KiB" {
		t.Errorf("the first setting is called %q", w.Settings[0].Short)
	}
}

func TestFindingOfManySettingsIsToldOnce(t *testing.T) {
	m := build(t, product(results.Finding{Code: "host_busy", Text: "the host was busy"}))
	if len(m.Findings) != 1 || m.Findings[0].Trials != 8 || m.Findings[0].Where != "w: all 8 settings" {
		t.Errorf("findings are %+v, want one of all 8 settings", m.Findings)
	}
	r := reporttest.Quick()
	for i := range r.Trials {
		if tr := &r.Trials[i]; tr.Workload == "scrub" {
			tr.Layer.MaxQueued = 1
		}
	}
	var found []report.Finding
	for _, f := range build(t, r).Findings {
		if strings.HasPrefix(f.Where, "scrub") {
			found = append(found, f)
		}
	}
	if len(found) != 1 || !strings.HasPrefix(found[0].Where, "scrub: 4 settings: bioq_batchsize = 16, ") {
		t.Errorf("findings are %+v, want one that lists four settings", found)
	}
}

func TestOriginIsUnmistakable(t *testing.T) {
	slowed, model := reporttest.Quick(), reporttest.Quick()
	slowed.Run.Engine = "portable+slow-as:hdd-7200"
	model.Run.Simulated, model.Run.Engine = true, "sim:hdd-7200"
	for want, r := range map[string]*results.RunData{"real I/O slowed as hdd-7200": slowed, "a model, not measured": model} {
		m := build(t, r)
		has(t, "title", m.Title, want)
		for _, w := range m.Workloads {
			has(t, "subtitle", w.Pictures[0].Subtitle, want)
			has(t, "table", w.Tables[0].Origin, want)
		}
	}
	if m := build(t, reporttest.Quick()); m.Origin != "" || strings.Contains(m.Title, "[") {
		t.Errorf("a measured run is marked %q: %s", m.Origin, m.Title)
	}
}
