package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/report/ci"
	"github.com/iosweep/iosweep/report/text"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/spf13/cobra"
)

// runFlags are the options of iosweep run.
type runFlags struct {
	target    targetFlags
	out       string
	engine    string
	slowAs    string
	seed      uint64
	resume    string
	json      bool
	noReport  bool
	commands  bool
	stage     bool
	live      string
	plain     bool
	sign      string
	seedAsked *uint64
	outputs   ciFlags
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run PROFILE | --resume FOLDER",
		Short: "Measure a profile on a target and report",
		Long: `Measure every trial of a profile, a file or the name of one in the library.

Without --target, iosweep makes a scratch device of its own and removes it
afterwards: a loop device as root on Linux, else a file. With --target, a
profile that writes or deletes needs --destroy with the device's id, as
'iosweep devices' shows it; everything on the device is then lost.
Where jobs name targets beside the first, --target NAME=PATH says what each is.

Every setting that is changed is journalled first and put back after its trial,
also on Ctrl-C; a second Ctrl-C gives up I/O that the device does not answer.
After a crash, 'iosweep restore' puts back what is left.`,
		Example: `  iosweep run quick
  iosweep run quick --out /tmp/x
  iosweep run segments --target /dev/nvme1n1 --destroy eui.0025385b71b0e5d2
  iosweep run tpcc.yaml --target /dev/sdb --target log=/dev/sdc
  iosweep run lab.yaml --junit lab.xml --openmetrics lab.txt
  iosweep run --resume results/quick-20260102T030405Z-a1b2`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.seedAsked, err = seedFlag(cmd, f.seed); err != nil {
				return err
			}
			return f.run(cmd, args)
		},
	}
	f.flags(cmd)
	return cmd
}

