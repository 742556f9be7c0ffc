package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/internal/health"
	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/iosweep/iosweep/runners/sim"
	"github.com/iosweep/iosweep/tunables"
	"github.com/spf13/pflag"
)

// targetFlags say what to measure and what may be done to it.
type targetFlags struct {
	path    string
	destroy string
	// namedPaths and namedIDs are those of the targets beside the first.
	namedPaths, namedIDs map[string]string
	overwrite            bool
	scratch              string
	state                string
	// root is what the machine's paths begin with, and only tests set it.
	root string
}

func (f *targetFlags) flags(fl *pflag.FlagSet) {
	f.namedPaths, f.namedIDs = map[string]string{}, map[string]string{}
	fl.Var(namedFlag{&f.path, f.namedPaths}, "target", "device or file to measure (default: a scratch device made for the run); NAME=`PATH` where jobs name another")
	fl.Var(namedFlag{&f.destroy, f.namedIDs}, "destroy", "`ID` of the target, as 'iosweep devices' shows it: everything on it may be lost; NAME=ID of another")
	fl.BoolVar(&f.overwrite, "overwrite", false, "write even though the target carries a file system's or RAID's signature")
	fl.StringVar(&f.scratch, "scratch-dir", "", "folder for the scratch device's backing file (default: the system's folder for temporary files)")
	stateFlag(fl, &f.state)
}

// stateFlag is the one flag for where journals and locks are kept.
func stateFlag(fl *pflag.FlagSet, dir *string) {
	fl.StringVar(dir, "state-dir", "", "folder of the journal and locks (default as root: /var/lib/iosweep, on FreeBSD /var/db/iosweep)")
}

// stateDir is where journals and locks are kept: they must outlive the process
// and, for settings that do, the boot.
func stateDir(asked string) (string, error) {
	if asked != "" {
		return filepath.Abs(asked)
	}
	dir, err := tunables.DefaultStateDir(string(filepath.Separator))
	if err != nil {
		return "", withCode(exitUsage, fmt.Errorf("find a folder for the journal: %w: name one with --state-dir", err))
	}
	return dir, nil
}

// target is an opened target with everything that belongs to it.
type target struct {
	info        device.Info
	file        *os.File
	note        string
	device      results.Device
	environment results.Environment
	host        *tunables.Host
	dog         *watchdog // nil where no knob is changed while it runs
	meter       *device.Meter
	sizes       *device.Sizes
	writable    bool
	scratch     bool
	// simulated is the target when it is a model; there is no file then.
	simulated *runners.Target
	named     []namedTarget
	closers   []func() error
}

