package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/iosweep/iosweep/profiles"
)

// lossInterval is how often a trial looks whether its target is still there.
const lossInterval = time.Second

// guard returns a context that ends when a target of the workload is removed,
// and a function that ends the watch. A removed disk may fail everything with an I/O error, or
// never answer: that its counters are gone from sysfs is what tells.
func (c *Campaign) guard(ctx context.Context, w *profiles.Workload) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var done sync.WaitGroup
	for _, name := range w.Targets() {
		meter := c.on(name).Meter
		if meter == nil || c.Simulated {
			continue
		}
		if _, err := meter.Read(); err != nil {
			continue // without counters nothing can be missed
		}
		done.Go(func() {
			if err := awaitLoss(ctx, meter); err != nil {
				cancel(fmt.Errorf("%s was removed during the trial: %w: %w", c.on(name).Target.Name, syscall.ENODEV, err))
			}
		})
	}
	return ctx, func() {
		cancel(nil)
		done.Wait()
	}
}

// awaitLoss returns nil when ctx ends, and else why the meter's device is gone.
func awaitLoss(ctx context.Context, meter Meter) error {
	tick := time.NewTicker(lossInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if _, err := meter.Read(); err != nil && (errors.Is(err, fs.ErrNotExist) || gone(err)) {
				return err
			}
		}
	}
}

// gone reports whether an error means that the device is no longer there.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO)
}
