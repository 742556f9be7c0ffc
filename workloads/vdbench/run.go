package vdbench

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

// Pace is how a run is paced.
type Pace uint8

// The ways to pace a run.
const (
	Max     Pace = iota // as fast as it goes
	Fixed               // at Rate
	OfCurve             // at Percent of the rate that the Max run before it reached
)

// Loop is one parameter that a run definition sets or steps through.
type Loop struct{ Key, Value string }

// Run is one run of a parameter file.
type Run struct {
	Name string
	Pace Pace
	// Rate is in operations per second, for Fixed runs.
	Rate float64
	// Percent is the point of a curve.
	Percent float64
	// Curve says that the runs after this Max run, up to the next, are points
	// of the curve whose maximum it measures.
	Curve bool
	// At, CurveAt and StopAt are where the run's definition, the points of its
	// curve and its stopcurve= stand, as file:line.
	At, CurveAt, StopAt string
	// StopCurve is the mean response time at which the curve ends; 0: none.
	StopCurve time.Duration

	Elapsed, Interval, Warmup, Pause time.Duration
	// MaxBytes ends the run by amount; 0: no limit.
	MaxBytes int64
	Loops    []Loop
	Jobs     []Job
}

// Job is one workload definition on one storage definition.
type Job struct {
	Workload, Storage string
	// Path is the storage's lun, as it stands in the file.
	Path string
	// Share is the job's part (0 to 1) of the run's rate; 0 for a job that has
	// a rate of its own. In a Max run it is only what was asked for: nothing
	// holds closed loops to it.
	Share float64
	Spec  workloads.Spec
}

// Specs returns the jobs' specs at a total rate in operations per second; 0
// means as fast as they go.
func (r Run) Specs(rate float64) []workloads.Spec {
	list := make([]workloads.Spec, len(r.Jobs))
	for i, j := range r.Jobs {
		list[i] = j.Spec
		if j.Share > 0 {
			list[i].Rate = rate * j.Share
		}
	}
	return list
}

// CurveRate returns the rate of a curve's point: the percentage of the maximum
// in operations per second, rounded up to 100 above 1000 and else up to 10. A
// maximum of 0 counts as 10000.
func CurveRate(maximum, percent float64) float64 {
	if maximum == 0 {
		maximum = 10_000
	}
	rate, step := math.Round(maximum)*percent/100, 10.0
	if rate > 1000 {
		step = 100
	}
	return math.Ceil(rate/step) * step
}

