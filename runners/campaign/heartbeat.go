package campaign

import (
	"fmt"
	"sync"
	"time"

	"github.com/iosweep/iosweep/results"
)

// heartbeat is how often a trial notes that iosweep runs at all.
const heartbeat = 250 * time.Millisecond

// maxStopped is how long no beat may come: a busy machine delays one, and only a
// process that was stopped or frozen lacks several.
const maxStopped = time.Second

// beats is the longest time between two beats during warm-up and window. They
// come from a goroutine of their own, because a drive thread may rightly wait
// long for a slow device.
type beats struct{ longest time.Duration }

// listen counts the beats until quit, on the clock that now reads. The time from
// the last beat to quit counts as well.
func (b *beats) listen(now func() time.Duration, tick <-chan time.Time, quit <-chan struct{}) {
	for last := now(); ; {
		over := false
		select {
		case <-quit:
			over = true
		case <-tick:
		}
		at := now()
		b.longest = max(b.longest, at-last)
		if last = at; over {
			return
		}
	}
}

// beat listens until the returned function is called, which returns when no beat
// is counted any more. A model's clock does not stop with us.
func (c *Campaign) beat(b *beats) (stop func()) {
	if c.Simulated {
		return func() {}
	}
	begun := time.Now()
	tick := time.NewTicker(heartbeat)
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() { b.listen(func() time.Duration { return time.Since(begun) }, tick.C, quit) })
	return func() {
		tick.Stop()
		close(quit)
		done.Wait()
	}
}

// judge makes a trial invalid during which iosweep did not run: what the device
// did meanwhile was seen late, and counts as latency.
func (b *beats) judge(t *results.Trial) {
	if b.longest > maxStopped {
		finding(t, "stopped", true, fmt.Sprintf("iosweep itself did not run for %v (stopped, frozen, or the machine paused): let it run and measure again", b.longest.Round(100*time.Millisecond)))
	}
}