// open opens the target that was named, or makes a scratch device.
func (f *targetFlags) open(ctx context.Context, s *session, engine runners.Engine, commands bool) (*target, error) {
	if model, ok := engine.(sim.Engine); ok {
		return f.openModel(s, model)
	}
	state, err := stateDir(f.state)
	if err != nil {
		return nil, err
	}
	if err := refusePending(state, s.stageID()); err != nil {
		return nil, err
	}
	t := &target{environment: device.CaptureEnvironment()}
	if f.path == "" {
		err = t.openScratch(ctx, f, s.profile)
	} else {
		err = t.openNamed(f, "", s.profile, state)
	}
	if err != nil {
		return nil, err
	}
	if err := t.openNamedTargets(ctx, f, s.profile, state); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if err := t.prepare(s, f.root, state, commands); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// openModel makes a simulated disk the target: nothing is opened.
func (f *targetFlags) openModel(s *session, e sim.Engine) (*target, error) {
	if f.path != "" || f.destroy != "" || len(f.namedPaths) > 0 || len(f.namedIDs) > 0 {
		return nil, withCode(exitUsage, fmt.Errorf("engine %s simulates its own disk: leave out --target and --destroy", e.Name()))
	}
	simulated := e.Target()
	t := &target{simulated: &simulated, note: fmt.Sprintf("target: a model, %s: nothing here is measured", e.Model.Title)}
	t.device = results.Device{
		Name: e.Name(), ID: e.Name(), Kind: "model", Model: e.Model.Title, SizeBytes: simulated.SizeBytes,
		LogicalBlockBytes: simulated.BlockBytes, DeleteGranularityBytes: simulated.DeleteBytes, Backing: e.Model.Origin,
	}
	for _, name := range s.profile.NamedTargets() { // each is a disk of its own
		t.named = append(t.named, namedTarget{name, &target{simulated: &simulated, device: t.device}})
	}
	return t, nil
}

func (t *target) openScratch(ctx context.Context, f *targetFlags, p *profiles.Profile) error {
	if f.destroy != "" {
		return withCode(exitUsage, errors.New("--destroy needs --target: name the device as well"))
	}
	scratch, err := device.NewScratch(ctx, scratchBytes(p), f.scratch)
	if err != nil {
		return fmt.Errorf("make a scratch device: %w", err)
	}
	t.closers = append(t.closers, scratch.Close)
	t.info, t.file, t.note, t.writable, t.scratch = scratch.Info, scratch.File, scratch.Note, true, true
	return nil
}

// openNamed opens the target of a name; the first has none.
func (t *target) openNamed(f *targetFlags, name string, p *profiles.Profile, state string) error {
	needs := p.Needs(name)
	write := needs.Write || needs.Delete
	path, destroy := f.path, f.destroy
	if name != "" {
		path, destroy = f.namedPaths[name], f.namedIDs[name]
	}
	claim, err := device.Open(path, device.OpenOptions{Write: write, Destroy: destroy, Overwrite: f.overwrite, Direct: true, StateDir: state})
	if err != nil {
		return missing(err)
	}
	t.closers = append(t.closers, claim.Close)
	t.info, t.file, t.writable = claim.Info, claim.File, write
	t.note = fmt.Sprintf("target: %s (%s), %s", claim.Info.Path, claim.Info.ID, units.FormatBytesApprox(float64(claim.Info.SizeBytes)))
	return nil
}

// prepare checks that the target can do what the profile needs, and opens its
// knobs and counters.
func (t *target) prepare(s *session, root, state string, commands bool) error {
	t.device = device.ToResult(t.info)
	t.device.Scratch = t.scratch
	if err := t.fits(s.profile); err != nil {
		return err
	}
	if !t.info.IsFile() {
		if err := t.openCounters(); err != nil {
			return err
		}
	}
	if s.stages() && !privileged() {
		return withCode(exitRefused, errors.New("--stage changes what the next boot takes: run as root, or as administrator"))
	}
	if !changesKernel(s.plan) {
		return nil
	}
	if t.info.IsFile() && !s.stages() {
		return lackingKnobs(s.plan, fmt.Errorf("%s is a file, which has none: name a block device with --target, or run as root, for whom iosweep makes one where the system can", t.info.Name))
	}
	return t.openKnobs(s, tunables.HostOptions{
		Root: root, StateDir: state, Device: identity(t.info), Scratch: t.scratch, AllowCommands: commands, Booted: s.booted(),
		Inert: inertKnobs(t.info.Settings),
	})
}

// openCounters opens what the kernel counts of the device.
func (t *target) openCounters() error {
	t.meter = device.NewMeter(t.info)
	if sizes, err := device.StartSizes(t.info); err == nil {
		t.sizes = sizes
		t.closers = append(t.closers, sizes.Close)
	} else if !errors.Is(err, device.ErrUnsupported) {
		return err
	}
	return nil
}

// openKnobs opens the kernel's knobs and sets a watchdog beside them. Without
// root it is the modes of the knobs' files that say which can be changed.
func (t *target) openKnobs(s *session, o tunables.HostOptions) error {
	host, err := tunables.NewHost(o)
	if err != nil {
		return fmt.Errorf("open the knobs of %s: %w", t.info.Name, err)
	}
	t.closers = append(t.closers, host.Close)
	t.host = host
	if s.stages() && t.info.IsFile() {
		return nil // nothing is changed while it runs
	}
	if !s.stages() { // else each is checked when it is staged
		if err := t.checkSettings(s.plan); errors.Is(err, tunables.ErrUnsupported) && !privileged() {
			t.host = nil // what iosweep's own layers can act is acted there
			return lackingKnobs(s.plan, fmt.Errorf("%w%s; run as root, or let this user write to it", err, knobMode(t.info.SysDir, s.plan)))
		} else if err != nil {
			return err
		}
	}
	dog, err := startWatchdog(o.StateDir, identity(t.info), o.AllowCommands, os.Stderr)
	if err != nil {
		return err
	}
	// It is the last to go: after the locks are given up it looks once more.
	t.dog = dog
	t.closers = slices.Insert(t.closers, 0, dog.Close)
	return nil
}

// checkSettings finds before the run what could not be applied or put back. A
// variant that this device does not have is skipped when its turn comes, unless
// there is no other.
func (t *target) checkSettings(plan *profiles.Plan) error {
	var missing error
	lacking := 0
	for _, v := range plan.Variants {
		err := t.host.Check(context.Background(), v.Settings)
		switch {
		case errors.Is(err, tunables.ErrUnsupported):
			missing = err
			lacking++
		case err != nil:
			return err
		}
	}
	if lacking == len(plan.Variants) {
		return missing
	}
	return nil
}

func identity(i device.Info) tunables.Identity {
	return tunables.Identity{ID: i.ID, Name: i.Name, DevNum: i.DevNum, Dir: i.SysDir}
}

// fits refuses a target that the profile could not be measured on, before
// anything is touched.
func (t *target) fits(p *profiles.Profile) error {
	if p.Target.Device && t.info.IsFile() {
		return withCode(exitRefused, fmt.Errorf("profile %s needs a block device, and %s is a file: name a device with --target", p.Name, t.info.Name))
	}
	if t.info.SizeBytes < p.Target.MinBytes {
		return withCode(exitRefused, fmt.Errorf("profile %s needs at least %s, and %s has %s: use a larger target", p.Name, units.FormatBytes(p.Target.MinBytes), t.info.Name, units.FormatBytes(t.info.SizeBytes)))
	}
	if !t.info.CanDelete() && everyWorkloadDeletes(p) {
		return withCode(exitUnsupported, fmt.Errorf("profile %s deletes, and %s does not support that: use a target that 'iosweep devices' lists with delete support", p.Name, t.info.Name))
	}
	return nil
}

// everyWorkloadDeletes reports whether nothing of a profile can be measured
// without deletes. Where only some workloads delete, their trials are skipped.
func everyWorkloadDeletes(p *profiles.Profile) bool {
	for i := range p.Workloads {
		if !p.Workloads[i].Deletes() {
			return false
		}
	}
	return true
}

// runner is the target as engines see it.
func (t *target) runner() runners.Target {
	if t.simulated != nil {
		return *t.simulated
	}
	return runners.Target{
		File: t.file, Name: t.info.Name, SizeBytes: t.info.SizeBytes, BlockBytes: t.info.LogicalBlockBytes,
		DeleteBytes: t.info.DeleteGranularityBytes, Device: !t.info.IsFile(), Writable: t.writable,
	}
}

// equip gives a campaign the target's knobs and counters, where it has them.
func (t *target) equip(c *campaign.Campaign) {
	c.Simulated = t.simulated != nil
	if t.host != nil {
		c.Knobs = t.host
	}
	if t.host != nil && t.dog != nil {
		c.Knobs = watched{t.host, t.dog}
	}
	if t.meter != nil {
		c.Meter = t.meter
	}
	for _, s := range t.named {
		c.Named = append(c.Named, s.equip())
	}
	if r := t.health(); r != nil {
		c.Health = r
	}
	if t.sizes != nil {
		c.Tracer = tracer{t.sizes}
	}
}

// health reads a physical disk's counters of its faults; nil where there are
// none.
func (t *target) health() *health.Reader {
	if !physical(t.info) {
		return nil
	}
	r, err := health.NewReader(t.info.Path)
	if err != nil {
		return nil
	}
	return r
}

// physical devices may have counters of their own faults.
func physical(i device.Info) bool {
	return slices.Contains([]string{"nvme", "scsi", "ata"}, i.Kind)
}

// tracer gives a campaign the sizes that the device's trace saw.
type tracer struct{ *device.Sizes }

// Counts returns the sizes by kind and a note where they are not of all
// requests.
func (t tracer) Counts() (c results.Counters, note string, err error) {
	seen, err := t.Sizes.Counts()
	seen.Fill(&c)
	return c, seen.Note(), err
}

// defaults fills in the values in force before the run, and the usual ones of
// what no kernel holds here: iosweep's own layers act it.
func (t *target) defaults(list []results.Tunable) {
	for i := range list {
		def, ok := tunables.Lookup(list[i].Name)
		if !ok {
			continue
		}
		list[i].Default = def.Usual
		if t.host == nil {
			continue
		}
		if v, err := t.host.Current(context.Background(), def); err == nil && v.Current != "" {
			list[i].Default = v.Current
		}
	}
}

// Close gives back what was opened, last first.
func (t *target) Close() error {
	var err error
	for i := len(t.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, t.closers[i]())
	}
	return err
}
