//go:build lab

package lab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What the environment may ask for.
const (
	// table is the file that the table of devices is written to ('make lab').
	table = "IOSWEEP_LAB"
	// faultsTable is the file that the table of faults is added to ('make
	// faults'); each is then tried as often as often says.
	faultsTable = "IOSWEEP_LAB_FAULTS"
	// only names the parts to do, such as "unplug,scsi"; no table is written.
	only = "IOSWEEP_LAB_ONLY"
)

// often is how many times each fault is tried for the table of faults.
const often = 20

// TestLab runs the laboratory and holds that every property of every device is
// as it must be.
func TestLab(t *testing.T) {
	kit := newKit(t)
	all, times := setups(), 1
	if os.Getenv(faultsTable) != "" {
		all, times = hurts(), often
	}
	if parts := os.Getenv(only); parts != "" {
		all = choose(all, strings.Split(parts, ","))
	}
	rows := make([][]row, len(all))
	t.Run("machines", func(t *testing.T) {
		for i, s := range all {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = kit.run(t, s, times)
			})
		}
	})
	publish(t, slices.Concat(rows...))
}

// kit is what machines are booted from.
type kit struct {
	dir            string
	packed, direct string // the kernel's images
	modules        string
	programs       map[string]string
}

func newKit(t *testing.T) *kit {
	t.Helper()
	for _, tool := range []string{"qemu-system-x86_64", "mkfs.ext4", "xz"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("no %s here: run .ci/setup as root", tool)
		}
	}
	dir, err := kernelFolder()
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{dir: t.TempDir()}
	if k.packed, k.modules, err = kernel(dir); err != nil {
		t.Fatalf("find the kernel that .ci/setup fetches as root: %v", err)
	}
	k.direct = unpacked(t, k.dir, k.packed)
	k.programs = map[string]string{"init": build(t, k.dir, "./guest"), "bin/iosweep": build(t, k.dir, "../../cmd/iosweep")}
	return k
}

// boots is how often a machine is booted whose guest program does not come to
// speak: that is the emulation's fault. What the guest says is never asked twice.
const boots = 3

// run boots a machine and returns what its guest program found.
func (k *kit) run(t *testing.T, s setup, times int) (rows []row) {
	t.Helper()
	image := k.direct
	if s.sleeps {
		image = k.packed
	}
	for try := 1; ; try++ {
		dir := t.TempDir()
		initrd := filepath.Join(dir, "initrd")
		if err := os.WriteFile(initrd, initramfs(t, k.modules, s.modules, k.programs), 0o600); err != nil {
			t.Fatal(err)
		}
		m := boot(t, dir, image, initrd, s, times)
		if !m.hear() {
			m.end()
			if try == boots {
				t.Fatalf("in %d boots the guest never came to speak within %v; the last one's console:\n%s", boots, bootLimit, m.console())
			}
			t.Logf("boot %d: the guest did not come to speak within %v: once more", try, bootLimit)
			continue
		}
		rows = m.listen(limit + time.Duration(times-1)*perTime)
		if s.want >= 0 && len(rows) != s.want {
			t.Errorf("%d properties were looked at, want %d", len(rows), s.want)
		}
		return rows
	}
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
type row struct {
	device, property, ok string
	tried                int
}

const (
	// bootLimit is how long a boot may take, some fifteen seconds if nothing is
	// wrong and the host is not busy.
	bootLimit = 90 * time.Second
	// limit is how long a machine may then take, some three minutes; perTime is
	// added for each time that its faults are tried once more.
	limit, perTime = 6 * time.Minute, 45 * time.Second
)

// hear waits for the guest's first line.
func (m *machine) hear() bool {
	timer := time.AfterFunc(bootLimit, func() { m.cmd.Process.Kill() })
	defer timer.Stop()
	for m.lines.Scan() {
		if strings.TrimSpace(m.lines.Text()) == "LAB up" {
			return true
		}
	}
	return false
}

// listen serves the guest until it is done and returns its rows.
func (m *machine) listen(limit time.Duration) (rows []row) {
	m.t.Helper()
	m.changes()
	begun := time.Now()
	timer := time.AfterFunc(limit, func() { m.cmd.Process.Kill() })
	defer timer.Stop()
	for m.lines.Scan() {
		text, ok := strings.CutPrefix(strings.TrimSpace(m.lines.Text()), "LAB ")
		if !ok || text == "up" { // after a reset
			continue
		}
		words := strings.Split(text, "\t")
		switch {
		case words[0] == "done":
			return rows
		case words[0] == "row" && len(words) == 5:
			tried, _ := strconv.Atoi(words[4])
			rows = append(rows, row{words[1], words[2], words[3], tried})
			m.t.Logf("%5.1f s  %s: %s: %s", time.Since(begun).Seconds(), words[1], words[2], words[3])
		default:
			said := "ok"
			if err := m.answer(words); err != nil {
				said = err.Error()
			}
			fmt.Fprintln(m.port, said)
		}
	}
	m.t.Fatalf("the machine ended, or took more than %v, before it was done; its console:\n%s", limit, m.console())
	return nil
}

// console is the end of what the guest's kernel said.
func (m *machine) console() []byte {
	b, _ := os.ReadFile(filepath.Join(m.dir, "console"))
	return b[max(0, len(b)-8000):]
}

// publish fails for every property that is not ok and writes the table.
func publish(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		if r.ok != "ok" {
			t.Errorf("%s: %s: %s", r.device, r.property, r.ok)
		}
	}
	if os.Getenv(only) != "" || t.Failed() {
		return
	}
	if path := os.Getenv(faultsTable); path != "" {
		appendTo(t, path, faultsHead+counted(rows))
	} else if path := os.Getenv(table); path != "" {
		if err := os.WriteFile(path, []byte(head+matrix(rows)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// counted is the table of faults that were tried often: a row is there only if
// each time was as it must be.
func counted(rows []row) (out string) {
	for _, r := range rows {
		out += fmt.Sprintf("| %s | %s | %d | 0 |\n", r.property, r.device, r.tried)
	}
	return out
}

// matrix is a table of the properties that every device has, and one of those
// that are a device's own.
func matrix(rows []row) string {
	devices, properties, own, cells := []string{}, []string{}, "", map[[2]string]string{}
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
		cells[[2]string{r.device, r.property}] = mark(r.ok)
	}
	out := "| device | " + strings.Join(properties, " | ") + " |\n|" + strings.Repeat("---|", len(properties)+1) + "\n"
	for _, d := range devices {
		out += "| " + d
		for _, p := range properties {
			out += " | " + cells[[2]string{d, p}]
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
