package tunables

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/iosweep/iosweep/internal/durable"
	"github.com/iosweep/iosweep/tunables/bootfile"
	"github.com/iosweep/iosweep/tunables/command"
	"github.com/iosweep/iosweep/tunables/journal"
	"github.com/iosweep/iosweep/tunables/registry"
	"github.com/iosweep/iosweep/tunables/sysctl"
	"github.com/iosweep/iosweep/tunables/sysfs"
)

// ErrBusy means that another iosweep is at work on the same device.
var ErrBusy = errors.New("another iosweep is at work")

// ErrHung means that the kernel did not return from a knob.
var ErrHung = errors.New("the kernel did not answer")

// defaultPatience is longer than a command may run, and than a disk takes to
// finish what it has.
const defaultPatience = 45 * time.Second

// Backend reads and writes the knobs of one space. Its errors wrap
// fs.ErrNotExist and fs.ErrPermission where they apply. A Backend may also have
// List(dir string) ([]string, error), which names the knobs of a directory.
type Backend interface {
	Read(ctx context.Context, path string) (string, error)
	Write(ctx context.Context, path, value string) error
	// Probe says whether the knob can be read and written, and touches nothing.
	Probe(path string) error
}

// Identity is the device whose knobs are changed. Whoever makes one finds DevNum
// by the ID at that time: names and numbers move between devices.
type Identity struct {
	// ID is what binds the device: a serial, a WWN or a backing file. Without
	// one the name stands for it.
	ID string
	// Name is the kernel's name, for people.
	Name string
	// DevNum is major:minor, by which sysfs is searched.
	DevNum string
	// Dir is the device's directory in sysfs, where DevNum is not known.
	Dir string
}

// HostOptions say where and for which device a Host works. The zero value is
// this machine without a device.
type HostOptions struct {
	// Root is what the paths of the machine begin with; "" means /.
	Root string
	// StateDir is where the journals are; "" means DefaultStateDir(Root).
	StateDir string
	Device   Identity
	// BootID and Hostname are found out where they are empty.
	BootID, Hostname string
	// AllowCommands says that the operator lets command: knobs run.
	AllowCommands bool
	// Scratch says that the device is thrown away afterwards, so that a knob
	// may be left at the nearest value that can be written.
	Scratch bool
	// Force restores what something else has changed meanwhile, what another
	// host's journal names, and what is left of a damaged journal.
	Force bool
	// Stage makes changes act on the values that the next boot or load takes.
	Stage bool
	// Booted are tunables that an earlier Stage set and that are in force since
	// the reboot: Apply reads them and does not write them.
	Booted []Staged
	// Inert says of tunables, by name, why they cannot act on the device.
	Inert map[string]string
	// OS is the system whose knobs are meant; "" means this one.
	OS string
	// Backends take the place of the system's own, by space.
	Backends map[string]Backend
	// Patience is how long one access may take; 0 means 45 s.
	Patience time.Duration
	// FS is where the journal is kept; nil means the disk.
	FS durable.FS
}

// Host changes the knobs of one machine and one device, and puts them back. It
// is for one goroutine.
type Host struct {
	o        HostOptions
	backends map[string]Backend
	lock     *durable.Lock
	machine  *durable.Lock
	lease    *Lease
	hung     bool // an access is still under way; see answered
}

