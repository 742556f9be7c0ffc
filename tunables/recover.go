package tunables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/internal/durable"
	"github.com/iosweep/iosweep/tunables/journal"
)

// ErrOtherHost means that a journal was written on another machine.
var ErrOtherHost = errors.New("journal is of another host")

// Recovery is what came of recovering.
type Recovery struct {
	// Restored are the knobs that were written: Before is what they held, Asked
	// what they must hold, Observed what they hold now.
	Restored []Applied
	// Skipped are changes that a reboot had undone, in words.
	Skipped []string
	// Drifted are knobs that something else changed, and that were left alone.
	Drifted []Drift
	// Notes say what was wrong with the journal and did not matter.
	Notes []string
}

// Recover puts back what a run on the device of o had changed when it ended
// without doing so. Without anything to do it does nothing. It may be killed
// and called again at any time.
func Recover(ctx context.Context, o HostOptions) (Recovery, error) {
	h, err := NewHost(o)
	if err != nil {
		return Recovery{}, err
	}
	r, err := h.Recover(ctx)
	return r, errors.Join(err, h.Close())
}

// Recover is the function Recover for a host. It takes the device's lock, so it
// fails with ErrBusy while the run is still alive.
func (h *Host) Recover(ctx context.Context) (Recovery, error) {
	if h.lease != nil {
		return Recovery{}, fmt.Errorf("recover %s: %w: a lease is out", h.o.Device, ErrPending)
	}
	if err := h.acquire(false); err != nil {
		return Recovery{}, fmt.Errorf("recover: %w", err)
	}
	s, err := journal.Read(h.o.FS, h.JournalPath(), h.o.Force)
	if err != nil {
		return Recovery{}, h.unreadable(err)
	}
	if !s.Pending() {
		return Recovery{Notes: s.Notes}, durable.Remove(h.o.FS, h.JournalPath())
	}
	if err := h.checkSession(*s.Session); err != nil {
		return Recovery{Notes: s.Notes}, err
	}
	return h.replay(ctx, s)
}

// unreadable says what to do about a journal that cannot be trusted.
func (h *Host) unreadable(err error) error {
	if errors.Is(err, journal.ErrVersion) {
		return err
	}
	return fmt.Errorf("%w: nothing was written: compare the file with the knobs by hand, or run iosweep restore --force to use the lines that are whole", err)
}

func (h *Host) checkSession(s journal.Session) error {
	if s.Device.ID != h.o.Device.ID {
		return fmt.Errorf("recover %s: %w: the journal %s is of device %q", h.o.Device, ErrRefused, h.JournalPath(), s.Device.ID)
	}
	if s.Host != h.o.Hostname && !h.o.Force {
		return fmt.Errorf("recover %s: %w: it was written on %q, this is %q: restore there, or, if this is the same machine under a new name, run iosweep restore --force",
			h.o.Device, ErrOtherHost, s.Host, h.o.Hostname)
	}
	return nil
}

func (h *Host) replay(ctx context.Context, s *journal.State) (Recovery, error) {
	recovery := Recovery{Notes: s.Notes}
	entries := s.Entries
	if anotherBoot(s.Session.BootID, h.o.BootID) {
		entries, recovery.Skipped = afterReboot(entries)
	}
	if slices.ContainsFunc(entries, wholeMachine) {
		if err := h.acquire(true); err != nil {
			return recovery, fmt.Errorf("recover: %w", err)
		}
	}
	j, err := journal.Continue(h.o.FS, h.JournalPath(), s)
	if err != nil {
		return recovery, err
	}
	r := restorer{host: h, journal: j, entries: entries, restoring: s.Restoring, force: h.o.Force,
		gone: h.vanished(s.Session.Device)}
	if r.gone && len(entries) > 0 {
		recovery.Skipped = append(recovery.Skipped, "the device is gone, and its settings with it")
	}
	err = r.run(ctx)
	if err != nil {
		err = errors.Join(err, j.Close())
	}
	recovery.Restored, recovery.Drifted = r.done, r.drifts
	return recovery, err
}

