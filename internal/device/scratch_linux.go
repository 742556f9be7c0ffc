package device

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Scratch loop devices take their numbers from a range of their own. So one
// that a killed process left behind is known without any record: the kernel
// freed its backing (autoclear), and an empty device of this range is nobody's.
const (
	firstLoop = 7300
	loopCount = 64
)

const loopControl = "/dev/loop-control"

func newScratch(ctx context.Context, sizeBytes int64, dir string, _ bool) (*Scratch, error) {
	if os.Geteuid() != 0 {
		return newFileScratch(sizeBytes, dir, "a loop device needs root")
	}
	if _, err := os.Stat(loopControl); err != nil {
		return newFileScratch(sizeBytes, dir, "this kernel offers no loop devices: "+err.Error())
	}
	if err := CleanStale(); err != nil {
		return nil, err
	}
	s, err := newLoopScratch(ctx, sizeBytes, dir)
	if err == nil || ctx.Err() != nil || errors.Is(err, unix.ENOSPC) {
		return s, err
	}
	// In a container root may have no right to loop devices, or no nodes.
	return newFileScratch(sizeBytes, dir, err.Error())
}

// newLoopScratch makes a loop device over an unnamed file.
func newLoopScratch(ctx context.Context, sizeBytes int64, dir string) (_ *Scratch, err error) {
	back, err := createScratchFile(dir, sizeBytes)
	if err != nil {
		return nil, err
	}
	defer back.discard() // the loop device holds the file from here on
	n, dev, err := addLoop(ctx)
	if err != nil {
		return nil, fmt.Errorf("make scratch loop device: %w", err)
	}
	s := &Scratch{Claim: Claim{File: dev}, remove: func() error { return removeLoop(n) }}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if err := configure(dev, back); err != nil {
		return nil, fmt.Errorf("make scratch loop device: %w", err)
	}
	if err := lockTarget(dev, dev.Name()); err != nil {
		return nil, err
	}
	if s.Info, err = inspectScratch(dev, sizeBytes); err != nil {
		return nil, err
	}
	s.Note = fmt.Sprintf("scratch loop device %s of %d MiB, %s", s.Info.Name, sizeBytes>>20, s.Info.Backing)
	return s, nil
}

// createUnnamed makes a file that never has a name; file systems without
// O_TMPFILE get one whose name is taken away at once.
func createUnnamed(dir string) (*os.File, string, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) {
		return createNamed(dir)
	}
	if err != nil {
		return nil, "", &os.PathError{Op: "create a file in", Path: dir, Err: err}
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		unix.Close(fd)
		return nil, "", err
	}
	return os.NewFile(uintptr(fd), path), path, nil
}

// inspectScratch describes the new loop device. It is ours alone (exclusively
// open) and empty, so it is writable without being looked at further.
func inspectScratch(dev *os.File, sizeBytes int64) (Info, error) {
	t := tree{hostRoot}
	number, _ := deviceNumber(dev.Name())
	n, ok := t.byNumber(number)
	if !ok {
		return Info{}, fmt.Errorf("make scratch loop device: %s is not in /sys/block", dev.Name())
	}
	i := t.describe(n)
	i.Path, i.Writable = dev.Name(), true
	if i.SizeBytes != sizeBytes {
		return Info{}, fmt.Errorf("make scratch loop device: %s has %d bytes instead of %d", i.Path, i.SizeBytes, sizeBytes)
	}
	return i, nil
}

// addLoop adds a loop device with a number of our range and opens it
// exclusively and for direct I/O.
func addLoop(ctx context.Context) (int, *os.File, error) {
	for n := firstLoop; n < firstLoop+loopCount; n++ {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		err := control(unix.LOOP_CTL_ADD, n)
		if errors.Is(err, unix.EEXIST) {
			continue
		}
		if err != nil {
			return 0, nil, fmt.Errorf("add loop%d: %w", n, err)
		}
		dev, err := openLoop(n)
		if err == nil {
			return n, dev, nil
		}
		rerr := removeLoop(n)
		// A device that is gone again was taken for a leftover by another
		// iosweep that just started: the next number is as good.
		if !errors.Is(err, unix.ENXIO) && !errors.Is(err, unix.ENODEV) {
			return 0, nil, errors.Join(err, rerr)
		}
	}
	return 0, nil, fmt.Errorf("the numbers %d to %d are all taken", firstLoop, firstLoop+loopCount-1)
}

