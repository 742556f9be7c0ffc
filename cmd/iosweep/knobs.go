package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/iosweep/iosweep/tunables"
)

// planKnobs lists every knob that a plan would change and where: the kernel's
// address, or iosweep's own layers.
func planKnobs(plan *profiles.Plan) []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range plan.Variants {
		for _, s := range v.Settings {
			text := knobText(s, true)
			if !seen[text] {
				seen[text] = true
				out = append(out, text)
			}
		}
	}
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}

// knobText says where one setting acts.
func knobText(s tunables.Setting, kernelKnobs bool) string {
	via, err := campaign.ResolveVia(s, kernelKnobs, false)
	if err != nil {
		return s.Tunable.Name + " (unsupported here)"
	}
	if via != tunables.Kernel {
		return s.Tunable.Name + " (in iosweep's own layer)"
	}
	knob, _ := s.Tunable.Knob(runtime.GOOS)
	return fmt.Sprintf("%s (%s)", s.Tunable.Name, knob.Address)
}

// changesKernel reports whether any variant of a plan changes a kernel knob.
func changesKernel(plan *profiles.Plan) bool {
	for _, v := range plan.Variants {
		for _, s := range v.Settings {
			if via, err := campaign.ResolveVia(s, true, false); err == nil && via == tunables.Kernel {
				return true
			}
		}
	}
	return false
}

// lackingKnobs is the error that a plan's knobs cannot be reached, for the reason
// given, where iosweep's own layers can act none of its settings either; nil
// where they can act some.
func lackingKnobs(plan *profiles.Plan, why error) error {
	name := ""
	for _, v := range plan.Variants {
		unmet := ""
		for _, s := range v.Settings {
			if _, err := campaign.ResolveVia(s, false, false); err != nil && unmet == "" {
				unmet = s.Tunable.Name
			}
		}
		if len(v.Settings) > 0 && unmet == "" {
			return nil
		}
		if name == "" {
			name = unmet
		}
	}
	if name == "" {
		return nil
	}
	return withCode(exitUnsupported, fmt.Errorf("set %s: it needs the knob of a kernel: %w", name, why))
}

// knobMode is the mode of the first file of a plan's knobs below a device's folder
// in sysfs, as a remark, or nothing where there
// is none.
func knobMode(sysDir string, plan *profiles.Plan) string {
	for _, v := range plan.Variants {
		for _, s := range v.Settings {
			k, ok := s.Tunable.Knob(runtime.GOOS)
			path, isFile := strings.CutPrefix(k.Address, tunables.SpaceSysfs+":")
			if !ok || !isFile {
				continue
			}
			file := filepath.Join(sysDir, path)
			if info, err := os.Stat(file); err == nil {
				return fmt.Sprintf(" (%s has mode %s)", file, info.Mode().Perm())
			}
		}
	}
	return ""
}

// inertKnobs says of the kernel's knobs, by name, why they cannot act on a
// device with these settings.
func inertKnobs(settings map[string]string) map[string]string {
	const (
		unsorted = ": no effect to be expected here: this disk's driver takes requests as they come and does not sort; say via: stack to try iosweep's own layer in front of it"
		bypassed = ": no effect to be expected: it acts on the page cache, which iosweep's direct I/O passes by; leave it out"
	)
	inert := map[string]string{}
	for _, t := range tunables.All() {
		switch {
		case t.Buffered:
			explainInert(inert, t, bypassed)
		case t.Name == "bioq_batchsize" && settings[device.SortsSetting] == "no":
			explainInert(inert, t, unsorted)
		}
	}
	return inert
}

// explainInert notes why a tunable cannot act, under its name and the addresses
// of its knobs.
func explainInert(inert map[string]string, t tunables.Tunable, why string) {
	inert[t.Name] = t.Name + why
	for _, k := range t.Kernel {
		inert[k.Address] = k.Address + why
	}
}

// noEffect says which of a plan's settings cannot act on a device, or nothing.
func noEffect(plan *profiles.Plan, settings map[string]string) string {
	inert := inertKnobs(settings)
	for _, v := range plan.Variants {
		for _, s := range v.Settings {
			if via, err := campaign.ResolveVia(s, true, false); err == nil && via == tunables.Kernel && inert[s.Tunable.Name] != "" {
				return inert[s.Tunable.Name]
			}
		}
	}
	return ""
}

// privileged reports whether the process may be expected to change the system.
func privileged() bool { return device.Privileged() }

// errNoCommands refuses tunables that run programs unless the operator allows
// them: a profile is somebody else's text.
var errNoCommands = errors.New("the profile runs commands to read and write a tunable: read it, and if you trust it say --allow-commands")
