package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/iosweep/iosweep/internal/durable"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/iosweep/iosweep/tunables"
)

// stagingFile is kept in the run's folder while trials wait for a boot.
const stagingFile = "staged.json"

// stagedPrefix begins the identity under which a staged run's journal is kept.
const stagedPrefix = "staged:"

// errWaiting is how a staged run ends before its next boot.
var errWaiting = errors.New("waiting for a reboot")

// staging is where a sweep over reboots stands. The zero value has not begun.
type staging struct {
	// RunID names the journal, Variant what waits, Trials its places in the plan.
	RunID   string `json:"run_id"`
	Variant string `json:"variant"`
	Trials  []int  `json:"waiting_trials"`
	// BootID is the boot in which Settings were written for the next.
	BootID   string            `json:"boot_id"`
	Settings []tunables.Staged `json:"settings"`
	// Measured are the variants that are done.
	Measured []string `json:"measured"`
}

// readStaging reads what a run waits for; nil where it is not staged.
func readStaging(dir string) (*staging, error) {
	text, err := os.ReadFile(filepath.Join(dir, stagingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	st := &staging{}
	if err == nil {
		err = json.Unmarshal(text, st)
	}
	if err != nil {
		return nil, fmt.Errorf("read what %s waits for: %w: put the settings back with 'iosweep restore'", dir, err)
	}
	return st, nil
}

func (st *staging) write(dir string) error {
	text, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("encode what waits for the reboot: %w", err)
	}
	return durable.WriteFile(durable.OS{}, filepath.Join(dir, stagingFile), append(text, '\n'), 0o644)
}

// stages says that the session sweeps over reboots.
func (s *session) stages() bool { return s.staged != nil }

// booted are the settings that the boot has made.
func (s *session) booted() []tunables.Staged {
	if s.staged == nil {
		return nil
	}
	return s.staged.Settings
}

// stageID is the identity under which a staged run's journal is kept.
func (s *session) stageID() string {
	if s.staged == nil || s.staged.RunID == "" {
		return ""
	}
	return stagedPrefix + s.staged.RunID
}

// stager writes values for the next boot and puts them back.
func (f *targetFlags) stager(runID string, stage bool) (*tunables.Host, error) {
	state, err := stateDir(f.state)
	if err != nil {
		return nil, err
	}
	return tunables.NewHost(tunables.HostOptions{
		Root: f.root, StateDir: state, Stage: stage, Device: tunables.Identity{ID: stagedPrefix + runID, Name: "next boot"},
	})
}

// sweepStaged measures the variant that this boot has in force, puts its
// settings back, and stages the next one. It returns errWaiting where that
// takes a reboot, and nil when nothing is left.
func (f *targetFlags) sweepStaged(ctx context.Context, st *staging, c *campaign.Campaign, dir, runID string) (campaign.Outcome, error) {
	if st.RunID == "" {
		st.RunID = runID
	}
	var o campaign.Outcome
	for {
		if st.Variant != "" {
			if err := f.rebooted(ctx, st); err != nil {
				return o, err
			}
			c.Only = func(t *profiles.Trial) bool { return slices.Contains(st.Trials, t.Index) }
			var err error
			if o, err = c.Run(ctx); err != nil {
				return o, err
			}
			if err := f.unstage(ctx, st); err != nil {
				return o, err
			}
			st.Measured = append(st.Measured, st.Variant)
		}
		more, err := f.stageNext(ctx, st, c.Plan)
		if err != nil {
			return o, err
		}
		if !more {
			return o, durable.Remove(durable.OS{}, filepath.Join(dir, stagingFile))
		}
		if err := st.write(dir); err != nil {
			return o, err
		}
		if len(st.Settings) > 0 {
			return o, fmt.Errorf("%w: %s is written for the next boot; reboot, then go on with: iosweep run --resume %s (and the same --target and --destroy)", errWaiting, st.Variant, dir)
		}
	}
}

// rebooted makes sure that what was staged is in force: by another boot, or by
// a value that was taken otherwise, as when a module was loaded again. A system
// that cannot tell its boots apart is believed by its values alone.
func (f *targetFlags) rebooted(ctx context.Context, st *staging) error {
	host, err := f.stager(st.RunID, false)
	if err != nil {
		return err
	}
	told := host.BootID() != ""
	if told && host.BootID() != st.BootID {
		return host.Close()
	}
	for _, s := range st.Settings {
		t, _ := tunables.Lookup(s.Tunable)
		knob, _ := t.Knob(runtime.GOOS)
		v, err := host.Current(ctx, t)
		switch {
		case err != nil:
		case told && (v.Current != s.Asked || knob.Address == knob.Boot):
			err = withCode(exitTransient, fmt.Errorf("%s waits for a reboot: this is still the boot in which it was set to %s: reboot and try again", s.Tunable, s.Asked))
		case v.Current != s.Asked:
			err = withCode(exitTransient, fmt.Errorf("%s is %s, and was set to %s for the next boot: reboot and try again, or, if the boot did not take it, put the settings back with 'iosweep restore'", s.Tunable, v.Current, s.Asked))
		}
		if err != nil {
			return errors.Join(err, host.Close())
		}
	}
	return host.Close()
}

// unstage puts the values for the next boot back as they were before the run.
func (f *targetFlags) unstage(ctx context.Context, st *staging) error {
	host, err := f.stager(st.RunID, false)
	if err != nil {
		return err
	}
	if _, err = host.Recover(ctx); err != nil {
		err = fmt.Errorf("%w: %w", campaign.ErrRestore, err)
	}
	return errors.Join(err, host.Close())
}

// stageNext writes the next variant's values, and says whether there is one.
func (f *targetFlags) stageNext(ctx context.Context, st *staging, plan *profiles.Plan) (bool, error) {
	for i, v := range plan.Variants {
		if slices.Contains(st.Measured, v.ID) {
			continue
		}
		host, err := f.stager(st.RunID, true)
		if err != nil {
			return false, err
		}
		st.Variant, st.BootID, st.Trials = v.ID, host.BootID(), nil
		for k := range plan.Trials {
			if plan.Trials[k].Variant == i {
				st.Trials = append(st.Trials, plan.Trials[k].Index)
			}
		}
		st.Settings, err = host.Stage(ctx, slices.DeleteFunc(slices.Clone(v.Settings), func(s tunables.Setting) bool { return !s.NeedsBoot(runtime.GOOS) }))
		return err == nil, errors.Join(err, host.Close())
	}
	return false, nil
}
