package tunables

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Staged is a setting that the next boot or load will make.
type Staged struct {
	Tunable string `json:"tunable"`
	// Address is where the value was written, Before what was there.
	Address string `json:"address"`
	Before  string `json:"before"`
	Asked   string `json:"asked"`
}

// NeedsBoot says that the setting acts in the kernel of goos only after a
// reboot or reload, and that it can be staged for that.
func (s Setting) NeedsBoot(goos string) bool {
	k, ok := s.Tunable.Knob(goos)
	return ok && k.Reboot && k.Boot != "" && (s.Via == Auto || s.Via == Kernel)
}

// Stage writes settings for the next boot, under the journal, which is left as
// it is: Recover puts the values before back, in this boot or a later one. The
// Host must have been made with Stage. Its errors are those of Apply.
func (h *Host) Stage(ctx context.Context, settings []Setting) ([]Staged, error) {
	if !h.o.Stage {
		return nil, errors.New("stage settings: the host was not made to stage")
	}
	lease, err := h.Apply(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("stage settings for the next boot: %w", err)
	}
	h.lease = nil
	var staged []Staged
	for _, s := range lease.settings {
		if s.Observed != s.Asked {
			return nil, errors.Join(fmt.Errorf("stage %s: %q was written and %q is there", s.Tunable, s.Asked, s.Observed), lease.Restore(ctx))
		}
		staged = append(staged, Staged{Tunable: s.Tunable, Address: s.Address, Before: s.Before, Asked: s.Asked})
	}
	if lease.journal == nil {
		return staged, nil
	}
	return staged, lease.journal.Close()
}

// BootID tells this boot from others; empty where the system has no such thing.
func (h *Host) BootID() string { return h.o.BootID }

// booted takes the settings that the boot has made out of plans. What the
// kernel made of each is read, as it may have rounded.
func (h *Host) booted(ctx context.Context, l *Lease, plans []plan) ([]plan, error) {
	var left []plan
	for _, p := range plans {
		i := slices.IndexFunc(h.o.Booted, func(s Staged) bool { return s.Tunable == p.Name && s.Asked == p.asked })
		if i < 0 {
			left = append(left, p)
			continue
		}
		v, err := h.read(ctx, p.knob)
		if err != nil {
			return nil, err
		}
		a := Applied{Tunable: p.Name, Address: p.addr.String(), Before: h.o.Booted[i].Before, Asked: p.asked, Observed: v.Current,
			Note: "set for the boot by " + h.o.Booted[i].Address}
		a.explain()
		l.settings = append(l.settings, a)
	}
	return left, nil
}
