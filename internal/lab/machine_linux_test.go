//go:build lab

package lab

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is a running QEMU.
type machine struct {
	t     *testing.T
	disks []disk
	dir   string
	cmd   *exec.Cmd
	port  net.Conn
	lines *bufio.Scanner
	sums  map[string][32]byte
}

// images makes the image files; those that a run may be given hold a pattern.
func images(t *testing.T, dir string, all []disk) {
	t.Helper()
	for _, d := range all {
		path := filepath.Join(dir, d.image())
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(d.size); err != nil {
			t.Fatal(err)
		}
		// Not in the first MiB, which would look like a signature.
		if _, err := f.WriteAt([]byte(strings.Repeat(d.label+" ", 1000)), d.size/2); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for _, d := range all {
		path := filepath.Join(dir, d.image())
		switch d.label {
		case "state", "signature":
			format(t, path)
		case "mounted":
			format(t, "-E", fmt.Sprintf("offset=%d", mib), path, "32M")
			partition(t, path)
		}
	}
}

func format(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("mkfs.ext4", append([]string{"-q", "-F"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4 %v: %v\n%s", args, err, out)
	}
}

// partition writes a table with one partition of 32 MiB at 1 MiB.
func partition(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := make([]byte, 66)
	copy(table, []byte{0, 0, 2, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0}) // from sector 2048, 65536 sectors
	table[64], table[65] = 0x55, 0xaa
	if _, err := f.WriteAt(table, 446); err != nil {
		t.Fatal(err)
	}
}

// boot starts the machine. It has one processor: with two, the emulated timers
// of a busy host's guest stop at times, and the guest with them.
func boot(t *testing.T, dir, image, initrd string, s setup, times int) *machine {
	t.Helper()
	m := &machine{t: t, dir: dir, disks: s.chosen()}
	images(t, dir, m.disks)
	args := []string{
		"-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "768", "-display", "none", "-nodefaults",
		"-kernel", image, "-initrd", initrd,
		"-append", fmt.Sprintf("console=ttyS0 panic=-1 quiet mitigations=off lab=%s stories=%s times=%d", strings.Join(s.parts, ","), strings.Join(s.stories, ","), times),
		"-serial", "file:" + filepath.Join(dir, "console"), "-serial", "unix:" + filepath.Join(dir, "port") + ",server",
		"-qmp", "unix:" + filepath.Join(dir, "qmp") + ",server=on,wait=off",
		"-device", "ich9-ahci,id=ahci", "-device", "virtio-scsi-pci,id=scsi",
	}
	for _, d := range m.disks {
		args = append(args, d.arguments(dir)...)
	}
	m.cmd = exec.Command("qemu-system-x86_64", args...)
	m.cmd.Stdout, m.cmd.Stderr = os.Stderr, os.Stderr
	// It must not outlive the test, however that ends. The signal comes when
	// the thread ends that started it.
	runtime.LockOSThread()
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.end)
	m.port = dial(t, filepath.Join(dir, "port"))
	m.lines = bufio.NewScanner(m.port)
	return m
}

// end switches the machine off.
func (m *machine) end() {
	m.cmd.Process.Kill()
	m.cmd.Wait()
}

// arguments are QEMU's for a disk.
func (d disk) arguments(dir string) (args []string) {
	drive := fmt.Sprintf("if=none,id=d-%s,format=raw,cache=unsafe,file=%s", d.label, filepath.Join(dir, d.image()))
	if d.extra != "" {
		drive += "," + d.extra
	}
	args = append(args, "-drive", drive)
	for _, a := range d.around {
		args = append(args, "-device", a)
	}
	device := d.device + ",drive=d-" + d.label
	if d.around == nil {
		device += ",serial=" + d.label
	}
	return append(args, "-device", device)
}

func dial(t *testing.T, path string) net.Conn {
	t.Helper()
	for range 100 {
		if c, err := net.Dial("unix", path); err == nil {
			t.Cleanup(func() { c.Close() })
			return c
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no answer at %s", path)
	return nil
}

// qmp sends QEMU a command over its monitor.
func (m *machine) qmp(command string, arguments map[string]any) error {
	return m.query(command, arguments, nil)
}

// query sends a command and reads what comes back into answer, unless it is nil.
func (m *machine) query(command string, arguments map[string]any, into any) error {
	c, err := net.Dial("unix", filepath.Join(m.dir, "qmp"))
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	answers := json.NewDecoder(c)
	var answer map[string]json.RawMessage
	if err := answers.Decode(&answer); err != nil { // the greeting
		return err
	}
	for _, request := range []map[string]any{{"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}} {
		if err := json.NewEncoder(c).Encode(request); err != nil {
			return err
		}
		for {
			answer = nil
			if err := answers.Decode(&answer); err != nil {
				return err
			}
			if failed, ok := answer["error"]; ok {
				return fmt.Errorf("%s: %s", command, failed)
			}
			if got, ok := answer["return"]; ok {
				if into != nil && request["execute"] == command {
					return json.Unmarshal(got, into)
				}
				break
			}
		}
	}
	return nil
}

// wake waits until the machine sleeps, lets it for two seconds and wakes it. What
// fails here shows as a machine that never ends.
func (m *machine) wake() {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var status struct{ Status string }
		if m.query("query-status", map[string]any{}, &status) == nil && status.Status == "suspended" {
			time.Sleep(2 * time.Second)
			m.qmp("system_wakeup", map[string]any{})
			return
		}
	}
}

// sum is the checksum of an image.
func (m *machine) sum(label string) (out [32]byte) {
	f, err := os.Open(filepath.Join(m.dir, label))
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		m.t.Fatal(err)
	}
	return [32]byte(h.Sum(nil))
}

// changes are the images that differ from when this was last called, but those
// that hold a mounted file system.
func (m *machine) changes() (out []string) {
	first := m.sums == nil
	if first {
		m.sums = map[string][32]byte{}
	}
	for _, d := range m.disks {
		if d.label == "state" {
			continue
		}
		sum := m.sum(d.image())
		if !first && sum != m.sums[d.label] {
			out = append(out, d.label)
		}
		m.sums[d.label] = sum
	}
	return out
}

// answer does what the guest asks for.
func (m *machine) answer(words []string) error {
	switch words[0] {
	case "shadow":
		changed := slices.DeleteFunc(m.changes(), func(label string) bool { return label == words[1] })
		if len(changed) > 0 {
			return fmt.Errorf("written to: %v", changed)
		}
		return nil
	case "unplug":
		return m.qmp("device_del", map[string]any{"id": "unplug"})
	case "wake":
		go m.wake()
		return nil
	case "reset":
		return m.qmp("system_reset", map[string]any{})
	}
	return fmt.Errorf("unknown request %q", words[0])
}
