package campaign

import (
	"context"
	"sync"
	"time"

	"github.com/iosweep/iosweep/results"
)

// Tracer sees the size of each request that a driver gets. Begin and End
// enclose a window and are cheap; Counts, which is not, tells what the window
// saw and a note where that was not all.
type Tracer interface {
	Begin() error
	End() error
	Counts() (results.Counters, string, error)
}

// traceWindow is how long requests are traced: enough to see their sizes, and
// over before the measurement begins, so that tracing costs it nothing.
const traceWindow = 50 * time.Millisecond

// traced traces the beginning of a trial's warm-up, or all of a trial that has
// none and few operations. The returned function, to be called when the drive
// is over, puts the sizes beside the trial's counters.
func (c *Campaign) traced(ctx context.Context, warmup time.Duration, few bool) func(*results.Trial) {
	if c.Tracer == nil || (warmup < 2*traceWindow && !few) {
		return func(*results.Trial) {}
	}
	if err := c.Tracer.Begin(); err != nil {
		return func(t *results.Trial) { finding(t, "no_sizes", false, err.Error()) }
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	var err error
	done.Go(func() {
		window, stop := context.WithTimeout(ctx, traceWindow)
		defer stop()
		if few {
			window = ctx
		}
		<-window.Done()
		err = c.Tracer.End()
	})
	return func(t *results.Trial) {
		cancel()
		done.Wait()
		c.sizes(t, err)
	}
}

// sizes puts what the tracer saw beside the trial's counters.
func (c *Campaign) sizes(t *results.Trial, err error) {
	seen, note, countErr := c.Tracer.Counts()
	if err == nil {
		err = countErr
	}
	if err != nil {
		finding(t, "no_sizes", false, err.Error())
		return
	}
	if t.Counters == nil {
		return
	}
	t.Counters.Read.Sizes, t.Counters.Write.Sizes, t.Counters.Delete.Sizes = seen.Read.Sizes, seen.Write.Sizes, seen.Delete.Sizes
	t.Counters.SizesNote = note
}