// openLoop waits for the node: devtmpfs makes it at once, udev may change its
// mode a little later.
func openLoop(n int) (*os.File, error) {
	path := fmt.Sprintf("/dev/loop%d", n)
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		fd, err := unix.Open(path, unix.O_RDWR|unix.O_EXCL|unix.O_DIRECT|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if err == nil {
			return os.NewFile(uintptr(fd), path), nil
		}
		if _, serr := os.Stat(fmt.Sprintf("/sys/block/loop%d", n)); errors.Is(serr, fs.ErrNotExist) {
			return nil, fmt.Errorf("open %s: %w", path, unix.ENXIO)
		}
		retry := errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EINTR)
		if !retry || time.Since(begin) > time.Second {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
	}
}

// configure attaches the backing file with direct I/O, and with the smallest
// block that its file system takes for that. Where it takes none the kernel
// uses the page cache, which Info.Backing then says.
func configure(dev *os.File, back *scratchFile) error {
	block := max(openLimits(back.File).directBytes, sectorBytes)
	for _, try := range []struct {
		block int64
		flags uint32
	}{{block, unix.LO_FLAGS_DIRECT_IO}, {pageBytes, unix.LO_FLAGS_DIRECT_IO}, {sectorBytes, 0}} {
		config := unix.LoopConfig{Fd: uint32(back.Fd()), Size: uint32(try.block)}
		config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR | try.flags
		copy(config.Info.File_name[:len(config.Info.File_name)-1], back.path)
		err := unix.IoctlLoopConfigure(int(dev.Fd()), &config)
		if err == nil || !errors.Is(err, unix.EINVAL) {
			return wrapNil("configure "+dev.Name(), err)
		}
	}
	return fmt.Errorf("configure %s: %w", dev.Name(), unix.EINVAL)
}

func wrapNil(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// control does one ioctl of loop-control with a device's number.
func control(request uint, n int) error {
	f, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.IoctlSetInt(int(f.Fd()), request, n)
}

// removeLoop removes a loop device's node, waiting for the kernel to detach the
// file after the last close: a ring's own reference to it is dropped late.
func removeLoop(n int) error {
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := control(unix.LOOP_CTL_REMOVE, n)
		if err == nil || errors.Is(err, unix.ENODEV) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EINTR) || time.Since(begin) > 5*time.Second {
			return fmt.Errorf("remove loop%d: %w; see what has it open, then `losetup -d /dev/loop%d`", n, err, n)
		}
	}
}

// CleanStale removes the empty loop devices that killed processes left. One
// that has a file or is open is someone's and stays.
func CleanStale() error {
	t := tree{hostRoot}
	for n := firstLoop; n < firstLoop+loopCount; n++ {
		name := fmt.Sprintf("loop%d", n)
		if !t.has("sys/block", name) || t.has("sys/block", name, "loop/backing_file") {
			continue
		}
		err := control(unix.LOOP_CTL_REMOVE, n)
		if err != nil && !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.ENODEV) {
			return fmt.Errorf("remove the leftover %s: %w", name, err)
		}
	}
	return nil
}

// checkSpace finds before anything is made that a file system is too full.
func checkSpace(dir string, sizeBytes int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return fmt.Errorf("make scratch target in %s: %w; give another directory", dir, err)
	}
	free := int64(st.Bavail) * st.Bsize
	if free < sizeBytes {
		return fmt.Errorf("make scratch target in %s: %w: %d MiB are needed and %d MiB are free; free some space, or give another directory or a smaller size", dir, unix.ENOSPC, sizeBytes>>20, free>>20)
	}
	return nil
}

// allocate takes the space at once; a file system that cannot gets a sparse
// file.
func allocate(f *os.File, sizeBytes int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, sizeBytes)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return f.Truncate(sizeBytes)
	}
	return err
}

func openLimits(f *os.File) limits { return fileLimits(fmt.Sprintf("/proc/self/fd/%d", f.Fd())) }

// bypassCache turns direct I/O on for an open file.
func bypassCache(f *os.File) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags|unix.O_DIRECT)
	return err
}
