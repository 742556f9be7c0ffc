package campaign

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
)

// Health reads counters of the target that rise only with a fault or with heat.
type Health interface {
	Read(ctx context.Context) (map[string]int64, error)
}

// watchHealth reads the health of a workload's targets and returns what judges a
// trial by what rose since. It is read between trials, so that it disturbs none.
func (c *Campaign) watchHealth(ctx context.Context, w *profiles.Workload) func(*results.Trial) {
	var watches []func(*results.Trial)
	for _, name := range w.Targets() {
		if h := c.on(name).Health; h != nil {
			watches = append(watches, watchDisk(ctx, h, name))
		}
	}
	return func(t *results.Trial) {
		for _, judge := range watches {
			judge(t)
		}
	}
}

// watchDisk is watchHealth for one target.
func watchDisk(ctx context.Context, h Health, on string) func(*results.Trial) {
	before, err := h.Read(ctx)
	return func(t *results.Trial) {
		if err != nil || ctx.Err() != nil {
			return // a disk that does not tell is no fault of the trial
		}
		if after, err := h.Read(ctx); err == nil {
			judgeHealth(t, diskOf(on), before, after)
		}
	}
}

// diskOf is what a finding calls a target that is a disk.
func diskOf(name string) string {
	if name == "" {
		return "the disk"
	}
	return "the disk of target " + name
}

// heat says which counters tell of heat.
func heat(counter string) bool {
	return slices.Contains([]string{"warning_temperature_minutes", "critical_temperature_minutes", "throttled_1", "throttled_2"}, counter)
}

// judgeHealth makes a trial invalid in which faults were counted or the disk
// was too hot to go at full speed.
func judgeHealth(t *results.Trial, disk string, before, after map[string]int64) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		rise := after[name] - before[name]
		switch {
		case rise <= 0:
		case heat(name):
			finding(t, "hot", true, fmt.Sprintf("%s's %s rose by %d during the trial: it was too hot and may have slowed down; cool it, or settle for longer", disk, name, rise))
		default:
			finding(t, "disk_errors", true, fmt.Sprintf("%s's %s rose by %d during the trial: it is failing, or its cable is", disk, name, rise))
		}
	}
}