func (f *runFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	f.target.flags(fl)
	f.outputs.flags(fl)
	fl.StringVar(&f.out, "out", "", "folder for the run (default: results/<run id>)")
	fl.StringVar(&f.engine, "engine", "", "auto, uring, portable or sim:MODEL (default: the profile's)")
	fl.StringVar(&f.slowAs, "slow-as", "", "hold completions back as this `model` of a disk would, so that a fast target behaves like it")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the order and of the I/O (default: the profile's)")
	fl.StringVar(&f.resume, "resume", "", "run `folder` to go on with: only its missing trials are measured")
	fl.BoolVar(&f.stage, "stage", false, "sweep settings that act after a reboot: write the first value, measure it with --resume after the reboot, and so on")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.BoolVar(&f.noReport, "no-report", false, "measure only; report later with 'iosweep report'")
	fl.StringVar(&f.live, "live", "", "serve a page that shows where the run stands at this loopback `address`, such as 127.0.0.1:8080")
	fl.BoolVar(&f.plain, "plain", false, "write a line for each trial, and take no terminal's whole screen")
	fl.StringVar(&f.sign, "sign", "", "sign the run with this SSH `key` when it is complete")
	fl.BoolVar(&f.commands, "allow-commands", false, "let the profile's command: tunables run")
}

func (f *runFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.outputs.check(); err != nil {
		return err
	}
	s, err := f.session(args)
	if err != nil {
		return err
	}
	out, errOut := cmd.OutOrStdout(), cmd.ErrOrStderr()
	watch := newProgress(errOut, f.plain)
	defer watch.finish()
	defer context.AfterFunc(cmd.Context(), watch.finish)()
	if err := f.watch(cmd.Context(), watch); err != nil {
		return err
	}
	defer watch.live.Close()
	dir, outcome, runErr := f.measure(cmd.Context(), s, watch)
	if dir == "" {
		return runErr
	}
	if errors.Is(runErr, errWaiting) {
		fmt.Fprintf(out, "%v\n", runErr)
		return nil
	}
	if runErr != nil {
		fmt.Fprintf(errOut, "what was measured is kept in %s; go on with: iosweep run --resume %s\n", dir, dir)
		return runErr
	}
	if outcome.Stopped != "" {
		watch.say("%s", outcome.Stopped)
	}
	if f.sign != "" {
		if err := signRun(cmd.Context(), dir, f.sign); err != nil {
			return err
		}
	}
	if err := f.publish(out, dir, outcome); err != nil {
		return err
	}
	return verdictOf(outcome)
}

// watch opens the live page, where one is asked for, and refuses a key that is
// not there before hours are measured.
func (f *runFlags) watch(ctx context.Context, p *progress) (err error) {
	if f.sign != "" && !is(f.sign) {
		return withCode(exitUsage, fmt.Errorf("--sign %s: there is no such key: name the file of an SSH key", f.sign))
	}
	if f.live == "" {
		return nil
	}
	if p.live, err = newLive(ctx, f.live); err == nil {
		p.say("live    http://%s/", p.live.addr)
	}
	return err
}

// session is what a run starts from: a profile and its plan, and for a resumed
// run what is there already.
type session struct {
	profile *profiles.Profile
	plan    *profiles.Plan
	resumed string
	// staged is what waits for the next boot, nil in a run that is not staged.
	staged *staging
}

func (f *runFlags) session(args []string) (*session, error) {
	s := &session{resumed: f.resume}
	if f.stage {
		s.staged = &staging{}
	}
	switch {
	case f.resume == "" && len(args) == 0:
		return nil, withCode(exitUsage, errors.New("name a profile, such as quick: 'iosweep profiles' lists them"))
	case f.resume != "" && (len(args) > 0 || f.stage || f.out != "" || f.seedAsked != nil || f.engine != "" || f.slowAs != ""):
		return nil, withCode(exitUsage, errors.New("--resume goes on with the run's own profile, seed, engine and folder: leave those out"))
	}
	var err error
	if f.resume != "" {
		err = s.fromRun(f.resume)
	} else {
		s.profile, err = loadProfile(args[0])
	}
	if err != nil {
		return nil, err
	}
	return s, s.makePlan(f)
}

func (s *session) makePlan(f *runFlags) error {
	if f.engine != "" {
		s.profile.Engine = f.engine
	}
	if f.slowAs != "" {
		s.profile.Engine += slowAs + f.slowAs
	}
	if s.profile.UsesCommands() && !f.commands {
		return withCode(exitUsage, errNoCommands)
	}
	if strings.HasPrefix(s.profile.Engine, simulated) {
		p, err := s.profile.Simulated()
		if err != nil {
			return withCode(exitUsage, err)
		}
		s.profile = p
	}
	seed := f.seedAsked
	if s.plan != nil {
		seed = &s.plan.Seed
	}
	plan, err := s.profile.Plan(seed)
	if err != nil {
		return withCode(exitUsage, err)
	}
	s.plan = plan
	return nil
}

// fromRun takes profile, seed and engine from a run folder.
func (s *session) fromRun(dir string) error {
	set, err := results.Open(dir)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("resume: %w", err))
	}
	run := set.Runs[0]
	// Where the sums are there but do not fit, the run is damaged and yet complete.
	if is(filepath.Join(dir, results.SumsFile)) {
		return withCode(exitUsage, fmt.Errorf("resume %s: the run is complete: nothing is missing", dir))
	}
	s.profile, err = profiles.Parse(filepath.Join(dir, "run.json")+"#profile_text", []byte(run.Run.ProfileText))
	if err != nil {
		return withCode(exitUsage, err)
	}
	s.profile.Engine = run.Run.Engine
	s.plan = &profiles.Plan{Seed: run.Run.Seed}
	s.staged, err = readStaging(dir)
	return err
}

