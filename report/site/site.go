// Package site builds a static site of runs: a report for each, an index by
// device, tunable and date, a page for each tunable that sets devices and
// kernels side by side, and an Atom feed. Every link is relative, so the site
// works from a file: address and on any host; a run's address depends on its id
// alone and so stays when the site is built again with more runs.
package site

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/bundle"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
	"github.com/iosweep/iosweep/results/redact"
)

// Options say how a site is built. The zero value publishes runs as they are.
type Options struct {
	// Redact takes out what tells whose the machines were, data included.
	Redact bool
	// Base is the address at which the site will stand, for the feed's links;
	// without one they are relative.
	Base string
}

// entry is one run on the site.
type entry struct {
	// Dir is its folder, relative to the site and with slashes.
	Dir    string
	Device string
	System string
	// Profile is the name of what was run.
	Profile string
	// Date is empty where a model was measured: that has no date.
	Date    string
	started time.Time
	Model   *report.Model
	data    *results.RunData
	// Tunables are those that the run's workloads vary.
	Tunables []string
}

// Write builds the site of a set's runs in dir, which it makes. Pages that are
// there already are replaced, other files are left alone. An error names the run
// or the file.
func Write(dir string, set *results.Set, o Options) error {
	var entries []*entry
	for _, data := range set.Runs {
		e, err := publish(dir, data, o)
		if err != nil {
			return fmt.Errorf("publish run %s: %w", data.Run.ID, err)
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b *entry) int {
		return cmp.Or(b.started.Compare(a.started), cmp.Compare(a.Dir, b.Dir))
	})
	if err := writePages(dir, entries); err != nil {
		return err
	}
	return writeFeed(filepath.Join(dir, "feed.xml"), entries, o.Base)
}

// publish writes one run's data and report.
func publish(dir string, data *results.RunData, o Options) (*entry, error) {
	source := data.Dir
	if o.Redact {
		clean, err := redact.Run(data)
		if err != nil {
			return nil, err
		}
		data, source = clean, ""
	}
	e := newEntry(data)
	target := filepath.Join(dir, filepath.FromSlash(e.Dir))
	if err := os.MkdirAll(target, 0o755); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	if err := writeData(target, source, data); err != nil {
		return nil, err
	}
	// The report is of the data as it is published.
	published, err := results.Open(target)
	if err != nil {
		return nil, err
	}
	e.data = published.Runs[0]
	if e.Model, err = report.Build(published, query.Query{}, report.Options{}); err != nil {
		return nil, err
	}
	_, err = bundle.Write(filepath.Join(target, "report"), e.Model)
	return e, err
}

func newEntry(data *results.RunData) *entry {
	run := data.Run
	e := &entry{Dir: "runs/" + address(run.ID), Device: report.DeviceName(run), Profile: run.Profile, started: run.Started, data: data}
	e.System = strings.TrimSpace(run.Environment.OS + " " + run.Environment.Kernel)
	if !run.Started.IsZero() {
		e.Date = run.Started.UTC().Format("2006-01-02")
	}
	for _, w := range run.Workloads {
		for _, t := range w.Varies {
			if !slices.Contains(e.Tunables, t) {
				e.Tunables = append(e.Tunables, t)
			}
		}
	}
	return e
}

// address is a name as it can stand in a path on any file system: other
// characters than these are written as their codes.
func address(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.' && i > 0:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "~%x", r)
		}
	}
	return b.String()
}

// writeData writes a run's files: as they are in source, or without a source
// anew, with sums of their own.
func writeData(target, source string, data *results.RunData) error {
	names := []string{results.RunFile, results.TrialsFile, results.SumsFile}
	if source == "" {
		made, err := os.MkdirTemp(target, ".new-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		if err := store(made, data); err != nil {
			return err
		}
		source = made
	} else {
		names = append(names, results.SumsFile+".sig")
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(source, name))
		if os.IsNotExist(err) && name != results.RunFile {
			err = os.Remove(filepath.Join(target, name))
			if err == nil || os.IsNotExist(err) {
				continue
			}
		}
		if err != nil {
			return fmt.Errorf("copy data: %w", err)
		}
		if err := os.WriteFile(filepath.Join(target, name), text, 0o644); err != nil {
			return fmt.Errorf("copy data: %w", err)
		}
	}
	return nil
}

// store writes a run that is only in memory. One that was not complete is left
// without sums.
func store(dir string, data *results.RunData) error {
	w, err := results.Create(dir, data.Run)
	if err != nil {
		return err
	}
	for i := range data.Trials {
		if err := w.Append(&data.Trials[i]); err != nil {
			return err
		}
	}
	if !data.Complete {
		return w.Abort()
	}
	return w.Close()
}
