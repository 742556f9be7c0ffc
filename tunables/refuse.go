package tunables

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// plan is one setting as it will be applied.
type plan struct {
	knob
	asked string
	// restore is written in place of the value before, where that cannot be.
	restore string
	note    string
}

// check refuses, before anything is touched, what this device cannot take and
// what could not be put back. later says that the scheduler is set first, so
// that the knob is not there yet.
func (h *Host) check(ctx context.Context, p *plan, later bool) error {
	if later {
		return nil
	}
	if err := h.probe(p.knob); err != nil {
		return err
	}
	v, err := h.read(ctx, p.knob)
	if err != nil {
		return err
	}
	if v.Current == p.asked {
		return nil
	}
	switch {
	case p.addr.String() == "sysfs:queue/discard_max_bytes":
		return h.checkDiscard(ctx, p, v.Current)
	case p.addr.String() == "sysfs:queue/max_sectors_kb":
		return checkPage(p)
	case p.Type == Choice && len(v.Possible) > 0 && !slices.Contains(v.Possible, p.asked):
		return fmt.Errorf("set %s on %s to %s: %w: the kernel offers %q; a scheduler that is a module must be loaded first",
			p.Name, h.o.Device, p.asked, ErrUnsupported, v.Possible)
	}
	return nil
}

// checkPage refuses requests smaller than a page, which no kernel takes.
func checkPage(p *plan) error {
	n, err := p.Int(p.asked)
	if err != nil {
		return err
	}
	if page := int64(os.Getpagesize()) / 1024; n > 0 && n < page {
		return fmt.Errorf("set %s to %d KiB: %w: it is below the page size; write %d or more", p.Name, n, ErrUnsupported, page)
	}
	return nil
}

// checkDiscard keeps shut the doors that open one way only: the kernel takes
// multiples of the granularity below 4 GiB, and nothing any more after a 0.
func (h *Host) checkDiscard(ctx context.Context, p *plan, current string) error {
	if p.asked == "0" {
		return fmt.Errorf("set %s on %s to 0: %w: it switches deletes off and cannot be undone while the device is attached",
			p.Name, h.o.Device, ErrRefused)
	}
	granularity, err := h.readInt(ctx, "sysfs:queue/discard_granularity")
	if err != nil {
		return err
	}
	before, err := strconv.ParseInt(current, 10, 64)
	if err != nil {
		return fmt.Errorf("read %s on %s: %q is not a number", p.Name, h.o.Device, current)
	}
	if granularity <= 0 || before == 0 {
		return fmt.Errorf("set %s on %s: %w: the device does not delete, or deletes are switched off", p.Name, h.o.Device, ErrUnsupported)
	}
	asked, err := p.Int(p.asked)
	if err != nil {
		return err
	}
	if asked%granularity != 0 {
		return fmt.Errorf("set %s on %s to %d: %w: it is no multiple of the delete granularity of %d bytes",
			p.Name, h.o.Device, asked, ErrUnsupported, granularity)
	}
	return h.checkWayBack(p, before, granularity)
}

// checkWayBack refuses where the value before could not be written back, except
// on a device that is thrown away: there the nearest value is written.
func (h *Host) checkWayBack(p *plan, before, granularity int64) error {
	nearest := min(before, math.MaxUint32) / granularity * granularity
	if nearest == before {
		return nil
	}
	if !h.o.Scratch {
		return fmt.Errorf("set %s on %s: %w: its value %d could not be put back: the kernel takes multiples of %d below 4294967296 only, the nearest is %d; use a scratch device",
			p.Name, h.o.Device, ErrRefused, before, granularity, nearest)
	}
	p.restore = strconv.FormatInt(nearest, 10)
	p.note = fmt.Sprintf("the value before, %d, cannot be written back; this scratch device is left at %d", before, nearest)
	return nil
}

func (h *Host) readInt(ctx context.Context, address string) (int64, error) {
	k, err := h.knobAt(address)
	if err != nil {
		return 0, err
	}
	v, err := h.read(ctx, k)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(v.Current, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read %s on %s: %q is not a number", address, h.o.Device, v.Current)
	}
	return n, nil
}