// measure opens the target and the run folder and measures. The folder is
// empty when nothing was begun.
func (f *runFlags) measure(ctx context.Context, s *session, watch *progress) (dir string, o campaign.Outcome, err error) {
	engine, note, err := chooseEngine(s.profile.Engine)
	if err != nil {
		return "", o, err
	}
	t, err := f.target.open(ctx, s, engine, f.commands)
	if err != nil {
		return "", o, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	watch.say("%s", t.note)
	if text := noEffect(s.plan, t.info.Settings); text != "" {
		watch.say("%s", text)
	}
	run := describeRun(s, t, engine.Name(), note)
	w, done, err := f.store(s, run, watch)
	if err != nil {
		return "", o, err
	}
	watch.describe(run, done)
	c := campaign.Campaign{Plan: s.plan, Engine: engine, Target: t.runner(), Store: w, Watch: watch, Done: done, Abandon: abandoned(ctx)}
	t.equip(&c)
	c.Device = run.Device.ID
	if s.profile.Verifies() {
		c.Journals = &stampJournals{dir: journalsOf(w.Dir())}
	}
	if s.staged != nil {
		o, err = f.target.sweepStaged(ctx, s.staged, &c, w.Dir(), run.ID)
	} else {
		o, err = c.Run(ctx)
	}
	watch.finish()
	if err != nil {
		return w.Dir(), o, errors.Join(err, w.Abort())
	}
	return w.Dir(), o, w.Close()
}

// store makes the run folder, or opens the one to go on with.
func (f *runFlags) store(s *session, run *results.Run, watch *progress) (*results.Writer, []results.Trial, error) {
	if s.resumed != "" {
		w, old, done, err := results.Resume(s.resumed)
		if err != nil {
			return nil, nil, err
		}
		for _, problem := range w.Problems() {
			watch.say("%s", problem)
		}
		if old.Device.ID != run.Device.ID && !old.Device.Scratch {
			return nil, nil, errors.Join(withCode(exitRefused, fmt.Errorf("resume %s: it was measured on %s (%s), and the target is %s (%s): name the same device with --target", s.resumed, old.Device.Name, old.Device.ID, run.Device.Name, run.Device.ID)), w.Abort())
		}
		if err := sameNamed(old, run); err != nil {
			return nil, nil, errors.Join(withCode(exitRefused, fmt.Errorf("resume %s: %w", s.resumed, err)), w.Abort())
		}
		return w, done, nil
	}
	dir := f.out
	if dir == "" && run.Simulated {
		dir = filepath.Join("results", results.NewID(run.ID, time.Now()))
	} else if dir == "" {
		dir = filepath.Join("results", run.ID)
	}
	w, err := results.Create(dir, run)
	return w, nil, err
}

// publish writes the report beside the run and what CI asked for, and prints the
// table.
func (f *runFlags) publish(out io.Writer, dir string, o campaign.Outcome) error {
	set, err := results.Open(dir)
	if err != nil {
		return fmt.Errorf("open what was measured: %w", err)
	}
	model, err := buildReport(set)
	if err != nil {
		return err
	}
	suite := ci.Measured(set.Runs[0], model.Verdicts)
	if err := f.outputs.write(suite, suite.Markdown); err != nil {
		return err
	}
	var page string
	if !f.noReport {
		if page, err = writeReport(filepath.Join(dir, "report"), model); err != nil {
			return err
		}
	}
	if f.json {
		return writeJSON(out, summarise(dir, page, o, model))
	}
	return printRun(out, dir, page, model)
}

func printRun(out io.Writer, dir, page string, model *report.Model) error {
	if err := text.Write(out, model, widthOf(out)); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nrun     %s\n", dir)
	if page != "" {
		fmt.Fprintf(out, "report  %s\n", page)
	}
	return nil
}

// verdictOf turns the outcome into an exit code: a run in which nothing valid
// was measured has not succeeded, nor has one in which the device failed.
func verdictOf(o campaign.Outcome) error {
	if o.Valid > 0 && o.Failed == 0 && o.Erring == 0 {
		return unsettled(o)
	}
	reason := "no trial was planned"
	if len(o.Reasons) > 0 {
		reason = o.Reasons[0]
	}
	err := fmt.Errorf("%d trials valid, %d invalid, %d failed, %d unsupported: %s", o.Valid, o.Invalid, o.Failed, o.Unsupported, reason)
	switch {
	case o.Failed > 0:
		return withCode(exitFailed, err)
	case o.Invalid > 0:
		return withCode(exitInvalid, err)
	}
	return withCode(exitUnsupported, err)
}

// unsettled is the verdict on a run in which something valid was measured: a cell
// without any valid trial makes the run invalid, and one that was to go on until
// decided may not be.
func unsettled(o campaign.Outcome) error {
	switch {
	case o.Hollow > 0:
		return withCode(exitInvalid, fmt.Errorf("run invalid: %d of its cells have no valid trial, however often they were measured: %s", o.Hollow, o.Reasons[0]))
	case o.Inconclusive:
		return withCode(exitInconclusive, errors.New(o.Stopped))
	}
	return nil
}

// describeRun is run.json's content.
func describeRun(s *session, t *target, engine, note string) *results.Run {
	run := s.plan.Describe()
	run.Schema, run.Engine, run.EngineNote, run.Device = results.SchemaVersion, engine, note, t.device
	for _, s := range t.named {
		run.NamedTargets = append(run.NamedTargets, results.NamedTarget{Target: s.name, Device: s.device})
	}
	if t.simulated != nil {
		run.Simulated, run.ID = true, simulatedID(run)
		return run
	}
	now := time.Now().UTC()
	run.Tool, run.Started, run.Args = version(), now, os.Args[1:]
	run.ID = results.NewID(s.profile.Name, now)
	run.Environment = t.environment
	t.defaults(run.Tunables)
	placeJobs(run.Workloads, nodesDir)
	return run
}

// simulatedID names a simulated run by all that it depends on. Its folder holds
// nothing of the host, the time or the command line: the same run has the same
// bytes everywhere.
func simulatedID(run *results.Run) string {
	return fmt.Sprintf("%s-%s-seed%d", run.Profile, strings.TrimPrefix(run.Engine, simulated), run.Seed)
}
