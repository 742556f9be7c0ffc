package tunables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/tunables/journal"
)

// Apply changes the kernel's knobs as settings say and reads them back. What
// acts in the stack or a model is not the Host's, and is left out. Everything
// that can be refused is refused before the first knob is touched; if a change
// fails all the same, those before it are put back. An error wraps
// ErrUnsupported, ErrRefused, ErrPending or ErrBusy where it is one.
//
// The knobs stay changed until the lease's Restore, and only one lease can be
// out at a time.
func (h *Host) Apply(ctx context.Context, settings []Setting) (*Lease, error) {
	plans, err := h.plans(settings)
	if err != nil {
		return nil, err
	}
	lease := &Lease{host: h}
	if plans, err = h.booted(ctx, lease, plans); err != nil {
		return nil, err
	}
	if len(plans) == 0 {
		return lease, nil
	}
	if err := h.ready(plans); err != nil {
		return nil, err
	}
	if err := h.checkAll(ctx, plans); err != nil {
		return nil, err
	}
	h.lease = lease
	if err := lease.apply(ctx, plans); err != nil {
		return nil, errors.Join(err, lease.abandon(ctx))
	}
	return lease, nil
}

// Check says whether Apply would refuse these settings, and changes nothing. An
// error wraps ErrUnsupported or ErrRefused where it is one.
func (h *Host) Check(ctx context.Context, settings []Setting) error {
	plans, err := h.plans(settings)
	if err != nil {
		return err
	}
	if plans, err = h.booted(ctx, &Lease{host: h}, plans); err != nil {
		return err
	}
	return h.checkAll(ctx, plans)
}

// abandon puts back a lease that nobody gets. Where that fails, the journal
// stays for Recover.
func (l *Lease) abandon(ctx context.Context) error {
	err := l.Restore(ctx)
	if err != nil {
		l.host.lease = nil
		err = errors.Join(err, l.journal.Close())
	}
	return err
}

// plans picks the settings that act in the kernel and puts those first that
// others depend on.
func (h *Host) plans(settings []Setting) ([]plan, error) {
	var plans []plan
	seen := map[string]bool{}
	for _, s := range settings {
		if !h.kernel(s) {
			continue
		}
		k, err := h.knob(s.Tunable)
		if err != nil {
			return nil, err
		}
		value, err := s.Tunable.Parse(s.Value)
		if err != nil {
			return nil, err
		}
		if seen[k.addr.String()] {
			return nil, fmt.Errorf("set %s: it is set twice in one variant", k.addr)
		}
		seen[k.addr.String()] = true
		plans = append(plans, plan{knob: k, asked: value})
	}
	return parentsFirst(plans), nil
}

// kernel says whether a setting acts in the kernel here.
func (h *Host) kernel(s Setting) bool {
	if s.Via != Auto {
		return s.Via == Kernel
	}
	_, ok := s.Tunable.Knob(h.o.OS)
	return ok || !s.Tunable.Stack
}

// parentsFirst orders plans so that each comes before those that it disturbs,
// and otherwise as they were.
func parentsFirst(plans []plan) []plan {
	var ordered []plan
	for left := slices.Clone(plans); len(left) > 0; {
		next := slices.IndexFunc(left, func(p plan) bool {
			return !slices.ContainsFunc(left, func(q plan) bool { return q.disturbs(p.knob) })
		})
		next = max(next, 0) // a ring of the catalogue's own making: any order will do
		ordered = append(ordered, left[next])
		left = slices.Delete(left, next, next+1)
	}
	return ordered
}

func (k knob) disturbs(other knob) bool {
	return slices.ContainsFunc(k.Disturbs, func(name string) bool {
		dir, wild := strings.CutSuffix(name, "*")
		return name == other.Name || wild && strings.HasPrefix(other.addr.String(), dir) || sameKnob(name, other)
	})
}

// sameKnob says that the tunable of that name is at other's address.
func sameKnob(name string, other knob) bool {
	t, ok := Lookup(name)
	return ok && slices.ContainsFunc(t.Kernel, func(k Knob) bool { return k.Address == other.addr.String() })
}

// ready takes the locks and makes sure that nothing is left of an earlier run.
func (h *Host) ready(plans []plan) error {
	if h.lease != nil {
		return fmt.Errorf("apply settings to %s: %w: restore the lease that is out first", h.o.Device, ErrPending)
	}
	wholeMachine := slices.ContainsFunc(plans, func(p plan) bool { return !p.addr.Device() })
	if err := h.acquire(wholeMachine); err != nil {
		return fmt.Errorf("apply settings: %w", err)
	}
	left, err := h.Pending()
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("apply settings to %s: %w: %s: run iosweep restore", h.o.Device, ErrPending, strings.Join(left, "; "))
	}
	if wholeMachine {
		return h.readyElsewhere(plans)
	}
	return nil
}

// readyElsewhere looks into the journals of other devices for knobs of the
// whole machine: what they hold now is not what they should hold.
func (h *Host) readyElsewhere(plans []plan) error {
	left, err := Journals(h.o.StateDir)
	if err != nil {
		return err
	}
	for _, l := range left {
		for _, p := range plans {
			if slices.Contains(l.Addresses, p.addr.String()) {
				return fmt.Errorf("set %s: %w: the journal of %s holds it: run iosweep restore", p.Name, ErrPending, l.Device)
			}
		}
	}
	return nil
}

