package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/portable"
	"github.com/iosweep/iosweep/runners/uring"
	"github.com/iosweep/iosweep/tunables"
	"github.com/spf13/cobra"
)

// newSelftest is the one command for a person with a machine that this project
// has never seen.
func newSelftest() *cobra.Command {
	var f targetFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Check what iosweep can do on this machine",
		Long: `List the devices, read every tunable of the catalogue, and say what works here.

With --target, a scratch device that may be lost, each tunable that the device
has is also set to another value, read back and put back again.`,
		Example: `  iosweep selftest
  iosweep selftest --json --target /dev/md0 --destroy virtual:md0:1073741824`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := selftest(cmd.Context(), &f)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), r)
			} else {
				r.print(cmd.OutOrStdout())
			}
			return errors.Join(err, r.verdict())
		},
	}
	f.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// selfReport is what a self-test found.
type selfReport struct {
	Version     string              `json:"version"`
	Environment results.Environment `json:"environment"`
	Engines     []checked           `json:"engines"`
	Devices     []device.Info       `json:"devices"`
	DevicesNote string              `json:"devices_note,omitempty"`
	Tunables    []checked           `json:"tunables"`
}

// The states of a thing that was checked.
const (
	stateOK      = "ok"      // it works; a tunable was changed, proved and restored
	stateRead    = "read"    // it was read, and not changed
	stateMissing = "missing" // this machine or device does not have it
	stateFailed  = "failed"
	stateLayer   = "layer"  // iosweep's own layer acts it here
	stateTarget  = "target" // a device's knob, and no --target was named
)

// checked is what came of one check.
type checked struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Current string `json:"current,omitempty"`
	Tried   string `json:"tried,omitempty"`
	Note    string `json:"note,omitempty"`
	// Effect is what the device was seen to do while Tried was set.
	Effect string `json:"effect,omitempty"`
}

func selftest(ctx context.Context, f *targetFlags) (*selfReport, error) {
	r := &selfReport{Version: version(), Environment: device.CaptureEnvironment(), Devices: []device.Info{}}
	for name, err := range map[string]error{"uring": uring.Engine{}.Probe(), "portable": portable.Engine{}.Probe()} {
		r.Engines = append(r.Engines, checkedAs(checked{Name: name}, stateOK, err))
	}
	slices.SortFunc(r.Engines, func(a, b checked) int { return len(b.Name) - len(a.Name) })
	list, err := device.List(ctx)
	switch {
	case errors.Is(err, device.ErrUnsupported):
		r.DevicesNote = err.Error()
	case err != nil:
		return nil, err
	default:
		r.Devices = append(r.Devices, list...)
	}
	return r, r.walk(ctx, f)
}

