package device

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	mdSwap     = 3 // MD_SWAP: in memory, and paged out as memory is
	mdAutoUnit = 4 // MD_AUTOUNIT: the kernel chooses the unit and tells it

	// mdLabel begins the label of iosweep's own memory disks; the number of the
	// process follows.
	mdLabel = "iosweep-scratch-"
)

// mdPatience is how long GEOM may take to make a node, and to let go of a disk
// that it looks at after it was written.
const mdPatience = 5 * time.Second

// newScratch makes a memory disk, which has the kernel's knobs and deletes. A
// folder that was asked for, and a disk that would not fit in memory, get a
// file.
func newScratch(ctx context.Context, sizeBytes int64, dir string, asked bool) (*Scratch, error) {
	why := "as --scratch-dir asks"
	switch memory, err := unix.SysctlUint64("hw.usermem"); {
	case asked:
	case os.Geteuid() != 0:
		why = "a memory disk needs root"
	case err == nil && uint64(sizeBytes) > memory/2:
		why = fmt.Sprintf("a memory disk would take more than half of the %d MiB of memory", memory>>20)
	default:
		s, err := newMemoryScratch(ctx, sizeBytes)
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		why = err.Error()
	}
	return newFileScratch(sizeBytes, dir, why)
}

// newMemoryScratch makes a memory disk and claims it.
func newMemoryScratch(ctx context.Context, sizeBytes int64) (_ *Scratch, err error) {
	if err := CleanStale(); err != nil {
		return nil, err
	}
	label := append([]byte(mdLabel+strconv.Itoa(os.Getpid())), 0)
	request := mdRequest{Type: mdSwap, MediaBytes: sizeBytes, SectorBytes: sectorBytes, Options: mdAutoUnit, Label: &label[0]}
	if err := mdControl(mdAttach, &request); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("make a memory disk: this kernel has no md(4), which kldload geom_md brings: %w", err)
	} else if err != nil {
		return nil, fmt.Errorf("make a memory disk: %w", err)
	}
	s := &Scratch{remove: func() error { return detachMD(request.Unit) }}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	path := fmt.Sprintf("/dev/md%d", request.Unit)
	if s.File, err = openMD(ctx, path); err != nil {
		return nil, err
	}
	if err := lockTarget(s.File, path); err != nil {
		return nil, err
	}
	if s.Info, err = host().inspectAs(path, &access{read: 1, write: 1}); err != nil {
		return nil, err
	}
	if !s.Info.Writable || s.Info.SizeBytes != sizeBytes {
		return nil, fmt.Errorf("make a memory disk: %s has %d bytes instead of %d, or is not free: %s", path, s.Info.SizeBytes, sizeBytes, s.Info.Reason)
	}
	s.Note = fmt.Sprintf("scratch memory disk %s of %d MiB (md, swap-backed): its speed is the memory's", s.Info.Name, sizeBytes>>20)
	return s, nil
}

// openMD waits for GEOM to make the node.
func openMD(ctx context.Context, path string) (*os.File, error) {
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		f, err := systemKernel{}.Open(path, true)
		waits := errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EINTR)
		if !waits || ctx.Err() != nil || time.Since(begin) > mdPatience {
			return f, err
		}
	}
}

func detachMD(unit uint32) error {
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := mdControl(mdDetach, &mdRequest{Unit: unit})
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Since(begin) > mdPatience {
			return fmt.Errorf("remove md%d: %w; see what has it open, then `mdconfig -d -u %d`", unit, err, unit)
		}
	}
}

func mdControl(number uintptr, r *mdRequest) error {
	f, err := systemKernel{}.Open("/dev/mdctl", true)
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), number, uintptr(unsafe.Pointer(r)))
	if errno != 0 {
		return errno
	}
	return nil
}

// CleanStale removes the memory disks of iosweeps that are gone. One that is
// open stays.
func CleanStale() error {
	m, _, err := host().look()
	if err != nil {
		return fmt.Errorf("look for leftover memory disks: %w", err)
	}
	for _, p := range m.providers {
		pid, ours := strings.CutPrefix(p.config["label"], mdLabel)
		n, perr := strconv.Atoi(pid)
		unit, uerr := strconv.ParseUint(p.config["unit"], 10, 32)
		if p.geom.class != classMD || !ours || perr != nil || uerr != nil || !errors.Is(unix.Kill(n, 0), unix.ESRCH) {
			continue
		}
		if err := mdControl(mdDetach, &mdRequest{Unit: uint32(unit)}); err != nil && !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("remove the leftover %s: %w", p.name, err)
		}
	}
	return nil
}
