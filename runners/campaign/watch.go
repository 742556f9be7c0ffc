package campaign

import (
	"sync"
	"time"

	"github.com/iosweep/iosweep/runners"
)

// watchInterval is how often a running trial is shown.
const watchInterval = 250 * time.Millisecond

// observe shows the running trial to the watcher until the returned function
// is called, which waits for the last showing to end.
func (c *Campaign) observe(lanes []*lane, p Progress) (stop func()) {
	if c.Watch == nil || c.Simulated {
		return func() {}
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() { c.show(lanes, p, quit) })
	return func() {
		close(quit)
		done.Wait()
	}
}

func (c *Campaign) show(lanes []*lane, p Progress, quit <-chan struct{}) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	begun, at := time.Now(), time.Now()
	left := p.Left
	var before total
	for {
		select {
		case <-quit:
			return
		case now := <-tick.C:
			seen := live(lanes)
			p.rates(before, seen, now.Sub(at))
			p.Sampled = sampled(lanes)
			p.Left = max(0, left-now.Sub(begun))
			c.Watch.Runs(p)
			before, at = seen, now
		}
	}
}

// total is what all jobs have done so far.
type total struct {
	ops, bytes int64
	busy       time.Duration // sum of the latencies
}

func live(lanes []*lane) total {
	var t total
	for _, l := range lanes {
		s := l.recorder.Live()
		t.ops += s.Ops
		t.bytes += s.Bytes
		t.busy += s.Latency
	}
	return t
}

func sampled(lanes []*lane) (all []runners.Sampled) {
	for _, l := range lanes {
		all = append(all, l.recorder.Sampled()...)
	}
	return all
}

func (p *Progress) rates(a, b total, span time.Duration) {
	ops := b.ops - a.ops
	p.OpsPerSecond = float64(ops) / span.Seconds()
	p.BytesPerSecond = float64(b.bytes-a.bytes) / span.Seconds()
	p.MeanSeconds = 0
	if ops > 0 {
		p.MeanSeconds = (b.busy - a.busy).Seconds() / float64(ops)
	}
}
