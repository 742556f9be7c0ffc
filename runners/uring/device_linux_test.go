package uring

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

const mib = 1 << 20

// needRing skips where the kernel gives no ring, saying why.
func needRing(t testing.TB) {
	t.Helper()
	if err := (Engine{}).Probe(); err != nil {
		t.Skip(err)
	}
}

// needRoot skips tests of real block devices where none can be made.
func needRoot(t testing.TB) {
	t.Helper()
	needRing(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root to make a block device")
	}
}

// newFile makes a target of a file filled with zeros.
func newFile(t testing.TB, dir string, size int64, flags int) runners.Target {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "target"), os.O_RDWR|os.O_CREATE|flags, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		t.Fatal(err)
	}
	return runners.Target{File: f, Name: f.Name(), SizeBytes: size, BlockBytes: 4096, DeleteBytes: 4096, Writable: true}
}

// shm makes a directory in memory.
func shm(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "iosweep-test-")
	if err != nil {
		t.Skip("needs /dev/shm: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// newLoop makes a loop device of its own over a file in dir and opens it.
func newLoop(t testing.TB, dir string, size int64, direct bool) runners.Target {
	t.Helper()
	needRoot(t)
	backing := newFile(t, dir, size, 0)
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs loop devices: ", err)
	}
	n := ioctl(t, control, 0x4c80, ^uintptr(0)) // LOOP_CTL_ADD, any number
	t.Cleanup(func() {
		again(t, "remove loop device", func() error { return tryIoctl(control, 0x4c81, uintptr(n)) })
		control.Close()
	})
	path := fmt.Sprintf("/dev/loop%d", n)
	loop, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	ioctl(t, loop, 0x4c00, backing.File.Fd()) // LOOP_SET_FD
	t.Cleanup(func() {
		if err := tryIoctl(loop, 0x4c01, 0); err != nil { // LOOP_CLR_FD
			t.Error("detach: ", err)
		}
		loop.Close()
	})
	if direct {
		ioctl(t, loop, 0x4c08, 1) // LOOP_SET_DIRECT_IO
	}
	return openDevice(t, path, size)
}

// newZram makes a compressed memory device of its own and opens it.
func newZram(t testing.TB, size int64) runners.Target {
	t.Helper()
	needRoot(t)
	text, err := os.ReadFile("/sys/class/zram-control/hot_add")
	if err != nil {
		t.Skip("needs zram: ", err)
	}
	n := strings.TrimSpace(string(text))
	t.Cleanup(func() {
		again(t, "remove zram"+n, func() error {
			return os.WriteFile("/sys/class/zram-control/hot_remove", []byte(n), 0)
		})
	})
	if err := os.WriteFile("/sys/block/zram"+n+"/disksize", []byte(strconv.FormatInt(size, 10)), 0); err != nil {
		t.Fatal(err)
	}
	return openDevice(t, "/dev/zram"+n, size)
}

func openDevice(t testing.TB, path string, size int64) runners.Target {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT|unix.O_EXCL, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return runners.Target{File: f, Name: path, SizeBytes: size, BlockBytes: 4096, DeleteBytes: 4096, Device: true, Writable: true}
}

func ioctl(t testing.TB, f *os.File, request, arg uintptr) int {
	t.Helper()
	n, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, arg)
	if e != 0 {
		t.Fatalf("ioctl %#x on %s: %v", request, f.Name(), e)
	}
	return int(n)
}

func tryIoctl(f *os.File, request, arg uintptr) error {
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, arg); e != 0 {
		return e
	}
	return nil
}

// again repeats what may be busy for a moment (udev looks at new devices).
func again(t testing.TB, what string, do func() error) {
	t.Helper()
	var err error
	for range 100 {
		if err = do(); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s: %v", what, err)
}
