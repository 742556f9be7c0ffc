package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
)

// namedFlag is an option that is given once for the first target, and as
// NAME=VALUE for each beside it. It implements pflag.Value.
type namedFlag struct {
	first *string
	named map[string]string
}

// Set keeps a value. What stands before a = is a name only where it looks like
// one of a profile's: a path that does may begin with ./ instead.
func (n namedFlag) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}$`).MatchString(name) {
		*n.first = text
		return nil
	}
	if _, twice := n.named[name]; twice {
		return fmt.Errorf("%s is named twice: give each target once", name)
	}
	n.named[name] = value
	return nil
}

// String is the first target's value.
func (n namedFlag) String() string {
	if n.first == nil {
		return ""
	}
	return *n.first
}

// Type is what help calls the value.
func (namedFlag) Type() string { return "string" }

// namedTarget is a target beside the first, as jobs call it. It has no knobs: settings
// act on the first.
type namedTarget struct {
	name string
	*target
}

// openNamedTargets opens the targets that jobs name, or makes scratch devices of them
// where the first is one.
func (t *target) openNamedTargets(ctx context.Context, f *targetFlags, p *profiles.Profile, state string) error {
	names := p.NamedTargets()
	for _, given := range []map[string]string{f.namedPaths, f.namedIDs} {
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(names, name) {
				return withCode(exitUsage, fmt.Errorf("profile %s has no target %q: its jobs go to %s", p.Name, name, strings.Join(append([]string{"the first"}, names...), ", ")))
			}
		}
	}
	for _, name := range names {
		s := namedTarget{name, &target{}}
		if err := s.open(ctx, f, p, state); err != nil {
			return errors.Join(fmt.Errorf("target %s: %w", name, err), s.Close())
		}
		t.closers = append(t.closers, s.Close)
		if err := t.apart(s); err != nil {
			return err
		}
		t.named = append(t.named, s)
		t.note += fmt.Sprintf("\ntarget %s: %s (%s), %s", name, s.info.Path, s.info.ID, units.FormatBytesApprox(float64(s.info.SizeBytes)))
	}
	return nil
}

// open opens one. What it opened before an error is its owner's to close.
func (s namedTarget) open(ctx context.Context, f *targetFlags, p *profiles.Profile, state string) error {
	var err error
	switch path, given := f.namedPaths[s.name]; {
	case f.path == "" && !given:
		err = s.openScratch(ctx, &targetFlags{scratch: f.scratch}, p)
	case f.path == "":
		return withCode(exitUsage, errors.New("the first target is missing: name it with --target PATH"))
	case path == "":
		return withCode(exitUsage, fmt.Errorf("jobs of profile %s go there: say what it is with --target %s=PATH", p.Name, s.name))
	default:
		err = s.openNamed(f, s.name, p, state)
	}
	if err != nil {
		return err
	}
	s.device = device.ToResult(s.info)
	s.device.Scratch = s.scratch
	if p.Target.Device && s.info.IsFile() {
		return withCode(exitRefused, fmt.Errorf("profile %s needs block devices, and %s is a file: name a device", p.Name, s.info.Name))
	}
	if !s.info.IsFile() {
		s.meter = device.NewMeter(s.info)
	}
	return nil
}

// apart refuses one device under two names: its counters would be those of both.
func (t *target) apart(s namedTarget) error {
	for _, other := range append([]namedTarget{{"", t}}, t.named...) {
		if other.info.Path == s.info.Path || other.info.ID == s.info.ID {
			return withCode(exitUsage, fmt.Errorf("target %s is %s, which is named as another target too: give each a device of its own", s.name, s.info.Path))
		}
	}
	return nil
}

// equip is the target as a campaign has it.
func (s namedTarget) equip() campaign.NamedTarget {
	out := campaign.NamedTarget{Name: s.name, Target: s.runner()}
	if s.meter != nil {
		out.Meter = s.meter
	}
	if r := s.health(); r != nil {
		out.Health = r
	}
	return out
}

// sameNamed refuses to go on with a run on other devices.
func sameNamed(old, now *results.Run) error {
	for i, was := range old.NamedTargets {
		if i >= len(now.NamedTargets) || was.Device.ID != now.NamedTargets[i].Device.ID && !was.Device.Scratch {
			return fmt.Errorf("its target %s was %s (%s): name the same device with --target %s=PATH", was.Target, was.Device.Name, was.Device.ID, was.Target)
		}
	}
	return nil
}
