package device

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// OpenOptions say what a claim is for. The zero value claims for reading, with
// buffered I/O and no lock beyond the target's own.
type OpenOptions struct {
	// Write asks for writing and deleting.
	Write bool
	// Destroy is the id that the operator typed; needed for Write.
	Destroy string
	// Overwrite allows Write where a signature was found.
	Overwrite bool
	// Direct bypasses the page cache (O_DIRECT).
	Direct bool
	// StateDir holds the lock by identity, which also keeps another iosweep away
	// that sees the device under another node; empty: no such lock.
	StateDir string
}

// Claim is the right to use a target, and the file to use it through. It holds
// a lock, so that one iosweep uses a target at a time.
type Claim struct {
	Info Info
	// File is open as asked: for a block device claimed for writing,
	// exclusively. It belongs to the claim.
	File  *os.File
	locks []*os.File
}

// Open claims a target. It wraps ErrRefused, with why and what to do, where the
// target is missing or may not be used as asked; nothing was written then. It
// never creates a file.
func Open(path string, o OpenOptions) (*Claim, error) { return open(tree{hostRoot}, path, o) }

func open(t tree, path string, o OpenOptions) (*Claim, error) {
	i, err := inspect(t, path)
	if err != nil {
		return nil, err
	}
	if o.Write {
		if err := permit(i, o); err != nil {
			return nil, err
		}
	}
	return acquire(t, i, o)
}

// permit decides on what was found, before anything is opened for writing.
func permit(i Info, o OpenOptions) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("open %s for writing: %w: %s", i.Path, ErrRefused, fmt.Sprintf(format, args...))
	}
	switch {
	case len(i.Users) > 0:
		return refuse("it is in use: %s; stop what uses it, or choose another device (`iosweep devices`)", strings.Join(i.Users, "; "))
	case len(i.blocked) > 0:
		return refuse("it %s; choose another device (`iosweep devices`)", strings.Join(i.blocked, ", and "))
	case len(i.Signatures) > 0 && !o.Overwrite:
		return refuse("it carries %s; if what is on it may be lost, wipe it or give --overwrite", strings.Join(i.Signatures, ", "))
	case o.Destroy == "" && i.IsFile():
		return refuse("all data in it would be lost; say so with --destroy and its id, which for a file is its absolute path: --destroy %s", i.ID)
	case o.Destroy == "":
		return refuse("all data on it would be lost; say so with --destroy and its id, which `iosweep devices` lists")
	case o.Destroy != i.ID && i.IsFile():
		return refuse("the id given (%q) is not this file's, which is its absolute path: --destroy %s", o.Destroy, i.ID)
	case o.Destroy != i.ID:
		return refuse("the id given (%q) is not this device's; `iosweep devices` lists the id of each", o.Destroy)
	}
	return nil
}

// acquire opens, locks and, for writing, looks again now that nobody else can
// take the device.
func acquire(t tree, i Info, o OpenOptions) (_ *Claim, err error) {
	c := &Claim{Info: i}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if err := c.lockIdentity(o.StateDir); err != nil {
		return nil, err
	}
	if c.File, err = openTarget(i, o); err != nil {
		return nil, err
	}
	if err := lockTarget(c.File, i.Path); err != nil {
		return nil, err
	}
	if err := c.lockDisk(); err != nil {
		return nil, err
	}
	if err := c.confirm(t, o); err != nil {
		return nil, err
	}
	return c, nil
}

// confirm compares what was opened with what was inspected, so that a name that
// changed its meaning in between is noticed before the first write.
func (c *Claim) confirm(t tree, o OpenOptions) error {
	again, err := inspectOpen(t, c.File, c.Info, o.Write)
	if err != nil {
		return err
	}
	if err := sameTarget(c.Info, again); err != nil {
		return err
	}
	if !o.Write {
		return nil
	}
	return permit(again, o)
}

func sameTarget(before, now Info) error {
	for _, f := range [...]struct{ what, before, now string }{
		{"device number", before.DevNum, now.DevNum},
		{"id", before.ID, now.ID},
		{"sequence number", before.DevSeq, now.DevSeq},
		{"size", fmt.Sprint(before.SizeBytes), fmt.Sprint(now.SizeBytes)},
	} {
		if f.before != f.now {
			return fmt.Errorf("open %s: %w: it changed while it was opened (%s %s became %s), so another device may have taken its name; try again", before.Path, ErrRefused, f.what, f.before, f.now)
		}
	}
	return nil
}

// Close gives the target up. It is safe to call twice.
func (c *Claim) Close() error {
	var err error
	if c.File != nil {
		err = c.File.Close()
		if errors.Is(err, os.ErrClosed) {
			err = nil
		}
	}
	for _, l := range c.locks {
		l.Close() // closing drops the lock; nothing was written
	}
	c.locks = nil
	return err
}

// reinspectFile inspects a file again after it was opened, and makes sure that
// the path still leads to the file that is open.
func reinspectFile(t tree, f *os.File, i Info) (Info, error) {
	open, err := f.Stat()
	if err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w", i.Path, err)
	}
	named, err := os.Lstat(i.Path)
	if err != nil || !os.SameFile(open, named) {
		return Info{}, fmt.Errorf("open %s: %w: the file was replaced while it was opened; try again", i.Path, ErrRefused)
	}
	return inspectFile(t, i.Path, open)
}
