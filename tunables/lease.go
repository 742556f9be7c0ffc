package tunables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/iosweep/iosweep/tunables/journal"
)

// restoreLimit is how long putting everything back may take once the caller's
// context no longer counts.
const restoreLimit = time.Minute

// Applied is a setting as the kernel took it.
type Applied struct {
	Tunable, Address string
	// Before is the value before iosweep, Asked the one that was asked for, and
	// Observed the one that was read back, which is the one that counts.
	Before, Asked, Observed string
	// Note says what a reader must know, such as that the kernel clamped.
	Note string
	// Inert is why it cannot act on this device; empty where it may.
	Inert string
}

func (a *Applied) explain() {
	if a.Observed == a.Asked {
		return
	}
	text := fmt.Sprintf("asked %s, the kernel made it %s", a.Asked, a.Observed)
	if a.Note != "" {
		text += "; " + a.Note
	}
	a.Note = text
}

// Drift is a knob that no longer holds what was read back after it was set.
type Drift struct {
	Tunable, Address string
	Want, Got        string
}

// String is the drift as a sentence.
func (d Drift) String() string {
	return fmt.Sprintf("%s is %s, it was %s when the trial began", d.Tunable, d.Got, d.Want)
}

// Lease is a set of changes that will be put back.
type Lease struct {
	host     *Host
	settings []Applied
	journal  *journal.Journal // nil while nothing is changed
	device   journal.Device   // as the journal has it
	entries  []journal.Entry
	// restoring says that restoring has begun, restored that it is done.
	restoring, restored bool
}

// Settings returns what was applied, in the order in which it was.
func (l *Lease) Settings() []Applied { return append([]Applied(nil), l.settings...) }

// missing is what Check says of a knob that left with its scheduler or device.
const missing = "(not there any more)"

// Check reads every knob again and returns those that no longer hold what was
// read back after they were set.
func (l *Lease) Check(ctx context.Context) ([]Drift, error) {
	var drifts []Drift
	for _, s := range l.settings {
		k, err := l.host.knobAt(s.Address)
		if err != nil {
			return drifts, err
		}
		v, err := l.host.read(ctx, k)
		if errors.Is(err, fs.ErrNotExist) {
			v, err = Value{Current: missing}, nil
		}
		if err != nil {
			return drifts, err
		}
		if v.Current != s.Observed {
			drifts = append(drifts, Drift{Tunable: s.Tunable, Address: s.Address, Want: s.Observed, Got: v.Current})
		}
	}
	return drifts, nil
}

// Restore puts everything back, reads it back, and clears the journal. It works
// on when ctx is cancelled, for a minute at most, and may be called again: what
// is back already is left alone. ErrDrift means that something else changed a
// knob meanwhile; that knob is left as it is, and the journal stays.
func (l *Lease) Restore(ctx context.Context) error {
	if l.restored {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
	defer cancel()
	if l.journal != nil {
		r := restorer{host: l.host, journal: l.journal, entries: l.entries, restoring: l.restoring,
			gone: l.host.gone(l.device)}
		err := r.run(ctx)
		l.restoring = r.restoring
		if err != nil {
			return err
		}
	}
	l.restored = true
	if l.host.lease == l {
		l.host.lease = nil
	}
	return nil
}

// original is the value that a knob had before the first change of the lease.
func (l *Lease) original(address, now string) string {
	for _, o := range originals(l.entries) {
		if o.address == address {
			return o.value
		}
	}
	return now
}
