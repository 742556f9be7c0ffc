package vdbench

import (
	"path"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/workloads"
)

// jobs returns the jobs of a run: each of its workloads on each of its SDs.
func (f *File) jobs(d definition, combination []Loop) ([]Job, error) {
	if p, ok := f.general.find("concatenatesds"); ok && p.first() != "no" {
		return nil, p.errorf("concatenated SDs are not supported: name one target, or several side by side")
	}
	chosen, err := f.workloads(d)
	if err != nil {
		return nil, err
	}
	shares, err := skews(d, chosen)
	if err != nil {
		return nil, err
	}
	override := definition{at: d.at}
	for _, loop := range combination {
		override.params = append(override.params, param{loop.Key, []string{loop.Value}, d.at})
	}
	var list []Job
	users := map[string]int{} // of each SD's threads
	var shared []int          // jobs without threads of their own
	for i, w := range chosen {
		targets, err := f.targets(d, w)
		if err != nil {
			return nil, err
		}
		for _, sd := range targets {
			job, err := f.job(d, scope{override, w, sd, f.general}, shares[i]/float64(len(targets)))
			if err != nil {
				return nil, err
			}
			if _, own := w.find("threads"); !own {
				users[sd.name]++
				shared = append(shared, len(list))
			}
			list = append(list, job)
		}
	}
	for _, i := range shared {
		spec := &list[i].Spec
		spec.Depth = max(1, spec.Depth/users[list[i].Storage])
	}
	return list, nil
}

// workloads returns what wd= names, or the SDs of a run that has only sd=.
func (f *File) workloads(d definition) ([]definition, error) {
	p, ok := d.find("wd")
	if !ok {
		sd, ok := d.find("sd")
		if !ok {
			return nil, d.at.errorf("neither wd= nor sd= says what to do")
		}
		w := definition{name: d.name, at: d.at, params: slices.Clone(f.defaults[workload].params)}
		w.set(sd)
		return []definition{w}, nil
	}
	return choose(p, f.loads)
}

// targets returns a workload's SDs; the run's sd= has precedence.
func (f *File) targets(d, w definition) ([]definition, error) {
	p, ok := d.find("sd")
	if !ok {
		if p, ok = w.find("sd"); !ok {
			return nil, w.at.errorf("wd=%s has no sd=", w.name)
		}
	}
	return choose(p, f.storages)
}

// choose returns the definitions that names, ranges a1-a8 and patterns a* name.
func choose(p param, from []definition) ([]definition, error) {
	var list []definition
	for _, name := range p.values {
		found := false
		for _, d := range from {
			if fits(name, d.name) && !slices.ContainsFunc(list, func(o definition) bool { return o.name == d.name }) {
				list = append(list, d)
			}
			found = found || fits(name, d.name)
		}
		if !found {
			return nil, p.errorf("nothing is called %q", name)
		}
	}
	return list, nil
}

func fits(pattern, name string) bool {
	if low, high, ok := cutRange(pattern); ok {
		stem := strings.TrimRight(low, "0123456789")
		return strings.HasPrefix(name, stem) && strings.HasPrefix(high, stem) &&
			within(name[len(stem):], low[len(stem):], high[len(stem):])
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// within compares whole numbers as text, so that any length will do.
func within(n, low, high string) bool {
	if n == "" || strings.Trim(n, "0123456789") != "" {
		return false
	}
	return compare(low, n) <= 0 && compare(n, high) <= 0
}

func compare(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// skews returns each workload's share of the rate: what its skew= says, and
// for the others equal parts of the rest. Workloads with a rate of their own
// have none.
func skews(d definition, chosen []definition) ([]float64, error) {
	shares := make([]float64, len(chosen))
	sum, open := 0.0, 0
	for i, w := range chosen {
		_, rate := w.find("iorate")
		skew, err := skewOf(w)
		if err != nil {
			return nil, err
		}
		switch {
		case rate:
		case skew > 0:
			shares[i] = skew / 100
			sum += skew
		default:
			shares[i] = -1
			open++
		}
	}
	if open > 0 && sum > 99.99 {
		return nil, d.at.errorf("skews add up to %.2f: nothing is left for the workloads without one", sum)
	}
	if sum > 100.01 || (open == 0 && sum > 0 && sum < 99.99) {
		return nil, d.at.errorf("skews add up to %.2f: they must add up to 100", sum)
	}
	for i := range shares {
		if shares[i] < 0 {
			shares[i] = (100 - sum) / 100 / float64(open)
		}
	}
	return shares, nil
}

// skewOf returns a workload's skew in percent, 0 where it says none.
func skewOf(w definition) (float64, error) {
	p, ok := w.find("skew")
	if !ok {
		return 0, nil
	}
	v, err := percent(p.first())
	if err != nil {
		return 0, p.errorf("%w", err)
	}
	return v, nil
}

// scope is where a parameter is looked up, the first that has it wins: the
// run's loops, the workload, the storage, the general part.
type scope [4]definition

func (s scope) find(key string) (param, bool) {
	for _, d := range s {
		if p, ok := d.find(key); ok {
			return p, true
		}
	}
	return param{}, false
}

func (f *File) job(d definition, s scope, share float64) (Job, error) {
	w, sd := s[1], s[2]
	lun, _ := sd.find("lun")
	j := Job{Workload: w.name, Storage: sd.name, Path: lun.first(), Share: share}
	j.Spec = workloads.Spec{Name: w.name + "@" + sd.name, Depth: 8, Mix: workloads.Mix{Read: 1}}
	for _, key := range []string{
		"xfersize", "threads", "rdpct", "seekpct", "stride", "size", "offset", "range", "align", "hotband",
		"hitarea", "rhpct", "whpct", "streams", "compratio", "dedupratio", "dedupunit",
	} {
		if p, ok := s.find(key); ok {
			if err := setField(&j.Spec, p); err != nil {
				return j, p.errorf("%w", err)
			}
		}
	}
	if p, ok := d.find("distribution"); ok {
		if err := setArrivals(&j.Spec, p.first()); err != nil {
			return j, p.errorf("%w", err)
		}
	}
	if err := ownRate(&j, w); err != nil {
		return j, err
	}
	if h := &j.Spec.Hit; h.AreaBytes == 0 && (h.Read > 0 || h.Write > 0) {
		h.AreaBytes = 1 << 20
	}
	if j.Spec.Access.Random > 0 { // vdbench ignores both there
		j.Spec.Streams, j.Spec.Stride = 0, workloads.SizeRange{}
	}
	return j, nil
}

// ownRate reads a workload's own rate, which vdbench wants a priority for.
func ownRate(j *Job, w definition) error {
	p, ok := w.find("iorate")
	if !ok {
		return nil
	}
	if _, ok := w.find("priority"); !ok {
		return p.errorf("a workload with iorate= must have priority= too")
	}
	rate, err := number(p.first())
	if err != nil || rate <= 0 {
		return p.errorf("%q is no rate above 0", p.first())
	}
	j.Spec.Rate, j.Share = rate, 0
	return nil
}
