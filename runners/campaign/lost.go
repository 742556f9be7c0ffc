package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"
)

// lossInterval is how often a trial looks whether its target is still there.
const lossInterval = time.Second

// guard returns a context that ends when the target is removed, and a function
// that ends the watch. A removed disk may fail everything with an I/O error, or
// never answer: that its counters are gone from sysfs is what tells.
func (c *Campaign) guard(ctx context.Context) (context.Context, func()) {
	if c.Meter == nil || c.Simulated {
		return ctx, func() {}
	}
	if _, err := c.Meter.Read(); err != nil {
		return ctx, func() {} // without counters nothing can be missed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		if err := c.awaitLoss(ctx); err != nil {
			cancel(fmt.Errorf("%s was removed during the trial: %w: %w", c.Target.Name, syscall.ENODEV, err))
		}
	})
	return ctx, func() {
		cancel(nil)
		done.Wait()
	}
}

// awaitLoss returns nil when ctx ends, and else why the target is gone.
func (c *Campaign) awaitLoss(ctx context.Context) error {
	tick := time.NewTicker(lossInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if _, err := c.Meter.Read(); err != nil && (errors.Is(err, fs.ErrNotExist) || gone(err)) {
				return err
			}
		}
	}
}

// gone reports whether an error means that the device is no longer there.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO)
}
