package campaign

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/iosweep/iosweep/results"
)

// Health reads counters of the target that rise only with a fault or with heat.
type Health interface {
	Read(ctx context.Context) (map[string]int64, error)
}

// watchHealth reads the target's health and returns what judges a trial by what
// rose since. It is read between trials, so that it disturbs none.
func (c *Campaign) watchHealth(ctx context.Context) func(*results.Trial) {
	if c.Health == nil {
		return func(*results.Trial) {}
	}
	before, err := c.Health.Read(ctx)
	return func(t *results.Trial) {
		if err != nil || ctx.Err() != nil {
			return // a disk that does not tell is no fault of the trial
		}
		if after, err := c.Health.Read(ctx); err == nil {
			judgeHealth(t, before, after)
		}
	}
}

// heat says which counters tell of heat.
func heat(counter string) bool {
	return slices.Contains([]string{"warning_temperature_minutes", "critical_temperature_minutes", "throttled_1", "throttled_2"}, counter)
}

// judgeHealth makes a trial invalid in which faults were counted or the disk
// was too hot to go at full speed.
func judgeHealth(t *results.Trial, before, after map[string]int64) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		rise := after[name] - before[name]
		switch {
		case rise <= 0:
		case heat(name):
			finding(t, "hot", true, fmt.Sprintf("the disk's %s rose by %d during the trial: it was too hot and may have slowed down; cool it, or settle for longer", name, rise))
		default:
			finding(t, "disk_errors", true, fmt.Sprintf("the disk's %s rose by %d during the trial: it is failing, or its cable is", name, rise))
		}
	}
}