func (h *Host) checkAll(ctx context.Context, plans []plan) error {
	scheduler := false
	for i := range plans {
		later := scheduler && isIosched(plans[i].addr.String())
		if err := h.check(ctx, &plans[i], later); err != nil {
			return err
		}
		scheduler = scheduler || plans[i].addr.String() == "sysfs:queue/scheduler"
	}
	return nil
}

// apply makes every change, then reads everything back once more: a later
// change may have moved an earlier one.
func (l *Lease) apply(ctx context.Context, plans []plan) error {
	for _, p := range plans {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("apply settings: %w", err)
		}
		if err := l.change(ctx, p); err != nil {
			return err
		}
	}
	already := len(l.settings) - len(plans) // those that the boot set
	for i := range plans {
		v, err := l.host.read(ctx, plans[i].knob)
		if err != nil {
			return err
		}
		l.settings[already+i].Observed = v.Current
		l.settings[already+i].explain()
	}
	return nil
}

// change makes one change under the journal. A value that is there already is
// not written.
func (l *Lease) change(ctx context.Context, p plan) error {
	v, err := l.host.read(ctx, p.knob)
	if err != nil {
		return err
	}
	before := v.Current
	l.settings = append(l.settings, Applied{Tunable: p.Name, Address: p.addr.String(),
		Before: l.original(p.addr.String(), before), Asked: p.asked, Note: p.note, Inert: l.host.o.Inert[p.Name]})
	if before == p.asked {
		return nil
	}
	c := journal.Change{Tunable: p.Name, Address: p.addr.String(), Before: before, After: p.asked, Restore: p.restore}
	if c.Disturbed, err = l.host.snapshot(ctx, p.knob); err != nil {
		return err
	}
	if err := l.announce(c); err != nil {
		return err
	}
	if err := l.rehearse(ctx, p, c); err != nil {
		return err
	}
	if err := l.host.write(ctx, p.knob, p.asked); err != nil {
		return err
	}
	return l.confirm(ctx, p.knob)
}

// announce makes the intention durable. Only then may the knob be touched.
func (l *Lease) announce(c journal.Change) error {
	if l.journal == nil {
		session := l.host.session()
		j, err := journal.Start(l.host.o.FS, l.host.JournalPath(), session)
		if err != nil {
			return err
		}
		l.journal, l.device = j, session.Device
	}
	if err := l.journal.Intend(c); err != nil {
		return err
	}
	l.entries = append(l.entries, journal.Entry{Change: c})
	return nil
}

// rehearse tries the way back before the way forth: a knob of which nothing is
// known may show a value that it does not take.
func (l *Lease) rehearse(ctx context.Context, p plan, c journal.Change) error {
	if p.Type != Text || p.addr.Space == SpaceCommand {
		return nil
	}
	if err := l.host.write(ctx, p.knob, c.Before); err != nil {
		return fmt.Errorf("%w: the value that it has now could not be put back: %w", ErrRefused, err)
	}
	return nil
}

func (l *Lease) confirm(ctx context.Context, k knob) error {
	v, err := l.host.read(ctx, k)
	if err != nil {
		return err
	}
	e := &l.entries[len(l.entries)-1]
	e.Applied, e.Observed = true, v.Current
	return l.journal.Applied(e.Address, v.Current)
}

// snapshot reads the knobs that writing k may reset, as far as they are there.
func (h *Host) snapshot(ctx context.Context, k knob) ([]journal.Saved, error) {
	var saved []journal.Saved
	for _, name := range k.Disturbs {
		knobs, err := h.named(k, name)
		if err != nil {
			return nil, err
		}
		for _, other := range knobs {
			if h.probe(other) != nil {
				continue // it is not there, or nobody can change it
			}
			v, err := h.read(ctx, other)
			if err != nil {
				return nil, err
			}
			saved = append(saved, journal.Saved{Address: other.addr.String(), Value: v.Current})
		}
	}
	return saved, nil
}

// named returns the knobs that a name in Disturbs stands for.
func (h *Host) named(k knob, name string) ([]knob, error) {
	dir, wild := strings.CutSuffix(name, "/*")
	if !wild {
		t, ok := Lookup(name)
		if !ok {
			return nil, fmt.Errorf("%s disturbs %s, which the catalogue does not know", k.Name, name)
		}
		other, err := h.knob(t)
		return []knob{other}, err
	}
	lister, ok := h.backends[k.addr.Space].(interface {
		List(dir string) ([]string, error)
	})
	if !ok {
		return nil, nil
	}
	_, dir, _ = strings.Cut(dir, ":")
	paths, err := lister.List(dir)
	if err != nil {
		return nil, h.explain("list", k, err)
	}
	var knobs []knob
	for _, p := range paths {
		other, err := h.knobAt(k.addr.Space + ":" + p)
		if err != nil {
			return nil, err
		}
		knobs = append(knobs, other)
	}
	return knobs, nil
}
