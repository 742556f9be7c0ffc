//go:build lab

package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// table, when set, is the file that the table is written to ('make lab').
const table = "IOSWEEP_LAB"

// only, when set, names the parts to do (such as "unplug,scsi"); then
// no table is written.
const only = "IOSWEEP_LAB_ONLY"

// limit is how long the machine may take, some three minutes if nothing is wrong.
const limit = 6 * time.Minute

// TestLab runs the laboratory and holds that every property of every device is
// as it must be.
func TestLab(t *testing.T) {
	for _, tool := range []string{"qemu-system-x86_64", "mkfs.ext4"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("no %s here: run .ci/setup as root", tool)
		}
	}
	dir, err := kernelFolder()
	if err != nil {
		t.Fatal(err)
	}
	image, mods, err := kernel(dir)
	if err != nil {
		t.Fatalf("find the kernel that .ci/setup fetches as root: %v", err)
	}
	work := t.TempDir()
	initrd := filepath.Join(work, "initrd")
	programs := map[string]string{"init": build(t, work, "./guest"), "bin/iosweep": build(t, work, "../../cmd/iosweep")}
	if err := os.WriteFile(initrd, initramfs(t, mods, programs), 0o600); err != nil {
		t.Fatal(err)
	}
	images(t, work)
	rows := boot(t, work, image, initrd).listen()
	publish(t, rows)
}

// build compiles a program that needs nothing but a kernel.
func build(t *testing.T, dir, source string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.Base(source)+"-program")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", source, err, out)
	}
	return path
}

// row is a property of a device; ok is "ok" or what is wrong.
type row struct{ device, property, ok string }

// listen serves the guest until it is done and returns its rows.
func (m *machine) listen() (rows []row) {
	m.changes()
	timer := time.AfterFunc(limit, func() { m.cmd.Process.Kill() })
	defer timer.Stop()
	for m.lines.Scan() {
		text, ok := strings.CutPrefix(strings.TrimSpace(m.lines.Text()), "LAB ")
		if !ok {
			continue
		}
		words := strings.Split(text, "\t")
		switch {
		case words[0] == "done":
			return rows
		case words[0] == "row" && len(words) == 4:
			rows = append(rows, row{words[1], words[2], words[3]})
			m.t.Logf("%s: %s: %s", words[1], words[2], words[3])
		default:
			said := "ok"
			if err := m.answer(words); err != nil {
				said = err.Error()
			}
			fmt.Fprintln(m.port, said)
		}
	}
	console, _ := os.ReadFile(filepath.Join(m.dir, "console"))
	m.t.Fatalf("the machine ended, or took more than %v, before it was done; its console:\n%s", limit, tail(console))
	return nil
}

func tail(b []byte) []byte { return b[max(0, len(b)-8000):] }

// want is how many properties there are, so that none is lost in silence: eight
// of each of nine stories, the refusals, the faults, and those after the reset.
const want = 9*8 + 8 + 4 + 4

// publish fails for every property that is not ok and writes the table.
func publish(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		if r.ok != "ok" {
			t.Errorf("%s: %s: %s", r.device, r.property, r.ok)
		}
	}
	if os.Getenv(only) != "" {
		return
	}
	if len(rows) != want {
		t.Errorf("%d properties were looked at, want %d", len(rows), want)
	}
	if path := os.Getenv(table); path != "" && !t.Failed() {
		if err := os.WriteFile(path, []byte(head+matrix(rows)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// matrix is a table of the properties that every device has, and one of those
// that are a device's own.
func matrix(rows []row) string {
	devices, properties, own, cells := []string{}, []string{}, "", map[row]string{}
	for _, r := range rows {
		if strings.Contains(r.property, ":") && !strings.HasPrefix(r.property, "killed") || strings.Contains(r.property, "by refusals") {
			own += fmt.Sprintf("| %s | %s | %s |\n", r.device, r.property, mark(r.ok))
			continue
		}
		if !slices.Contains(devices, r.device) {
			devices = append(devices, r.device)
		}
		if !slices.Contains(properties, r.property) {
			properties = append(properties, r.property)
		}
		cells[row{r.device, r.property, ""}] = mark(r.ok)
	}
	out := "| device | " + strings.Join(properties, " | ") + " |\n|" + strings.Repeat("---|", len(properties)+1) + "\n"
	for _, d := range devices {
		out += "| " + d
		for _, p := range properties {
			out += " | " + cells[row{d, p, ""}]
		}
		out += " |\n"
	}
	return out + "\n| device | fault | |\n|---|---|---|\n" + own
}

func mark(ok string) string {
	if ok == "ok" {
		return ok
	}
	return "**failed**"
}

const head = `# The laboratory

Written by ` + "`make lab`" + `: iosweep on every kind of device, in QEMU (emulation only)
with Debian's kernel. Each device goes through the whole story of a tunable;
those that must not be written show that they are refused.

- *others untouched*: checksums of every other device before and after are the
  same, on the host for disks with an image file and in the guest for the rest.
- *only the claimed range*: the kernel's block tracepoints show no write or
  delete on another device, and none outside the region of the profile.
- *killed*: kill -9 while a setting is changed; the watchdog puts it back and
  nobody calls ` + "`iosweep restore`" + `.

` + "`nvme-mdts`" + ` takes 16 KiB in one command, ` + "`nvme-4kn`" + ` has blocks of 4096 bytes,
` + "`nullbare`" + ` cannot delete, ` + "`nullzone`" + ` is zoned, ` + "`dmdelay`" + ` is dm-delay over ` + "`under`" + `,
` + "`member`" + ` is half of an md mirror, ` + "`mounted`" + ` has a mounted partition and
` + "`signature`" + ` a file system that is not mounted.

`
