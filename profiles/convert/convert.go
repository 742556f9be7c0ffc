// Package convert writes vdbench's parameter files as profiles.
package convert

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/workloads/vdbench"
)

// Vdbench returns the YAML of a profile that does what a parameter file does,
// with comments on what is not the same. name is the file's, for the comments
// and, cut down to a word, the profile's. Errors name the file's lines, or say
// what profiles do not have.
func Vdbench(name string, f *vdbench.File) ([]byte, error) {
	runs, err := f.Expand()
	if err != nil {
		return nil, err
	}
	w := &writer{name: name, notes: slices.Clone(f.Notes)}
	for len(runs) > 0 {
		n := 1
		for runs[0].Curve && n < len(runs) && runs[n].Pace == vdbench.OfCurve {
			n++
		}
		w.workload(runs[0], runs[1:n])
		runs = runs[n:]
	}
	text := w.profile()
	if _, err := profiles.Parse(name+" as a profile", text); err != nil {
		return nil, fmt.Errorf("convert %s: profiles do not have all that it says: %w", name, err)
	}
	return text, nil
}

// writer gathers a profile's text.
type writer struct {
	name  string
	notes []string
	body  bytes.Buffer
	// names of workloads so far.
	names []string
	// targets are the file's luns in their order, of which the first is the
	// profile's first target.
	targets []target
}

// target is a lun: what jobs call it, empty for the first, and where the last
// region on it ends.
type target struct {
	lun, name string
	ends      int64
}

// note adds a comment, once.
func (w *writer) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.notes, text) {
		w.notes = append(w.notes, text)
	}
}

// profile puts the parts together.
func (w *writer) profile() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Converted from %s, a parameter file of vdbench.\n#\n", oneLine(w.name))
	if len(w.targets) > 1 {
		w.note("it has several targets: run it with %s, and --destroy in the same way where they are written", w.flags())
	}
	for _, n := range append(differences(), w.notes...) {
		fmt.Fprintf(&out, "# - %s\n", oneLine(n))
	}
	fmt.Fprintf(&out, "\nschema: 1\nname: %s\n", word(w.name))
	if len(w.targets) > 0 {
		out.WriteString(w.sizes())
	}
	out.WriteString("workloads:\n")
	out.Write(w.body.Bytes())
	out.WriteString("measure: {duration: 30s, repeats: 1}\n")
	return out.Bytes()
}

// differences are the notes that every conversion needs.
func differences() []string {
	return []string{
		"vdbench runs each point once, in the file's order; repeats: 7 or more gives intervals, in random order",
		"response times count from when an operation was due, not from when a thread was free to issue it",
		"the target is named on the command line, not here (--target, and --destroy where it is written)",
	}
}

// workload writes a run, or a curve: the maximum and its points.
func (w *writer) workload(r vdbench.Run, points []vdbench.Run) {
	fmt.Fprintf(&w.body, "  - name: %s\n", w.unique(r))
	fmt.Fprintf(&w.body, "    why: %q\n", "vdbench's run "+r.Name+loopText(r))
	fmt.Fprintf(&w.body, "    measure: {%s}\n", w.window(r))
	if r.Curve {
		w.curve(r, points)
	}
	w.body.WriteString("    jobs:\n")
	specs := r.Specs(r.Rate)
	for i, j := range r.Jobs {
		on := w.target(j)
		on.ends = max(on.ends, specs[i].Region.Offset+specs[i].Region.Length)
		keys := job(specs[i], r.Curve && j.Share > 0)
		if on.name != "" {
			keys = slices.Insert(keys, 1, "target: "+on.name)
		}
		fmt.Fprintf(&w.body, "      - {%s}\n", strings.Join(keys, ", "))
	}
}

// curve writes the load points.
func (w *writer) curve(r vdbench.Run, points []vdbench.Run) {
	var percents []string
	for _, p := range points {
		if p.Percent > 100 {
			w.note("%s: the curve's point %g%% is left out: to offer more than the maximum only shows that the rate is missed", r.CurveAt, p.Percent)
			continue
		}
		percents = append(percents, percentText(p.Percent/100))
	}
	depth := 0
	for _, j := range r.Jobs {
		if j.Share > 0 && depth > 0 && j.Spec.Depth != depth {
			w.note("%s: the jobs of the curve %s have different numbers of threads: here all have the most", r.At, r.Name)
		}
		if j.Share > 0 {
			depth = max(depth, j.Spec.Depth)
		}
	}
	w.note("the rates of a curve are not rounded, and each job's is the percentage of its own maximum, whatever its skew")
	if r.StopCurve > 0 {
		w.note("%s: stopcurve=%s is left out: all points are measured, for it ends all runs that follow too", r.StopAt, plain(r.StopCurve.Seconds()*1000))
	}
	fmt.Fprintf(&w.body, "    load: {percent: [%s], outstanding: %d}\n", strings.Join(percents, ", "), depth)
}

// window writes how a run is measured.
func (w *writer) window(r vdbench.Run) string {
	warmup := r.Warmup
	if warmup >= r.Elapsed {
		w.note("%s: the warm-up of %s is as long as the run or longer: it is cut to half of it", r.At, r.Name)
		warmup = r.Elapsed / 2
	}
	parts := []string{"duration: " + durationText(r.Elapsed), "warmup: " + durationText(warmup)}
	if r.MaxBytes > 0 {
		parts = append(parts, "amount: "+units.FormatBytes(r.MaxBytes))
	}
	if r.Pause > 0 {
		parts = append(parts, "settle: "+durationText(r.Pause))
	}
	return strings.Join(parts, ", ")
}

// unique names a run's workload.
func (w *writer) unique(r vdbench.Run) string {
	base := word(r.Name + loopText(r))
	name := base
	for n := 2; slices.Contains(w.names, name); n++ {
		name = fmt.Sprintf("%s-%d", base[:min(len(base), 56)], n)
	}
	w.names = append(w.names, name)
	return name
}

func loopText(r vdbench.Run) string {
	var b strings.Builder
	for _, l := range r.Loops {
		fmt.Fprintf(&b, " %s=%s", l.Key, l.Value)
	}
	return b.String()
}
