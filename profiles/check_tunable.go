package profiles

import (
	"fmt"
	"slices"

	"github.com/iosweep/iosweep/tunables"
)

// tunable resolves a tunable's definition and its values.
func (c *checker) tunable(path string, t *Tunable, before []Tunable) {
	name := t.Def.Name
	if slices.ContainsFunc(before, func(b Tunable) bool { return b.Def.Name == name }) {
		c.failPath(path+".name", "%q is listed twice: put all its values into one entry", name)
	}
	if !c.define(path, t) {
		return
	}
	c.via(path, *t)
	listed := len(c.p.Variants) > 0
	switch {
	case listed && len(t.Values) > 0:
		c.failPath(path+".values", "the profile lists its variants, so values have no meaning: remove one of the two")
	case !listed && len(t.Values) == 0:
		c.failPath(path, "it has no values: add values, or list variants")
	}
	for i := range t.Values {
		at := fmt.Sprintf("%s.values[%d]", path, i)
		t.Values[i] = c.canonical(at, t.Def, t.Values[i])
		if first := slices.Index(t.Values[:i], t.Values[i]); first >= 0 {
			c.failPath(at, "it is the same value as values[%d] (%s): remove one", first, t.Values[i])
		}
	}
}

// define looks the tunable up; false when there is none.
func (c *checker) define(path string, t *Tunable) bool {
	name := t.Def.Name
	def, known := tunables.Lookup(name)
	if t.Command != nil {
		if known {
			c.failPath(path+".command", "%q is a known tunable: leave command out, or call yours something else", name)
			return false
		}
		return c.defineCommand(path, t)
	}
	if !known {
		var names []string
		for _, d := range tunables.All() {
			names = append(names, d.Name)
		}
		hint := "write a name that iosweep tunables lists, an address (sysfs:, sysctl:, module:), or add command"
		if near := nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		c.failPath(path+".name", "no tunable %q: %s", name, hint)
		return false
	}
	t.Def = def
	return true
}

func (c *checker) defineCommand(path string, t *Tunable) bool {
	address, err := tunables.CommandAddress(*t.Command)
	if err != nil {
		c.failPath(path+".command", "%v", err)
		return false
	}
	name := t.Def.Name
	def, ok := tunables.Lookup(address.String())
	if !ok {
		c.failPath(path+".command", "it cannot be used: write get and set as lists, each beginning with an absolute path")
		return false
	}
	def.Name, def.Summary = name, "a knob set by a command of the profile"
	t.Def = def
	return true
}

// via refuses a place in which the tunable cannot act on any system.
func (c *checker) via(path string, t Tunable) {
	switch {
	case t.Via == tunables.Stack && !t.Def.Stack:
		c.failPath(path+".via", "iosweep's own layers cannot act %s: write via: kernel or leave it out", t.Def.Name)
	case t.Via == tunables.Kernel && len(t.Def.Kernel) == 0:
		c.failPath(path+".via", "no kernel has a knob for %s: write via: stack or leave it out", t.Def.Name)
	}
}

// canonical is the value in the tunable's own text; on error, the text as is.
func (c *checker) canonical(path string, def tunables.Tunable, text string) string {
	value, err := def.Parse(text)
	if err != nil {
		c.failPath(path, "%v", err)
		return text
	}
	return value
}

// variants resolves listed variants, and takes the tunables' values from them.
func (c *checker) variants() {
	labels, same := map[string]int{}, map[string]int{}
	for i := range c.p.Variants {
		path := fmt.Sprintf("variants[%d]", i)
		v := &c.p.Variants[i]
		if first, twice := labels[v.Label]; twice {
			c.failPath(path+".label", "%q is also the label of variants[%d]: give it another", v.Label, first)
		}
		labels[v.Label] = i
		for j := range v.Settings {
			c.setting(path+".settings", &v.Settings[j])
		}
		id := variantID(v.Settings)
		if first, twice := same[id]; twice {
			c.failPath(path+".settings", "these are the settings of variants[%d] again: remove one", first)
		}
		same[id] = i
	}
}

// setting resolves one setting of a listed variant.
func (c *checker) setting(path string, s *tunables.Setting) {
	at := path + "." + s.Tunable.Name
	var names []string
	for i := range c.p.Tunables {
		t := &c.p.Tunables[i]
		names = append(names, t.Def.Name)
		if t.Def.Name != s.Tunable.Name {
			continue
		}
		s.Tunable, s.Via = t.Def, t.Via
		s.Value = c.canonical(at, t.Def, s.Value)
		if !slices.Contains(t.Values, s.Value) {
			t.Values = append(t.Values, s.Value)
		}
		return
	}
	c.failPath(at, "no tunable %q in this profile: %s", shorten(s.Tunable.Name), suggest(s.Tunable.Name, names))
}

// unvaried refuses a tunable that the profile names and never changes.
func (c *checker) unvaried() {
	for i, t := range c.p.Tunables {
		if t.Def.Summary == "" {
			continue // it was not found, and that is said already
		}
		used := len(c.p.Variants) > 0 && len(t.Values) > 0
		for _, w := range c.p.Workloads {
			used = used || len(c.p.Variants) == 0 && slices.Contains(w.Vary, t.Def.Name)
		}
		if !used {
			c.failPath(fmt.Sprintf("tunables[%d]", i), "nothing varies %s: name it in a workload's vary (or a variant's settings), or remove it", t.Def.Name)
		}
	}
}