// anotherBoot says that two ids are of two boots. One may be unknown: FreeBSD has
// none before its random numbers are seeded. What the knobs hold decides then.
func anotherBoot(then, now string) bool { return then != "" && now != "" && then != now }

// vanished says that the device is neither where it was when the journal was
// written nor anywhere else that the caller knows of.
func (h *Host) vanished(then journal.Device) bool {
	d := h.o.Device
	elsewhere := d.Dir != "" || d.DevNum != "" && d.DevNum != then.DevNum
	return h.gone(then) && !elsewhere
}

func wholeMachine(e journal.Entry) bool {
	a, err := ParseAddress(e.Address)
	return err == nil && !a.Device()
}

// afterReboot keeps the changes that outlive a reboot. The kernel's own knobs
// begin anew with each boot; what a command did may be anywhere.
func afterReboot(entries []journal.Entry) (kept []journal.Entry, skipped []string) {
	for _, e := range entries {
		if a, err := ParseAddress(e.Address); err == nil && (a.Space == SpaceCommand || a.Durable()) {
			kept = append(kept, e)
			continue
		}
		skipped = append(skipped, fmt.Sprintf("%s: the machine was started anew since, which undid the change to %s", e.Tunable, e.After))
	}
	return kept, skipped
}

// Pending returns a line for each change of the device's journal that is not
// put back, and none where there is nothing to do. It takes no lock.
func (h *Host) Pending() ([]string, error) {
	s, err := journal.Read(h.o.FS, h.JournalPath(), false)
	if err != nil {
		return nil, h.unreadable(err)
	}
	return describe(s), nil
}

func describe(s *journal.State) []string {
	if !s.Pending() {
		return nil
	}
	lines := []string{}
	for _, e := range s.Entries {
		line := fmt.Sprintf("%s on %s was %s and was set to %s", e.Tunable, s.Session.Device.Name, e.Before, e.After)
		if e.Restored {
			line += " (put back, but the rest is not)"
		}
		lines = append(lines, line)
	}
	return lines
}

// Left is a journal that still holds changes.
type Left struct {
	// Path is its file.
	Path string
	// Device is the device as it was then; find it again by its ID. It is zero
	// where a damaged journal does not even tell that.
	Device       Identity
	BootID, Host string
	// Changes has a line for each change, Addresses its knob.
	Changes, Addresses []string
	// Live says that the iosweep which writes the journal is still at work.
	Live bool
	// Err is why the journal cannot be read; what is whole in it stands in the
	// other fields.
	Err error
}

// Journals returns every journal of a state directory that still holds changes
// or cannot be read. A directory that is not there holds none.
func Journals(stateDir string) ([]Left, error) {
	entries, err := os.ReadDir(stateDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list journals: %w", err)
	}
	var all []Left
	for _, e := range entries {
		if filepath.Ext(e.Name()) != journalExt {
			continue
		}
		if l := readLeft(filepath.Join(stateDir, e.Name())); l.Err != nil || l.Changes != nil {
			all = append(all, l)
		}
	}
	return all, nil
}

func readLeft(path string) Left {
	s, broken := journal.Read(durable.OS{}, path, false)
	if broken != nil {
		s, _ = journal.Read(durable.OS{}, path, true) // nil of another version
	}
	l := Left{Path: path, Err: broken, Live: isLocked(path)}
	if s == nil || !s.Pending() {
		return l
	}
	d := s.Session.Device
	l.BootID, l.Host, l.Changes = s.Session.BootID, s.Session.Host, describe(s)
	l.Device = Identity{ID: d.ID, Name: d.Name, DevNum: d.DevNum}
	for _, e := range s.Entries {
		l.Addresses = append(l.Addresses, e.Address)
	}
	return l
}

// isLocked says that a host is at work on the journal at path.
func isLocked(path string) bool {
	lock, err := durable.NewLock(strings.TrimSuffix(path, journalExt) + lockExt)
	if err == nil {
		err = lock.Close()
	}
	return errors.Is(err, durable.ErrLocked)
}
