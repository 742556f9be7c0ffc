package tunables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/iosweep/iosweep/tunables/sysfs"
)

// Value is what a knob holds now and what it may hold.
type Value struct {
	Current string
	// Possible are the words that a Choice may take, as the kernel shows them.
	Possible []string
	// Writable says that iosweep could change it; Note says why not.
	Writable bool
	Note     string
}

// Current reads a tunable's knob. An error wraps ErrUnsupported where this
// system or device has none.
func (h *Host) Current(ctx context.Context, t Tunable) (Value, error) {
	k, err := h.knob(t)
	if err != nil {
		return Value{}, err
	}
	v, err := h.read(ctx, k)
	if err != nil {
		return Value{}, err
	}
	if err := h.probe(k); err != nil {
		v.Note = err.Error()
		return v, nil
	}
	v.Writable = true
	return v, nil
}

// knob is a tunable where this host has it.
type knob struct {
	Tunable
	addr   Address
	reboot bool
}

func (h *Host) knob(t Tunable) (knob, error) {
	k, ok := t.Knob(h.o.OS)
	if !ok {
		return knob{}, fmt.Errorf("%s: %w: %s has no such knob", t.Name, ErrUnsupported, h.o.OS)
	}
	address, reboot := k.Address, k.Reboot
	if h.o.Stage {
		if k.Boot == "" {
			return knob{}, fmt.Errorf("stage %s: %w: it acts at once, or iosweep cannot write it for the next boot", t.Name, ErrUnsupported)
		}
		address, reboot = k.Boot, false
	}
	a, err := ParseAddress(address)
	if err != nil {
		return knob{}, fmt.Errorf("%s: %w", t.Name, err)
	}
	return knob{Tunable: t, addr: a, reboot: reboot}, nil
}

// knobAt is the knob of an address, from a journal or a snapshot.
func (h *Host) knobAt(address string) (knob, error) {
	t, ok := Lookup(address)
	if !ok {
		return knob{}, fmt.Errorf("address %q is not one that iosweep knows", address)
	}
	if a, err := ParseAddress(address); err == nil && a.Durable() {
		return knob{Tunable: t, addr: a}, nil // the value for the next boot, not the one in force
	}
	return h.knob(t)
}

func (h *Host) backend(k knob) (Backend, error) {
	b, ok := h.backends[k.addr.Space]
	if !ok {
		return nil, fmt.Errorf("%s: %w: iosweep cannot reach %s: knobs on %s", k.Name, ErrUnsupported, k.addr.Space, h.o.OS)
	}
	return b, nil
}

// read reads a knob into the canonical text of its tunable.
func (h *Host) read(ctx context.Context, k knob) (Value, error) {
	b, err := h.backend(k)
	if err != nil {
		return Value{}, err
	}
	var raw string
	err = h.answered(func() (err error) {
		raw, err = b.Read(ctx, k.addr.Path)
		return err
	})
	if err != nil {
		return Value{}, h.explain("read", k, err)
	}
	return decode(k.Type, raw), nil
}

// decode turns what a backend read into a value. What is not of the tunable's
// type is kept as it is: the kernel is right about what it holds.
func decode(typ Type, raw string) Value {
	text := strings.TrimSpace(raw)
	if typ == Integer {
		return Value{Current: decodeInteger(text)}
	}
	if current, possible, ok := sysfs.ParseChoice(text); ok && (typ == Choice || strings.Contains(text, "[")) {
		return Value{Current: current, Possible: possible}
	}
	return Value{Current: text}
}

func decodeInteger(text string) string {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		if n, err := strconv.ParseInt(digits, 16, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	}
	return text
}

// write writes a knob, and again for a moment while the kernel is busy.
func (h *Host) write(ctx context.Context, k knob, value string) error {
	const tries, pause = 20, 25 * time.Millisecond
	b, err := h.backend(k)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		err = h.answered(func() error { return b.Write(ctx, k.addr.Path, value) })
		if err == nil {
			return nil
		}
		if i == tries || !isPassing(err) || !sleep(ctx, pause) {
			return fmt.Errorf("set to %q: %w", value, h.explain("set", k, err))
		}
	}
}

// answered calls a backend and gives up when the kernel does not return: a write
// to some knobs waits until the device has finished what it has, and a device
// that is stuck never does. The write may still happen then, whenever the device
// comes back, so nothing more is done through this host and the journal stays
// for who can see the end of it.
func (h *Host) answered(call func() error) error {
	if h.hung {
		return ErrHung
	}
	result := make(chan error, 1)
	go func() { result <- call() }()
	patience := h.o.Patience
	if patience == 0 {
		patience = defaultPatience
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-result:
		return err
	case <-timer.C:
		h.hung = true
		return fmt.Errorf("%w within %v: look at the kernel's log; when the device is back, run iosweep restore", ErrHung, patience)
	}
}

func isPassing(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EINTR)
}

// sleep waits and says whether ctx still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// probe says why a knob cannot be changed, or nil.
func (h *Host) probe(k knob) error {
	if k.reboot {
		return fmt.Errorf("%s: %w: it takes effect after a reboot: sweep it with iosweep run --stage", k.Name, ErrUnsupported)
	}
	b, err := h.backend(k)
	if err != nil {
		return err
	}
	if err := b.Probe(k.addr.Path); err != nil {
		return h.explain("change", k, err)
	}
	return nil
}

// explain names the device and the knob, and what to do.
func (h *Host) explain(verb string, k knob, err error) error {
	where := k.Name
	if k.addr.Device() {
		where += " on " + h.o.Device.String()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && isIosched(k.addr.String()):
		return fmt.Errorf("%s %s: %w: the current scheduler has no such knob: set scheduler in the same variant: %w", verb, where, ErrUnsupported, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: %w: there is no such knob here: %w", verb, where, ErrUnsupported, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s %s: %w: it is read-only, or needs root: %w", verb, where, ErrUnsupported, err)
	case errors.Is(err, syscall.EINVAL):
		return fmt.Errorf("%s %s: the kernel refuses this value for this device: %w", verb, where, err)
	}
	return fmt.Errorf("%s %s: %w", verb, where, err)
}

// isIosched says that a knob comes and goes with its scheduler.
func isIosched(address string) bool {
	return strings.HasPrefix(address, SpaceSysfs+":queue/iosched/")
}