// Expand returns the runs of a file in order.
func (f *File) Expand() ([]Run, error) {
	var list []Run
	for _, d := range f.runs {
		runs, err := f.expand(d)
		if err != nil {
			return nil, fmt.Errorf("expand rd=%s: %w", d.name, err)
		}
		if list = append(list, runs...); len(list) > mostValues {
			return nil, fmt.Errorf("expand rd=%s: more than %d runs", d.name, mostValues)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("expand parameter file: it has no rd=")
	}
	return list, nil
}

func (f *File) expand(d definition) ([]Run, error) {
	base, err := timing(d)
	if err != nil {
		return nil, err
	}
	points, err := paces(d, base)
	if err != nil {
		return nil, err
	}
	combinations, err := loops(d)
	if err != nil {
		return nil, err
	}
	if len(points)*len(combinations) > mostValues {
		return nil, d.at.errorf("more than %d runs", mostValues)
	}
	var list []Run
	for _, combination := range combinations {
		jobs, err := f.jobs(d, combination)
		if err != nil {
			return nil, err
		}
		for _, point := range points {
			point.Loops = append(append([]Loop(nil), combination...), point.Loops...)
			point.Jobs = jobs
			for _, s := range point.Specs(point.Rate) {
				if err := s.Validate(workloads.Geometry{}); err != nil {
					return nil, d.at.errorf("%w", err)
				}
			}
			list = append(list, point)
		}
	}
	return list, nil
}

// timing reads what all runs of a definition share.
func timing(d definition) (Run, error) {
	r := Run{Name: d.name, At: d.at.where(), Elapsed: 30 * time.Second, Interval: time.Second}
	for _, field := range []struct {
		key string
		to  *time.Duration
	}{{"elapsed", &r.Elapsed}, {"interval", &r.Interval}, {"warmup", &r.Warmup}, {"pause", &r.Pause}} {
		p, ok := d.find(field.key)
		if !ok {
			continue
		}
		v, err := seconds(p.first())
		if err != nil || v < 0 {
			return r, p.errorf("%q is no time: give seconds, 5m or 2h", p.first())
		}
		*field.to = v
	}
	if p, ok := d.find("maxdata"); ok {
		v, err := whole(p.first())
		if err != nil {
			return r, p.errorf("%w", err)
		}
		r.MaxBytes = v
	}
	if r.Interval == 0 || r.Elapsed < 2*r.Interval || r.Elapsed%r.Interval != 0 {
		return r, d.at.errorf("elapsed %v: must be a multiple of interval, %v, and at least twice it", r.Elapsed, r.Interval)
	}
	return r, nil
}

// paces reads iorate= and returns a run for each of its points, in order.
func paces(d definition, base Run) ([]Run, error) {
	p, ok := d.find("iorate")
	if !ok {
		return nil, d.at.errorf("iorate= is missing: give a rate, max or curve")
	}
	switch word := strings.ToLower(p.first()); {
	case word == "max" && len(p.values) > 1:
		return curve(d, base, p, p.values[1:])
	case word == "max":
		return []Run{base}, nil
	case word == "curve":
		points := []string{"10", "50", "70", "80", "90", "100"}
		if c, ok := d.find("curve"); ok {
			p, points = c, c.values
		}
		return curve(d, base, p, points)
	}
	rates, err := numbers(p.values)
	if err != nil {
		return nil, p.errorf("%w", err)
	}
	var list []Run
	for _, rate := range rates {
		if rate <= 0 {
			return nil, p.errorf("rate %v: give a rate above 0, max or curve", rate)
		}
		r := base
		r.Pace, r.Rate = Fixed, rate
		if len(rates) > 1 {
			r.Loops = []Loop{{"iorate", plain(rate)}}
		}
		list = append(list, r)
	}
	return list, nil
}

func curve(d definition, base Run, p param, points []string) ([]Run, error) {
	if stop, ok := d.find("stopcurve"); ok {
		ms, err := number(stop.first())
		if err != nil || ms < 0 || ms > 1e9 {
			return nil, stop.errorf("%q is no number of milliseconds", stop.first())
		}
		base.StopCurve, base.StopAt = time.Duration(ms*float64(time.Millisecond)), stop.at.where()
	}
	base.CurveAt = p.at.where()
	first := base
	first.Curve = true
	list := []Run{first}
	trimmed := make([]string, len(points))
	for i, point := range points {
		trimmed[i] = strings.TrimSuffix(point, "%")
	}
	percents, err := numbers(trimmed)
	if err != nil {
		return nil, p.errorf("%w", err)
	}
	for _, percent := range percents {
		if percent <= 0 {
			return nil, p.errorf("curve point %v %%: give a percentage above 0", percent)
		}
		r := base
		r.Name = fmt.Sprintf("%s_(%s%%)", base.Name, plain(percent))
		r.Pace, r.Percent = OfCurve, percent
		list = append(list, r)
	}
	return list, nil
}

// loops returns every combination of the parameters that a run definition sets
// itself, the last one innermost.
func loops(d definition) ([][]Loop, error) {
	list := [][]Loop{nil}
	for _, p := range d.params {
		switch p.key {
		case "xfersize", "threads", "rdpct", "rhpct", "whpct", "seekpct", "hitarea", "compratio":
		default:
			continue
		}
		values, err := loopValues(p)
		if err != nil {
			return nil, err
		}
		if len(list)*len(values) > mostValues {
			return nil, p.errorf("more than %d combinations", mostValues)
		}
		var next [][]Loop
		for _, outer := range list {
			for _, v := range values {
				next = append(next, append(append([]Loop(nil), outer...), Loop{p.key, v}))
			}
		}
		list = next
	}
	return list, nil
}

func loopValues(p param) ([]string, error) {
	if _, err := number(p.first()); err != nil && len(p.values) == 1 && p.key == "seekpct" {
		return p.values, nil
	}
	list, err := numbers(p.values)
	if err != nil {
		return nil, p.errorf("%w", err)
	}
	var texts []string
	for _, v := range list {
		text := plain(v)
		if p.key == "xfersize" || p.key == "hitarea" {
			text = sizeText(v)
		}
		texts = append(texts, text)
	}
	return texts, nil
}
