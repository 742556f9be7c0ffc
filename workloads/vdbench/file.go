// Package vdbench reads vdbench's parameter files, raw I/O only, and expands
// them to the runs that vdbench would do, each as workload specs.
//
// It follows the behaviour of vdbench 5.04.07. What it cannot mean here
// (several hosts, file systems, replay, concatenated SDs) is refused; what
// changes only vdbench's own reports is ignored and noted.
package vdbench

import (
	"fmt"
	"strings"
)

// section is the kind of a definition, in the order that a file must keep.
type section int

const (
	general section = iota
	storage
	workload
	run
)

func (s section) String() string { return [...]string{"general", "sd", "wd", "rd"}[s] }

// definition is one sd=, wd= or rd= with its parameters, defaults included.
type definition struct {
	name   string
	params []param
	at     line
}

func (d definition) find(key string) (param, bool) {
	for _, p := range d.params {
		if p.key == key {
			return p, true
		}
	}
	return param{}, false
}

// set adds a parameter in place of one of the same key.
func (d *definition) set(p param) {
	kept := make([]param, 0, len(d.params)+1)
	for _, old := range d.params {
		if old.key != p.key {
			kept = append(kept, old)
		}
	}
	d.params = append(kept, p)
}

// File is a parsed parameter file.
type File struct {
	// Notes name the parameters that were ignored and why.
	Notes []string

	general  definition
	defaults [run + 1]definition
	storages []definition
	loads    []definition // workloads
	runs     []definition
	section  section
}

// Include returns the text of a file that an include= line of another names.
// vdbench looks beside the including file, then in the current folder.
type Include func(including, name string) ([]byte, error)

// mostIncludes bounds how deep includes may nest.
const mostIncludes = 8

// Parse reads a parameter file. name is for errors, include may be nil where
// no include= is expected, and values replace $key and !key in the text.
func Parse(name string, text []byte, include Include, values map[string]string) (*File, error) {
	f := &File{}
	if err := f.parse(name, text, include, values, 0); err != nil {
		return nil, fmt.Errorf("parse parameter file: %w", err)
	}
	return f, nil
}

func (f *File) parse(name string, text []byte, include Include, values map[string]string, depth int) error {
	for _, l := range splitLines(name, text) {
		l.text = substitute(l.text, values)
		params, err := splitParams(l)
		if err != nil {
			return err
		}
		if len(params) == 0 {
			continue // a lone comma
		}
		if params[0].key == "include" {
			if err := f.include(params[0], include, values, depth); err != nil {
				return err
			}
			continue
		}
		if err := f.define(params); err != nil {
			return err
		}
	}
	return nil
}

// substitute replaces the longest of the keys that follow $ or !.
func substitute(text string, values map[string]string) string {
	var b strings.Builder
	for text != "" {
		best := ""
		if text[0] == '$' || text[0] == '!' {
			for key := range values {
				if len(key) > len(best) && strings.HasPrefix(text[1:], key) {
					best = key
				}
			}
		}
		if best == "" {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		b.WriteString(values[best])
		text = text[1+len(best):]
	}
	return b.String()
}

func (f *File) include(p param, include Include, values map[string]string, depth int) error {
	if include == nil || depth == mostIncludes {
		return p.errorf("%s cannot be included here", p.first())
	}
	text, err := include(p.at.file, p.first())
	if err != nil {
		return p.errorf("%w", err)
	}
	return f.parse(p.first(), text, include, values, depth+1)
}

// define begins a definition, or adds general parameters.
func (f *File) define(params []param) error {
	head := params[0]
	s := general
	switch head.key {
	case "sd":
		s = storage
	case "wd":
		s = workload
	case "rd":
		s = run
	case "hd", "host":
		return f.host(params)
	case "fsd", "fwd", "rg":
		return head.errorf("file systems and replay are not supported: only raw I/O is")
	}
	if s < f.section {
		return head.errorf("must come before %s=: the order is general, sd, wd, rd", f.section)
	}
	if f.section = s; s == general {
		return f.add(&f.general, s, params)
	}
	if head.first() == "default" {
		return f.add(&f.defaults[s], s, params[1:])
	}
	d := definition{name: head.first(), at: head.at}
	d.params = append(d.params, f.defaults[s].params...)
	if err := f.add(&d, s, params[1:]); err != nil {
		return err
	}
	return f.keep(s, d)
}

// host takes a host that is this one, of which only jvms= and the like are said:
// they tell vdbench how to share its work out.
func (f *File) host(params []param) error {
	head := params[0]
	remote := head.first() != "default" && head.first() != "localhost"
	for _, p := range params[1:] {
		remote = remote || strings.HasPrefix("system", p.key) && p.first() != "localhost"
	}
	if remote {
		return head.errorf("%s: other hosts are not supported: only I/O from this host is", head.first())
	}
	for _, p := range params[1:] {
		f.note(p, keyword{p.key, "it is for vdbench's own processes"})
	}
	return nil
}

// note says that a parameter was left out, and why.
func (f *File) note(p param, k keyword) {
	f.Notes = append(f.Notes, fmt.Sprintf("%s: %s= has no effect here: %s", p.at.where(), k.name, k.ignored))
}

func (f *File) add(d *definition, s section, params []param) error {
	for _, p := range params {
		k, ok := match(s, p.key)
		switch {
		case !ok:
			return p.errorf("unknown keyword of %s", s)
		case k.ignored != "":
			f.note(p, k)
			continue
		}
		p.key = strings.TrimPrefix(k.name, "for")
		d.set(p)
	}
	return nil
}

func (f *File) keep(s section, d definition) error {
	switch s {
	case storage:
		list, err := copies(d)
		f.storages = append(f.storages, list...)
		return err
	case workload:
		f.loads = append(f.loads, d)
	case run:
		f.runs = append(f.runs, d)
	}
	return nil
}

// copies multiplies an SD with count=(start,n): sd and lun get the number.
func copies(d definition) ([]definition, error) {
	lun, ok := d.find("lun")
	if !ok {
		return nil, d.at.errorf("sd=%s has no lun", d.name)
	}
	count, ok := d.find("count")
	if !ok {
		return []definition{d}, nil
	}
	if len(count.values) != 2 {
		return nil, count.errorf("give (start,number)")
	}
	start, err := whole(count.values[0])
	if err != nil {
		return nil, count.errorf("%w", err)
	}
	n, err := whole(count.values[1])
	if err != nil || n < 1 || n > mostValues {
		return nil, count.errorf("%q copies: give 1 to %d", count.values[1], mostValues)
	}
	var list []definition
	for i := start; i < start+n; i++ {
		each := definition{name: d.name + fmt.Sprint(i), at: d.at, params: append([]param(nil), d.params...)}
		each.set(param{"lun", []string{lun.first() + fmt.Sprint(i)}, lun.at})
		list = append(list, each)
	}
	return list, nil
}
