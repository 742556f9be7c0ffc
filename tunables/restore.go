package tunables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/iosweep/iosweep/tunables/journal"
)

// original is what a knob must hold again.
type original struct {
	address, value string
	// write is what is written for it; it differs where value cannot be.
	write string
	// changed says that the knob was set, not merely disturbed.
	changed bool
}

func (o original) back(now string) bool { return now == o.value || now == o.write }

// originals returns what every knob held before the first entry that touched
// it: the knobs that were set, in order, and then the disturbed ones. A knob
// that was disturbed before it was set held what the snapshot says.
func originals(entries []journal.Entry) []original {
	first := map[string]original{}
	keep := func(address, value, write string) {
		if _, ok := first[address]; !ok {
			first[address] = original{address: address, value: value, write: write}
		}
	}
	var set, disturbed []string
	for _, e := range entries {
		write := e.Before
		if e.Restore != "" {
			write = e.Restore
		}
		keep(e.Address, e.Before, write)
		set = append(set, e.Address)
		for _, s := range e.Disturbed {
			keep(s.Address, s.Value, s.Value)
			disturbed = append(disturbed, s.Address)
		}
	}
	var all []original
	for i, address := range append(set, disturbed...) {
		if o, ok := first[address]; ok {
			o.changed = i < len(set)
			all = append(all, o)
			delete(first, address)
		}
	}
	return all
}

// restorer puts back what a lease or a journal holds.
type restorer struct {
	host    *Host
	journal *journal.Journal
	entries []journal.Entry
	// restoring says that an earlier attempt had begun to write.
	restoring bool
	// force writes over what something else has set.
	force bool
	// gone says that the device is not there any more, and its knobs with it.
	gone bool

	done   []Applied
	drifts []Drift
	// failed are knobs that could not be looked at; the others are put back.
	failed []error
}

// run looks at every knob before it writes any, then writes until all hold what
// they should: putting one back may disturb another. It clears the journal only
// when everything was read back.
func (r *restorer) run(ctx context.Context) error {
	left := r.survey(ctx)
	all := slices.DeleteFunc(originals(r.entries), func(o original) bool { return left[o.address] || isOrphan(o, left) })
	// The record lets a later attempt tell our own traces from others'. On a
	// full disk it is missing, and restoring goes on all the same.
	_ = r.journal.Restoring()
	r.restoring = true
	err := errors.Join(append(r.failed, r.driftError(), r.settle(ctx, all))...)
	if err != nil {
		return fmt.Errorf("restore settings of %s: %w (journal %s)", r.host.o.Device, err, r.host.JournalPath())
	}
	return r.journal.Clear()
}

// survey finds the knobs to leave alone: those that cannot be read, and those
// that something else has changed, which hold neither what was found nor what
// was written. What our own writing may have moved is exempt, and so is a
// change that was announced and perhaps half made.
func (r *restorer) survey(ctx context.Context) map[string]bool {
	left := map[string]bool{}
	for _, o := range originals(r.entries) {
		now, there, err := r.read(ctx, o.address)
		if err != nil {
			left[o.address] = true
			r.failed = append(r.failed, err)
			continue
		}
		if there && r.isForeign(o, now) {
			left[o.address] = true
			r.drifts = append(r.drifts, Drift{Tunable: r.entry(o.address).Tunable, Address: o.address, Want: o.value, Got: now})
		}
	}
	return left
}

func (r *restorer) isForeign(o original, now string) bool {
	e := r.entry(o.address)
	if e == nil || !e.Applied || r.force || r.restoring && r.disturbed(o.address) {
		return false
	}
	return !slices.Contains([]string{o.value, o.write, e.Before, e.After, e.Observed}, now)
}

// isOrphan says that a knob belongs to a scheduler which is left as something
// else chose it.
func isOrphan(o original, left map[string]bool) bool {
	return isIosched(o.address) && left["sysfs:queue/scheduler"]
}

func (r *restorer) entry(address string) *journal.Entry {
	for i := range r.entries {
		if r.entries[i].Address == address {
			return &r.entries[i]
		}
	}
	return nil
}

func (r *restorer) disturbed(address string) bool {
	return slices.ContainsFunc(r.entries, func(e journal.Entry) bool {
		return slices.ContainsFunc(e.Disturbed, func(s journal.Saved) bool { return s.Address == address })
	})
}

// settle writes until every knob holds what it should, in at most a few rounds:
// one more than the longest chain of knobs that disturb each other.
func (r *restorer) settle(ctx context.Context, all []original) error {
	const rounds = 4
	var wrong []error
	for range rounds {
		wrong = nil
		for _, o := range all {
			if err := r.put(ctx, o); err != nil {
				wrong = append(wrong, err)
			}
		}
		off, err := r.off(ctx, all)
		if err != nil {
			return errors.Join(append(wrong, err)...)
		}
		if len(off) == 0 && len(wrong) == 0 {
			return nil
		}
		wrong = append(wrong, off...)
	}
	return errors.Join(wrong...)
}

// off names every knob that does not hold what it should.
func (r *restorer) off(ctx context.Context, all []original) ([]error, error) {
	var off []error
	for _, o := range all {
		now, there, err := r.read(ctx, o.address)
		if err != nil {
			return nil, err
		}
		if there && !o.back(now) {
			off = append(off, fmt.Errorf("%w: %s was set back to %s and holds %s: look what else writes it, then run iosweep restore",
				ErrDrift, o.address, o.write, now))
		}
	}
	return off, nil
}

// put writes one knob unless it holds what it should, or is gone with its
// scheduler.
func (r *restorer) put(ctx context.Context, o original) error {
	now, there, err := r.read(ctx, o.address)
	if err != nil || !there {
		return err
	}
	if o.back(now) {
		return nil
	}
	k, err := r.host.knobAt(o.address)
	if err != nil {
		return err
	}
	if err := r.host.write(ctx, k, o.write); err != nil {
		return err
	}
	r.done = append(r.done, Applied{Tunable: k.Name, Address: o.address, Before: now, Asked: o.value, Observed: o.write})
	if o.changed {
		_ = r.journal.Restored(o.address, o.write) // for people; the knobs are what counts
	}
	return nil
}

// read reads a knob; there is false for one that left with its scheduler, or
// with its device.
func (r *restorer) read(ctx context.Context, address string) (now string, there bool, err error) {
	k, err := r.host.knobAt(address)
	if err != nil {
		return "", false, err
	}
	v, err := r.host.read(ctx, k)
	if errors.Is(err, fs.ErrNotExist) && (isIosched(address) || k.addr.Device() && r.gone) {
		return "", false, nil
	}
	return v.Current, err == nil, err
}

func (r *restorer) driftError() error {
	var errs []error
	for _, d := range r.drifts {
		errs = append(errs, fmt.Errorf("%w: %s (%s) holds %s, which is neither what it held before iosweep (%s) nor what iosweep set: something else changed it, and it is left alone: "+
			"set it yourself or run iosweep restore --force to put %s back", ErrDrift, d.Tunable, d.Address, d.Got, d.Want, d.Want))
	}
	return errors.Join(errs...)
}
