package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/results"
)

// story is a device on which the whole story is told.
type story struct {
	label string
	// blind devices pass requests on unsplit, so their counters show whole ones.
	blind bool
	// host devices have an image file that the host compares.
	host bool
}

func stories() []story {
	return []story{
		{"virtio", false, true}, {"nvme-mdts", false, true}, {"nvme-4kn", false, true},
		{"sata", false, true}, {"scsi", false, true}, {"scsi_debug", false, false},
		{"nvme-paths", false, true}, {"nullmem", false, false}, {"nullbare", false, false}, {"dmdelay", true, false},
	}
}

const stateDir = "/state/iosweep"

// iosweep runs the command and returns its exit code and what it printed.
func iosweep(args ...string) (int, string) {
	cmd := prepared(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Run()
	if cmd.ProcessState == nil {
		return -2, "it could not be started"
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

func prepared(args ...string) *exec.Cmd {
	return exec.Command("/bin/iosweep", append(args, "--state-dir", stateDir)...)
}

// wants says what is wrong with an exit code and an output.
func wants(code int, says string, gotCode int, got string) error {
	if gotCode != code || !strings.Contains(got, says) {
		if len(got) > 600 {
			got = got[len(got)-600:]
		}
		return fmt.Errorf("exit code %d, want %d and %q: %s", gotCode, code, says, got)
	}
	return nil
}

// measured accepts a run that ended by itself. An emulated machine is too slow
// and uneven for figures, so trials need not count (exit code 5).
func measured(code int, out string) error {
	if code == 5 {
		return nil
	}
	return wants(0, "", code, out)
}

// listed finds a device as `iosweep devices --json` has it.
func listed(path string) (device.Info, error) {
	out, err := exec.Command("/bin/iosweep", "devices", "--json").Output()
	if err != nil {
		return device.Info{}, fmt.Errorf("list devices: %w", err)
	}
	var all []device.Info
	if err := json.Unmarshal(out, &all); err != nil {
		return device.Info{}, err
	}
	for _, i := range all {
		if i.Path == path {
			return i, nil
		}
	}
	return device.Info{}, fmt.Errorf("%s is not listed", path)
}

// tell goes through the whole story of one device.
func (g *guest) tell(s story) {
	path := g.disks[s.label]
	if path == "" {
		g.row(s.label, "list", errors.New("the device is not there"))
		return
	}
	info, err := listed(path)
	if err == nil && (!info.Writable || info.ID == "" || info.SizeBytes == 0) {
		err = fmt.Errorf("listed as %+v", info)
	}
	g.row(s.label, "list", err)
	if err != nil {
		return
	}
	code, out := iosweep("tunables", "--target", path)
	g.row(s.label, "tunables", wants(0, "max_sectors_kb", code, out))
	g.row(s.label, "refuse", refuses(path))
	sums := g.sums(path)
	t := startTrace(path)
	high, trials, err := g.measure(s, path, info.ID)
	g.row(s.label, "apply, read back, restore", err)
	if err == nil {
		g.row(s.label, "proof of effect", effect(s, high, trials))
	}
	g.row(s.label, "killed: back at once", g.killed(path, info.ID, high))
	g.row(s.label, "only the claimed range", t.check(info.SizeBytes))
	g.row(s.label, "others untouched", g.untouched(s, path, sums))
}

// refuses tries to write without saying what would be lost, and with another
// device's id.
func refuses(path string) error {
	profile := writeProfile(8)
	code, out := iosweep("run", profile, "--target", path, "--out", "/tmp/never")
	if err := wants(7, "--destroy", code, out); err != nil {
		return err
	}
	code, out = iosweep("run", profile, "--target", path, "--destroy", "somebody-else", "--out", "/tmp/never")
	return wants(7, "is not this device's", code, out)
}

// writeProfile writes a profile that sweeps max_sectors_kb between high and its
// half, with writes of high KiB to the first half of the device.
func writeProfile(high int) string {
	text := fmt.Sprintf(`
schema: 1
name: lab
title: The laboratory's profile
about: one knob on every kind of device
measure: {warmup: 50ms, duration: 400ms, settle: 10ms, repeats: 1, seed: 1}
tunables:
  - {name: max_sectors_kb, values: [%d, %d], why: half of a write and all of it}
workloads:
  - name: writes
    why: writes into the first half
    jobs: [{name: write, op: write, access: random, size: %dKiB, depth: 2, region: {from: 0%%, to: 50%%}}]
`, high/2, high, high)
	path := fmt.Sprintf("/tmp/lab-%d.yaml", high)
	os.WriteFile(path, []byte(text), 0o600)
	return path
}

func knob(path, name string) int {
	text, _ := os.ReadFile(filepath.Join("/sys/block", filepath.Base(path), "queue", name))
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

// settings reads every knob below a device's queue directory.
func settings(path string) map[string]string {
	out := map[string]string{}
	dir := filepath.Join("/sys/block", filepath.Base(path), "queue")
	filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if text, err := os.ReadFile(file); err == nil {
				out[strings.TrimPrefix(file, dir+"/")] = strings.TrimSpace(string(text))
			}
		}
		return nil
	})
	return out
}

func differ(before, after map[string]string) error {
	for k, v := range before {
		if after[k] != v {
			return fmt.Errorf("%s was %q and is %q", k, v, after[k])
		}
	}
	return nil
}

// measure runs the profile to its end.
func (g *guest) measure(s story, path, id string) (high int, trials []results.Trial, err error) {
	high = min(knob(path, "max_hw_sectors_kb"), 128)
	high -= high % 8
	dir := filepath.Join("/tmp/run", s.label)
	before := settings(path)
	code, out := iosweep("run", writeProfile(high), "--target", path, "--destroy", id, "--out", dir, "--no-report")
	if err := measured(code, out); err != nil {
		return high, nil, err
	}
	if err := differ(before, settings(path)); err != nil {
		return high, nil, err
	}
	set, err := results.Open(dir)
	if err != nil {
		return high, nil, err
	}
	for _, t := range set.Runs[0].Trials {
		for _, a := range t.Settings {
			if a.Observed != a.Value || a.After != a.Value {
				return high, nil, fmt.Errorf("asked %s, read back %s, at the end %s", a.Value, a.Observed, a.After)
			}
		}
	}
	return high, set.Runs[0].Trials, nil
}

// effect looks at what the device counted.
func effect(s story, high int, trials []results.Trial) error {
	for _, t := range trials {
		value, _ := strconv.Atoi(t.Settings[0].Value)
		if t.Counters == nil {
			return fmt.Errorf("no counters: the trial is %s: %v", t.Status, t.Findings)
		}
		want := float64(min(value, high) << 10)
		mean := t.Counters.Write.MeanBytes()
		if s.blind {
			want = mean.V // some pass the whole request on and split below
		}
		if !mean.Valid || mean.V < 0.95*want || mean.V > 1.05*want {
			return fmt.Errorf("at %d KiB the mean write is %v bytes, want %g", value, mean, want)
		}
	}
	return nil
}

// killed kills a run while a setting is changed, and asks nobody to restore.
func (g *guest) killed(path, id string, high int) error {
	before := settings(path)
	cmd := prepared("run", writeProfile(high), "--target", path, "--destroy", id, "--out", fmt.Sprintf("/tmp/killed/%d", time.Now().UnixNano()))
	if err := cmd.Start(); err != nil {
		return err
	}
	changed := awaitChange(path, before)
	guarded := spared(cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	if !changed {
		return errors.New("no setting was changed within 20 s")
	}
	return errors.Join(guarded, awaitBack(path, before))
}

// spared says what is wrong unless a run has a watchdog that the kernel takes
// last when memory is short.
func spared(run int) error {
	var children []byte
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", run))
	for _, file := range all {
		more, _ := os.ReadFile(file)
		children = append(children, more...)
	}
	for _, pid := range strings.Fields(string(children)) {
		score, _ := os.ReadFile(filepath.Join("/proc", pid, "oom_score_adj"))
		if strings.TrimSpace(string(score)) == "-1000" {
			return nil
		}
	}
	return fmt.Errorf("no watchdog that is spared among the children %q", children)
}

const (
	swept       = "max_sectors_kb"
	changeLimit = 20 * time.Second
)

// awaitChange looks at the one knob that is swept: to read them all takes an
// emulated processor away from the run.
func awaitChange(path string, before map[string]string) bool {
	for end := time.Now().Add(changeLimit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if fmt.Sprint(knob(path, swept)) != before[swept] {
			return true
		}
	}
	return false
}

func awaitBack(path string, before map[string]string) (err error) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left, _ := filepath.Glob(stateDir + "/*.journal"); len(left) > 0 {
			err = fmt.Errorf("%v is left", left)
		} else if err = differ(before, settings(path)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("not back within 20 s: %v", err)
}