// walk reads every tunable, and tries each on the target where there is one.
func (r *selfReport) walk(ctx context.Context, f *targetFlags) (err error) {
	state, err := stateDir(f.state)
	if err != nil {
		return err
	}
	o := tunables.HostOptions{StateDir: state}
	if len(f.namedPaths) > 0 || len(f.namedIDs) > 0 {
		return withCode(exitUsage, errors.New("selftest takes one target: leave NAME= out"))
	}
	var claim *device.Claim
	if f.path != "" {
		if err := refusePending(state, ""); err != nil {
			return err
		}
		claim, err = device.Open(f.path, device.OpenOptions{Write: true, Direct: true, Destroy: f.destroy, Overwrite: f.overwrite, StateDir: state})
		if err != nil {
			return missing(err)
		}
		defer claim.Close()
		o.Device = identity(claim.Info)
	}
	host, err := tunables.NewHost(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	for _, t := range tunables.All() {
		r.Tunables = append(r.Tunables, try(ctx, host, t, claim))
	}
	return nil
}

// try reads a tunable, and where there is a claim sets it to another value, reads
// that back, looks for its effect and restores it.
func try(ctx context.Context, host *tunables.Host, t tunables.Tunable, claim *device.Claim) checked {
	c, change := checked{Name: t.Name}, claim != nil
	knob, ok := t.Knob(runtime.GOOS)
	switch {
	case !ok && t.Stack:
		c.State, c.Note = stateLayer, "iosweep's layer acts it"
		return c
	case !ok:
		c.State, c.Note = stateMissing, "not on "+runtime.GOOS
		return c
	case !change && strings.HasPrefix(knob.Address, "sysfs:"):
		c.State, c.Note = stateTarget, "needs --target"
		return c
	}
	v, err := host.Current(ctx, t)
	if errors.Is(err, fs.ErrNotExist) && errors.Is(err, tunables.ErrUnsupported) {
		c.State, c.Note = stateMissing, "there is no such knob here"
		return c
	}
	if err != nil {
		return checkedAs(c, stateRead, err)
	}
	c.Current, c.Note = v.Current, v.Note
	c.Tried = otherValue(t, v)
	if disk := otherDisk(knob.Address, claim); disk != "" {
		change, c.Note = false, "it is a knob of "+disk+", which is not the target"
	}
	if !change || !v.Writable || c.Tried == "" {
		c.State, c.Tried = stateRead, ""
		return c
	}
	c.Effect, err = proveOne(ctx, host, claim, tunables.Setting{Tunable: t, Value: c.Tried, Via: tunables.Kernel})
	if err == nil {
		after, readErr := host.Current(ctx, t)
		if err = readErr; err == nil && after.Current != v.Current {
			err = fmt.Errorf("restore %s: it was %s and is %s", t.Name, v.Current, after.Current)
		}
	}
	return checkedAs(c, stateOK, err)
}

// otherDisk is the disk whose knob an address is, where that is not the claim's.
// FreeBSD numbers CAM's knobs by unit: kern.cam.da.0 is da0's.
func otherDisk(address string, claim *device.Claim) string {
	rest, cam := strings.CutPrefix(address, "sysctl:kern.cam.")
	words := strings.Split(rest, ".")
	if !cam || claim == nil || len(words) < 3 {
		return ""
	}
	disk := words[0] + words[1]
	if disk == cmp.Or(claim.Info.Disk, claim.Info.Name) {
		return ""
	}
	return disk
}

// proveOne applies a setting, reads it back, looks for its effect and restores
// it.
func proveOne(ctx context.Context, host *tunables.Host, claim *device.Claim, s tunables.Setting) (string, error) {
	lease, err := host.Apply(ctx, []tunables.Setting{s})
	if err != nil {
		return "", err
	}
	var did string
	if seen := lease.Settings()[0].Observed; seen != s.Value {
		err = fmt.Errorf("set %s to %s: the kernel made it %s", s.Tunable.Name, s.Value, seen)
	} else {
		did, err = effect(ctx, claim, s)
	}
	return did, errors.Join(err, lease.Restore(ctx))
}

// checkedAs completes a check: what the machine lacks is no failure, nor is
// what could not be undone and was therefore not done.
func checkedAs(c checked, good string, err error) checked {
	c.State = good
	switch {
	case err == nil:
		return c
	case errors.Is(err, tunables.ErrUnsupported), errors.Is(err, tunables.ErrRefused), errors.Is(err, errors.ErrUnsupported):
		c.State = stateMissing
	case good == stateOK && c.Current == "":
		c.State = stateMissing // an engine
	default:
		c.State = stateFailed
	}
	c.Note = err.Error()
	return c
}

// otherValue is a harmless value that the knob does not hold: a neighbour, or
// the next of its choices; empty where none is known.
func otherValue(t tunables.Tunable, v tunables.Value) string {
	for _, word := range v.Possible {
		if word != v.Current {
			return word
		}
	}
	n, err := strconv.ParseInt(v.Current, 10, 64)
	if t.Type != tunables.Integer || err != nil {
		return ""
	}
	for _, other := range []int64{n / 2, n + 1, n - 1} {
		if other != n && (other > 0 || t.Max == 1) && other >= t.Min && other <= t.Max {
			return strconv.FormatInt(other, 10)
		}
	}
	return ""
}

func (r *selfReport) print(w io.Writer) {
	fmt.Fprintf(w, "iosweep %s on %s/%s, %s\n", r.Version, runtime.GOOS, runtime.GOARCH, r.Environment.Kernel)
	for _, e := range r.Engines {
		fmt.Fprintf(w, "engine   %-28s %-8s %s\n", e.Name, e.State, e.Note)
	}
	ready, absent := setUp(r.Devices)
	for _, d := range ready {
		fmt.Fprintln(w, clipped(fmt.Sprintf("device   %-28s %-8s %s", d.Name, map[bool]string{true: "free", false: "not free"}[d.Writable], d.Reason)))
	}
	if absent != "" {
		fmt.Fprintf(w, "device   %s\n", absent)
	}
	if r.DevicesNote != "" {
		fmt.Fprintf(w, "device   %s\n", r.DevicesNote)
	}
	var unasked []string
	for _, t := range r.Tunables {
		if t.State == stateTarget {
			unasked = append(unasked, t.Name)
			continue
		}
		value := t.Current
		if t.Tried != "" {
			value += " -> " + t.Tried
		}
		fmt.Fprintln(w, clipped(fmt.Sprintf("tunable  %-28s %-8s %s", t.Name, t.State, strings.Join(strings.Fields(value+" "+t.Effect+" "+t.Note), " "))))
	}
	if len(unasked) > 0 {
		fmt.Fprintln(w, wrap("A device's knobs need --target: "+strings.Join(unasked, ", "), proseWidth, "  "))
	}
}

// verdict fails when anything that should work did not.
func (r *selfReport) verdict() error {
	var failed error
	for _, t := range r.Tunables {
		if t.State == stateFailed {
			failed = errors.Join(failed, fmt.Errorf("%s: %s", t.Name, t.Note))
		}
	}
	return withCode(exitFailed, failed)
}
