package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needsRoot skips where loop devices cannot be made.
func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: makes loop devices")
	}
}

// loopDevice makes a loop device over a file of its own and removes it when
// the test ends. It returns the device's path and its id: the backing file.
func loopDevice(t *testing.T, size int64) (path, id string) {
	t.Helper()
	return loopDeviceIn(t, t.TempDir(), size)
}

// loopDeviceIn is loopDevice with the file in dir.
func loopDeviceIn(t *testing.T, dir string, size int64) (path, id string) {
	t.Helper()
	needsRoot(t)
	id = filepath.Join(dir, "backing")
	f, err := os.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	n := addLoop(t)
	path = fmt.Sprintf("/dev/loop%d", n)
	t.Cleanup(func() { removeLoop(t, n) })
	dev, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	config := unix.LoopConfig{Fd: uint32(f.Fd()), Size: 512}
	config.Info.Flags = unix.LO_FLAGS_DIRECT_IO
	copy(config.Info.File_name[:], id)
	if err := unix.IoctlLoopConfigure(int(dev.Fd()), &config); err != nil {
		t.Fatal(err)
	}
	return path, id
}

func addLoop(t *testing.T) int {
	t.Helper()
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	for n := 5100; n < 5200; n++ {
		if unix.IoctlSetInt(int(control.Fd()), unix.LOOP_CTL_ADD, n) == nil {
			return n
		}
	}
	t.Fatal("no loop device could be added")
	return 0
}

func removeLoop(t *testing.T, n int) {
	t.Helper()
	if dev, err := os.Open(fmt.Sprintf("/dev/loop%d", n)); err == nil {
		unix.IoctlSetInt(int(dev.Fd()), unix.LOOP_CLR_FD, 0)
		dev.Close()
	}
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	for range 200 {
		if err = unix.IoctlSetInt(int(control.Fd()), unix.LOOP_CTL_REMOVE, n); err == nil || err == unix.ENODEV {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("remove loop%d: %v", n, err)
}

// queueSettings reads every readable knob below a device's queue directory.
func queueSettings(t *testing.T, device string) map[string]string {
	t.Helper()
	dir := filepath.Join("/sys/block", filepath.Base(device), "queue")
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil {
			out[strings.TrimPrefix(path, dir+"/")] = strings.TrimSpace(string(text))
		}
		return nil
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("read the settings of %s: %v", device, err)
	}
	return out
}

// sameSettings reports every knob that differs.
func sameSettings(t *testing.T, before, after map[string]string) {
	t.Helper()
	for knob, value := range before {
		if after[knob] != value {
			t.Errorf("%s was %q and is %q", knob, value, after[knob])
		}
	}
	for knob := range after {
		if _, ok := before[knob]; !ok {
			t.Errorf("%s is new", knob)
		}
	}
}