// NewHost returns a Host. It changes nothing and does not look for the device
// yet, so that a journal can be read when the device is gone.
func NewHost(o HostOptions) (*Host, error) {
	if o.Root == "" {
		o.Root = string(filepath.Separator)
	}
	if o.FS == nil {
		o.FS = durable.OS{}
	}
	if o.OS == "" {
		o.OS = runtime.GOOS
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	return &Host{o: o, backends: o.newBackends()}, nil
}

func (o *HostOptions) complete() (err error) {
	if o.StateDir == "" {
		if o.StateDir, err = DefaultStateDir(o.Root); err != nil {
			return err
		}
	}
	if o.Hostname == "" {
		if o.Hostname, err = os.Hostname(); err != nil {
			return fmt.Errorf("find the host's name: %w", err)
		}
	}
	if o.BootID == "" {
		o.BootID = bootID(o.Root)
	}
	return nil
}

// bootID tells this boot from others; empty where the system has no such thing,
// and then every value is judged by what is read back.
func bootID(root string) string {
	if store, err := registry.System(); err == nil {
		id, err := store.Read(context.Background(), bootCount)
		if err != nil || id == registry.Absent {
			return ""
		}
		return id
	}
	if tree, err := sysctl.System(); err == nil {
		id, _ := tree.ReadOpaque("kern.boot_id") // old kernels have none
		return id
	}
	text, err := os.ReadFile(filepath.Join(root, "proc/sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// bootCount is where Windows counts its boots.
const bootCount = `SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters\BootId`

func (o *HostOptions) newBackends() map[string]Backend {
	dir, err := sysfs.Resolve(o.Root, o.Device.DevNum, o.Device.Dir)
	backends := map[string]Backend{
		SpaceSysfs:    sysfs.Device(dir, err),
		SpaceModule:   sysfs.Modules(o.Root),
		SpaceCommand:  command.Runner{Allowed: o.AllowCommands},
		SpaceLoader:   bootfile.Loader(o.FS, o.Root),
		SpaceModprobe: bootfile.Modprobe(o.FS, o.Root),
	}
	if store, err := registry.System(); err == nil {
		backends[SpaceRegistry] = store
	}
	if tree, err := sysctl.System(); err == nil {
		backends[SpaceSysctl] = tree
	}
	for space, b := range o.Backends {
		backends[space] = b
	}
	return backends
}

// DefaultStateDir is where journals are kept: for root /var/db/iosweep on
// FreeBSD and /var/lib/iosweep elsewhere, for others the user's state directory.
func DefaultStateDir(root string) (string, error) {
	switch {
	case os.Geteuid() == 0 && runtime.GOOS == "freebsd":
		return filepath.Join(root, "var/db/iosweep"), nil
	case os.Geteuid() == 0:
		return filepath.Join(root, "var/lib/iosweep"), nil
	}
	if dir := os.Getenv("ProgramData"); runtime.GOOS == "windows" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "iosweep"), nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "iosweep"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a directory for the journal: %w: set XDG_STATE_HOME", err)
	}
	return filepath.Join(home, ".local", "state", "iosweep"), nil
}

// key is what the device's journal and lock are called: its id, made fit for a
// file name, and a sum that keeps alike ones apart.
func (id Identity) key() string {
	text := id.ID
	if text == "" {
		text = "name " + id.Name
	}
	sum := sha256.Sum256([]byte(text))
	var clean strings.Builder
	for _, r := range text {
		if clean.Len() == 40 {
			break
		}
		if !isWordRune(r) {
			r = '_'
		}
		clean.WriteRune(r)
	}
	return clean.String() + "-" + hex.EncodeToString(sum[:4])
}

// String names the device for people.
func (id Identity) String() string {
	if id.Name != "" {
		return id.Name
	}
	if id.ID != "" {
		return id.ID
	}
	return "this machine"
}

// gone says that d is not there any more. In the boot in which its knobs were
// changed, that means that they went with it. Another disk under its number
// proves it, except for a loop device: that keeps its knobs from one backing
// file to the next, unless it was iosweep's own to throw away.
func (h *Host) gone(d journal.Device) bool {
	if d.DevNum == "" || h.o.Backends[SpaceSysfs] != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(h.o.Root, "sys/dev/block")); err != nil {
		return false // without sysfs nothing can be said
	}
	dir, err := sysfs.Resolve(h.o.Root, d.DevNum, "")
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	now := sysfs.DiskSeq(dir)
	isLoop := strings.HasPrefix(d.DevNum, loopMajor)
	return d.Seq != "" && now != "" && now != d.Seq && (d.Scratch || !isLoop)
}

// loopMajor is how the device numbers of Linux's loop devices begin.
const loopMajor = "7:"

const (
	journalExt = ".journal"
	lockExt    = ".lock"
)

// JournalPath is the file of the device's journal.
func (h *Host) JournalPath() string {
	return filepath.Join(h.o.StateDir, h.o.Device.key()+journalExt)
}

func (h *Host) session() journal.Session {
	d := journal.Device{ID: h.o.Device.ID, Name: h.o.Device.Name, DevNum: h.o.Device.DevNum, Scratch: h.o.Scratch}
	if dir, err := sysfs.Resolve(h.o.Root, d.DevNum, h.o.Device.Dir); err == nil {
		d.Seq = sysfs.DiskSeq(dir)
	}
	return journal.Session{BootID: h.o.BootID, Host: h.o.Hostname, Device: d}
}

// acquire takes the device's lock, and the machine's where a knob belongs to
// all of it. Both are kept until Close.
func (h *Host) acquire(wholeMachine bool) error {
	if err := os.MkdirAll(h.o.StateDir, 0o700); err != nil {
		return fmt.Errorf("make the journal's directory: %w", err)
	}
	if err := h.take(&h.lock, h.o.Device.key()+lockExt); err != nil {
		return fmt.Errorf("on %s: %w", h.o.Device, err)
	}
	if !wholeMachine {
		return nil
	}
	if err := h.take(&h.machine, "machine"+lockExt); err != nil {
		return fmt.Errorf("on knobs of the whole machine: %w", err)
	}
	return nil
}

const (
	lockTries = 4
	lockPause = 10 * time.Millisecond
)

func (h *Host) take(lock **durable.Lock, name string) error {
	if *lock != nil {
		return nil
	}
	l, err := durable.NewLock(filepath.Join(h.o.StateDir, name))
	for i := 0; i < lockTries && errors.Is(err, durable.ErrLocked); i++ {
		time.Sleep(lockPause) // Journals holds it for a moment
		l, err = durable.NewLock(filepath.Join(h.o.StateDir, name))
	}
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("%w: wait until it has ended (%w)", ErrBusy, err)
	}
	if err != nil {
		return err
	}
	*lock = l
	return nil
}

// Close gives the locks up. It restores nothing: that is the lease's.
func (h *Host) Close() error {
	var errs []error
	for _, l := range []**durable.Lock{&h.lock, &h.machine} {
		if *l != nil {
			errs = append(errs, (*l).Close())
			*l = nil
		}
	}
	return errors.Join(errs...)
}
