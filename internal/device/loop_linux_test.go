package device

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// needRoot skips what a user cannot do.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, for loop devices and mounts")
	}
	if _, err := os.Stat(loopControl); err != nil {
		t.Skipf("needs loop devices: %v", err)
	}
}

// needTool skips where a tool is not installed.
func needTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("needs %s: %v", name, err)
	}
	return path
}

func runTool(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(needTool(t, name), args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// Test devices have numbers of their own, away from CleanStale's.
const firstTestLoop = firstLoop + loopCount

// attachLoop makes a loop device of sizeBytes over a file of its own, and
// removes it when the test ends.
func attachLoop(t *testing.T, sizeBytes int64, flags uint32) (path, backing string) {
	t.Helper()
	needRoot(t)
	backing = filepath.Join(t.TempDir(), "backing")
	f, err := os.OpenFile(backing, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(sizeBytes); err != nil {
		t.Fatal(err)
	}
	return attachFile(t, f, flags), backing
}

func attachFile(t *testing.T, back *os.File, flags uint32) string {
	t.Helper()
	return attachBlocks(t, back, flags, sectorBytes)
}

func attachBlocks(t *testing.T, back *os.File, flags, block uint32) string {
	t.Helper()
	for n := firstTestLoop; n < firstTestLoop+loopCount; n++ {
		err := control(unix.LOOP_CTL_ADD, n)
		if errors.Is(err, unix.EEXIST) {
			continue
		}
		if err != nil {
			t.Fatalf("add loop%d: %v", n, err)
		}
		path := fmt.Sprintf("/dev/loop%d", n)
		dev, err := openLoop(n)
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		t.Cleanup(func() { detach(t, path, n) })
		config := unix.LoopConfig{Fd: uint32(back.Fd()), Size: block}
		config.Info.Flags = flags
		if err := unix.IoctlLoopConfigure(int(dev.Fd()), &config); err != nil {
			t.Fatalf("configure %s: %v", path, err)
		}
		return path
	}
	t.Fatal("no free loop device")
	return ""
}

func detach(t *testing.T, path string, n int) {
	t.Helper()
	if dev, err := os.OpenFile(path, os.O_RDONLY, 0); err == nil {
		if err := unix.IoctlSetInt(int(dev.Fd()), unix.LOOP_CLR_FD, 0); err != nil && !errors.Is(err, unix.ENXIO) {
			t.Errorf("detach %s: %v", path, err)
		}
		dev.Close()
	}
	if err := removeLoop(n); err != nil {
		t.Error(err)
	}
}

// addPartition tells the kernel of a partition without writing a table.
func addPartition(t *testing.T, path string, number int, start, length int64) string {
	t.Helper()
	dev, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if err := partition(dev, blkpgAdd, number, start, length); err != nil {
		t.Fatalf("add partition %d to %s: %v", number, path, err)
	}
	t.Cleanup(func() {
		dev, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer dev.Close()
		if err := partition(dev, blkpgDelete, number, 0, 0); err != nil {
			t.Errorf("delete partition %d of %s: %v", number, path, err)
		}
	})
	return fmt.Sprintf("%sp%d", path, number)
}

func mountAt(t *testing.T, source, fsType string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount(source, dir, fsType, unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		t.Fatalf("mount %s: %v", source, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}
