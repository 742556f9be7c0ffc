package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

// loopDevice adds a loop device of its own over a new file of size bytes, with
// direct I/O on both sides, and removes it at the end of the test.
func loopDevice(t *testing.T, size int64) (target runners.Target, backing string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to add a loop device")
	}
	backing = filepath.Join(t.TempDir(), "backing")
	file, err := os.Create(backing)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	number := addLoop(t)
	path := fmt.Sprintf("/dev/loop%d", number)
	device, err := os.OpenFile(path, os.O_RDWR|unix.O_EXCL|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := unix.LoopConfig{Fd: uint32(file.Fd()), Size: 4096}
	config.Info.Flags = unix.LO_FLAGS_DIRECT_IO
	if err := unix.IoctlLoopConfigure(int(device.Fd()), &config); err != nil {
		device.Close()
		t.Fatalf("configure %s: %v", path, err)
	}
	t.Cleanup(func() {
		if err := unix.IoctlSetInt(int(device.Fd()), unix.LOOP_CLR_FD, 0); err != nil {
			t.Errorf("detach %s: %v", path, err)
		}
		device.Close()
	})
	return runners.Target{
		File: device, Name: path, SizeBytes: size, BlockBytes: 4096, DeleteBytes: 4096, Device: true, Writable: true,
	}, backing
}

// addLoop adds a device with a number that nobody has, and removes it at the
// end of the test. A number may be taken meanwhile, so it tries several.
func addLoop(t *testing.T) int {
	t.Helper()
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := 0, error(unix.EEXIST)
	for i := 0; i < 100 && errors.Is(err, unix.EEXIST); i++ {
		number = 1000 + os.Getpid()%1000*100 + i
		err = unix.IoctlSetInt(int(control.Fd()), unix.LOOP_CTL_ADD, number)
	}
	if err != nil {
		t.Fatalf("add a loop device: %v", err)
	}
	t.Cleanup(func() {
		defer control.Close()
		err := unix.IoctlSetInt(int(control.Fd()), unix.LOOP_CTL_REMOVE, number)
		for i := 0; i < 100 && errors.Is(err, unix.EBUSY); i++ {
			time.Sleep(20 * time.Millisecond)
			err = unix.IoctlSetInt(int(control.Fd()), unix.LOOP_CTL_REMOVE, number)
		}
		if err != nil {
			t.Errorf("remove loop%d: %v", number, err)
		}
	})
	return number
}

// deletes is what the kernel counted for a device: discard requests and bytes.
func deletes(t *testing.T, target runners.Target) (requests, size int64) {
	t.Helper()
	text, err := os.ReadFile("/sys/block/" + filepath.Base(target.Name) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text))
	requests, err1 := strconv.ParseInt(fields[11], 10, 64)
	sectors, err2 := strconv.ParseInt(fields[13], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return requests, sectors * 512
}
