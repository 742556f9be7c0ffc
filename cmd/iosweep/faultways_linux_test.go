package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// closeTerminal runs on a terminal of its own and closes it.
func (r *rig) closeTerminal() (int, string) {
	master, slave := terminal(r.t)
	cmd, out := r.begin()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	r.start(cmd)
	slave.Close()
	r.awaitChange()
	r.changed++
	master.Close()
	return ended(cmd, out)
}

// terminal makes a pseudo-terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// closeOutput closes the pipe that the run prints to, as `| head` does.
func (r *rig) closeOutput() (int, string) {
	read, write, err := os.Pipe()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd, _ := r.begin()
	cmd.Stdout, cmd.Stderr = write, write
	r.start(cmd)
	write.Close()
	r.awaitChange()
	r.changed++
	read.Close()
	return ended(cmd, &bytes.Buffer{})
}

// fillResults keeps the results on a file system too small for them.
func (r *rig) fillResults() (int, string) {
	dir := r.t.TempDir()
	if err := unix.Mount("iosweep-test", dir, "tmpfs", 0, "size=16k"); err != nil {
		r.t.Fatal(err)
	}
	defer unix.Unmount(dir, 0)
	r.dir = filepath.Join(dir, "run")
	cmd, out := r.begin("--no-report")
	r.start(cmd)
	code, text := ended(cmd, out)
	return code, text + unreadable(r.dir)
}

// ext4 makes a small file system on a loop device and mounts it. The device
// goes when the test ends.
func (r *rig) ext4(t *testing.T) (dir, name string) {
	t.Helper()
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		t.Skip("needs mkfs.ext4, which this machine lacks")
	}
	dev, _ := loopDevice(t, 96<<20)
	if out, err := exec.Command("mkfs.ext4", "-q", "-e", "remount-ro", dev).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v\n%s", err, out)
	}
	dir = t.TempDir()
	if err := unix.Mount(dev, dir, "ext4", 0, "errors=remount-ro"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if unix.Unmount(dir, 0) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s stays mounted", dir)
	})
	return dir, filepath.Base(dev)
}

// freezeResults makes the file system of the results find an error halfway, and
// go read-only.
func (r *rig) freezeResults() (code int, text string) {
	r.t.Run("ext4", func(t *testing.T) {
		dir, name := r.ext4(t)
		r.dir = filepath.Join(dir, "run")
		cmd, out := r.begin("--no-report")
		r.start(cmd)
		r.awaitChange()
		r.changed++
		if err := os.WriteFile("/sys/fs/ext4/"+name+"/trigger_fs_error", []byte("asked for by a test"), 0); err != nil {
			t.Error(err)
		}
		code, text = ended(cmd, out)
		text += unreadable(r.dir)
		r.dir = ""
	})
	return code, text
}

// breakDevice takes the file system away from under the device: from then on it
// answers EIO.
func (r *rig) breakDevice() (code int, text string) {
	r.t.Run("ext4", func(t *testing.T) {
		dir, _ := r.ext4(t)
		inner := &rig{t: t, state: r.state, profile: r.profile}
		inner.dev, inner.id = loopDeviceIn(t, dir, 32<<20)
		inner.before = queueSettings(t, inner.dev)
		cmd, out := inner.begin()
		inner.start(cmd)
		inner.awaitChange()
		r.changed++
		fs, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer fs.Close()
		if err := unix.IoctlSetPointerInt(int(fs.Fd()), extShutdown, 0); err != nil {
			t.Fatal(err)
		}
		code, text = ended(cmd, out)
		if wrong := inner.settled(); len(wrong) > 0 {
			t.Errorf("not back: %v", wrong)
		}
		r.dir = inner.dir
	})
	return code, text
}

// stick freezes the file system below the device, so that its I/O never ends,
// and asks the run to stop twice. A kernel that lets no knob be written while
// I/O is outstanding (Linux from 6.14 on) puts the settings back once it thaws.
func (r *rig) stick() (code int, text string) {
	r.t.Run("ext4", func(t *testing.T) {
		dir, _ := r.ext4(t)
		inner := &rig{t: t, state: r.state, profile: profileFile(t, strings.ReplaceAll(fastProfile, "name: read, access", "name: write, op: write, access"))}
		inner.dev, inner.id = loopDeviceIn(t, dir, 32<<20)
		inner.before = queueSettings(t, inner.dev)
		cmd, out := inner.begin()
		inner.start(cmd)
		inner.awaitChange()
		r.changed++
		fs, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer fs.Close()
		if err := unix.IoctlSetInt(int(fs.Fd()), freeze, 0); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			time.Sleep(500 * time.Millisecond)
			cmd.Process.Signal(syscall.SIGINT)
		}
		time.Sleep(time.Second)
		if err := unix.IoctlSetInt(int(fs.Fd()), thaw, 0); err != nil {
			t.Fatal(err)
		}
		code, text = ended(cmd, out)
		if wrong := inner.settled(); len(wrong) > 0 {
			t.Errorf("not back: %v", wrong)
		}
		r.dir = inner.dir
	})
	return code, text
}

// extShutdown is EXT4_IOC_SHUTDOWN, _IOR('X', 125, __u32); freeze and thaw are
// FIFREEZE and FITHAW, _IOWR('X', 119 and 120, int).
const extShutdown, freeze, thaw = 0x8004587d, 0xc0045877, 0xc0045878

// TestWatchdog kills a run and asks nobody to restore; the watchdog says so.
func TestWatchdog(t *testing.T) {
	r := newRig(t)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd, _ := r.begin()
	cmd.Stdout, cmd.Stderr = log, log
	r.start(cmd)
	r.awaitChange()
	for len(sameOrNot(r.before, queueSettings(t, r.dev))) == 0 {
		time.Sleep(time.Millisecond)
	}
	dogs := children(cmd.Process.Pid)
	if len(dogs) != 1 {
		t.Fatalf("children %v, want the watchdog alone", dogs)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		syscall.Kill(dogs[0], s)
	}
	if sid, err := unix.Getsid(dogs[0]); err != nil || sid != dogs[0] {
		t.Errorf("session %d, %v; want one of its own (%d)", sid, err, dogs[0])
	}
	cmd.Process.Kill()
	cmd.Wait()
	if wrong := r.settled(); len(wrong) > 0 {
		t.Fatalf("not back: %v", wrong)
	}
	for end := time.Now().Add(5 * time.Second); syscall.Kill(dogs[0], 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the watchdog did not end")
		}
	}
	text, err := os.ReadFile(log.Name())
	if err != nil || !strings.Contains(string(text), "its watchdog did") {
		t.Errorf("the watchdog says nothing: %v\n%s", err, text)
	}
}
