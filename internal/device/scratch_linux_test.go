package device

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestScratchLoop(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	s, err := NewScratch(t.Context(), 8*mib, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Info.Kind != "loop" || s.Info.SizeBytes != 8*mib || !s.Info.Writable || !s.Info.CanDelete() {
		t.Errorf("scratch is %+v", s.Info)
	}
	if !strings.Contains(s.Note, s.Info.Name) {
		t.Errorf("note %q does not name %s", s.Note, s.Info.Name)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("the backing file has a name: %v", left)
	}
	mustRefuse(t, s.Info.Path, OpenOptions{Destroy: s.Info.ID}, "in use")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Info.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", s.Info.Path, err)
	}
	if _, err := os.Stat(s.Info.SysDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", s.Info.SysDir, err)
	}
}

func TestScratchLoopOverTmpfs(t *testing.T) {
	needRoot(t)
	dir := mountAt(t, "none", "tmpfs")
	s, err := NewScratch(t.Context(), 4*mib, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Info.Backing, "tmpfs") {
		t.Errorf("backing is %q", s.Info.Backing)
	}
}

// Space is looked at before anything is made.
func TestScratchWithoutSpace(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(dir, 0)
	s, err := NewScratch(t.Context(), 64*mib, dir)
	if err == nil {
		s.Close()
		t.Fatal("64 MiB were made on a file system of 1 MiB")
	}
	if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "64 MiB are needed") {
		t.Errorf("err = %v", err)
	}
}

// childEnv makes the test binary a process that holds a scratch device until it
// is killed.
const childEnv = "IOSWEEP_TEST_HOLD_SCRATCH"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		holdScratch(dir)
	}
	os.Exit(m.Run())
}

func holdScratch(dir string) {
	s, err := newLoopScratch(context.Background(), 4*mib, dir)
	if err != nil {
		println("error", err.Error())
		os.Exit(1)
	}
	os.Stdout.WriteString(s.Info.Name + "\n")
	time.Sleep(time.Minute)
	os.Exit(0)
}

// After kill -9 the kernel frees the backing file; the empty device that is
// left goes with the next scratch device.
func TestKilledScratchLeavesNothing(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 5 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		cmd.Process.Kill()
		cmd.Wait()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		name := strings.TrimSpace(line)
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "loop")); err != nil || n < firstLoop || n >= firstLoop+loopCount {
			t.Fatalf("the child's device is %q", name)
		}
		waitGone(t, filepath.Join("/sys/block", name, "loop/backing_file"))
		if err := CleanStale(); err != nil {
			t.Fatal(err)
		}
		waitGone(t, "/dev/"+name)
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Fatalf("round %d left %v", round, left)
		}
	}
}

// Killed at any point of making and using the device, nothing stays.
func TestScratchKilledAtRandomPoints(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(30 * time.Millisecond))
		cmd.Process.Kill()
		cmd.Wait()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Fatalf("left in the directory: %v", left)
		}
	}
	for n := firstLoop; n < firstLoop+loopCount; n++ {
		name := fmt.Sprintf("loop%d", n)
		if file := (tree{hostRoot}).backingFile(node{name: name}); strings.HasPrefix(file, dir) {
			waitGone(t, filepath.Join("/sys/block", name, "loop/backing_file"))
		}
	}
	if err := CleanStale(); err != nil {
		t.Error(err)
	}
	for n := firstLoop; n < firstLoop+loopCount; n++ {
		name := fmt.Sprintf("loop%d", n)
		if _, err := os.Stat("/dev/" + name); err == nil && (tree{hostRoot}).backingFile(node{name: name}) == "" {
			waitGone(t, "/dev/"+name) // another test's may be just being made
		}
	}
}

func waitGone(t *testing.T, path string) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return
		}
	}
	t.Fatalf("%s is still there", path)
}

// CleanStale keeps its hands off devices that are set up or open.
func TestCleanStaleKeepsDevicesInUse(t *testing.T) {
	needRoot(t)
	s, err := NewScratch(t.Context(), 2*mib, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n, dev, err := addLoop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := CleanStale(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dev.Name()); err != nil {
		t.Errorf("an open device was removed: %v", err)
	}
	if _, err := os.Stat(s.Info.Path); err != nil {
		t.Errorf("a device in use was removed: %v", err)
	}
	dev.Close()
	if err := removeLoop(n); err != nil {
		t.Error(err)
	}
}

// A device that somebody took for a leftover is told from one whose node is late.
func TestOpenOfRemovedLoop(t *testing.T) {
	needRoot(t)
	if _, err := openLoop(firstTestLoop + loopCount); !errors.Is(err, unix.ENXIO) {
		t.Errorf("err = %v, want ENXIO", err)
	}
}

// Several make and remove devices at once, while each cleans up before.
func TestScratchDevicesAtOnce(t *testing.T) {
	needRoot(t)
	var wg sync.WaitGroup
	for range 8 {
		dir := t.TempDir()
		wg.Go(func() {
			for range 4 {
				s, err := NewScratch(t.Context(), 2*mib, dir)
				if err != nil {
					t.Error(err)
					return
				}
				if s.Info.Kind != "loop" {
					t.Errorf("got a %s: %s", s.Info.Kind, s.Note)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestOneIosweepPerDevice(t *testing.T) {
	path, backing := attachLoop(t, 4*mib, 0)
	state := t.TempDir()
	c, err := Open(path, OpenOptions{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	mustRefuse(t, path, OpenOptions{Destroy: backing, StateDir: state}, "another iosweep")
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "another iosweep")
	// Seen under another node, only the lock by identity can tell.
	node := filepath.Join(t.TempDir(), "node")
	if err := unix.Mknod(node, unix.S_IFBLK|0o600, rdev(t, path)); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, node, OpenOptions{Destroy: backing, StateDir: state}, "another iosweep")
	// And whoever keeps his state elsewhere meets the lock of the disk's node.
	mustRefuse(t, node, OpenOptions{Destroy: backing, StateDir: t.TempDir()}, "another iosweep")
	c.Close()
	mustGrant(t, node, OpenOptions{Destroy: backing, StateDir: state})
}

func rdev(t *testing.T, path string) int {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return int(st.Rdev)
}
