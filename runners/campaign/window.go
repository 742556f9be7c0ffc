package campaign

import (
	"errors"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
	"github.com/iosweep/iosweep/runners"
)

// edgeWatch is told when the measured window opens and closes.
type edgeWatch struct{ open, close func() }

// edgeObserver passes everything on, reports the window's edges and keeps when
// its lane's were.
type edgeObserver struct {
	runners.Observer
	edges edgeWatch
	lane  *lane
}

// Begin reports the opening edge.
func (o *edgeObserver) Begin(at time.Duration) {
	o.lane.opened = time.Now()
	if o.edges.open != nil {
		o.edges.open()
	}
	o.Observer.Begin(at)
}

// End reports the closing edge.
func (o *edgeObserver) End(at time.Duration) {
	o.lane.closed = time.Now()
	o.Observer.End(at)
	if o.edges.close != nil {
		o.edges.close()
	}
}

// windowSkew is how far the lanes' windows stand from that of the first, over
// which the device's counters are read: each queue has a clock of its own.
func windowSkew(lanes []*lane) time.Duration {
	var most time.Duration
	for _, l := range lanes[1:] {
		skew := l.opened.Sub(lanes[0].opened).Abs() + l.closed.Sub(lanes[0].closed).Abs()
		most = max(most, skew)
	}
	return most
}

// layered is a queue that counts what its layers did, since it was opened; its
// DeleteService holds what came since the last reading.
type layered interface{ Layer() results.Layer }

// layerObserver keeps what the layers did between the window's edges.
type layerObserver struct {
	runners.Observer
	queue layered
	into  *results.Layer
	base  results.Layer
}

// Begin takes the first reading.
func (o *layerObserver) Begin(at time.Duration) {
	o.base = o.queue.Layer()
	o.Observer.Begin(at)
}

// End takes the second reading.
func (o *layerObserver) End(at time.Duration) {
	o.Observer.End(at)
	*o.into = layerBetween(o.base, o.queue.Layer())
}

func layerBetween(a, b results.Layer) results.Layer {
	return results.Layer{
		Read: kindBetween(a.Read, b.Read), Write: kindBetween(a.Write, b.Write), Delete: kindBetween(a.Delete, b.Delete),
		Barriers: b.Barriers - a.Barriers, Sorted: b.Sorted - a.Sorted, MaxQueued: b.MaxQueued,
		DeleteService: b.DeleteService,
	}
}

func kindBetween(a, b results.CounterKind) results.CounterKind {
	d := results.CounterKind{Requests: b.Requests - a.Requests, Merges: b.Merges - a.Merges, Bytes: b.Bytes - a.Bytes}
	for size, n := range b.Sizes {
		if n -= a.Sizes[size]; n > 0 {
			if d.Sizes == nil {
				d.Sizes = map[int64]int64{}
			}
			d.Sizes[size] = n
		}
	}
	return d
}

// sumLayers adds up what the layers of all queues did.
func sumLayers(lanes []*lane) *results.Layer {
	sum := &results.Layer{}
	for _, l := range lanes {
		addKind(&sum.Read, l.layer.Read)
		addKind(&sum.Write, l.layer.Write)
		addKind(&sum.Delete, l.layer.Delete)
		if l.layer.DeleteService != nil {
			if sum.DeleteService == nil {
				sum.DeleteService = hist.New()
			}
			sum.DeleteService.Merge(l.layer.DeleteService)
		}
		sum.Barriers += l.layer.Barriers
		sum.Sorted += l.layer.Sorted
		sum.MaxQueued = max(sum.MaxQueued, l.layer.MaxQueued)
	}
	return sum
}

func addKind(to *results.CounterKind, k results.CounterKind) {
	to.Requests += k.Requests
	to.Merges += k.Merges
	to.Bytes += k.Bytes
	for size, n := range k.Sizes {
		if to.Sizes == nil {
			to.Sizes = map[int64]int64{}
		}
		to.Sizes[size] += n
	}
}

// meterSpan reads the device's counters and the processors' time at the edges
// of a window.
type meterSpan struct {
	meter    Meter
	spans    []*namedSpan
	first    results.Counters
	usage    usage
	begun    time.Time
	err      error
	counters *results.Counters
	named    []results.NamedCounters
	cpu      *results.CPU
	asleep   time.Duration
}

func (m *meterSpan) open() {
	m.usage, m.begun = readUsage(), time.Now()
	if m.meter != nil {
		m.first, m.err = m.meter.Read()
	}
	for _, s := range m.spans {
		s.open()
	}
}

func (m *meterSpan) close() {
	now := readUsage()
	cpu := now.since(m.usage)
	m.cpu, m.asleep = &cpu, now.asleep(m.usage, time.Since(m.begun))
	defer m.closeNamed()
	if m.meter == nil || m.err != nil {
		return
	}
	last, err := m.meter.Read()
	if err != nil {
		m.err = fmt.Errorf("read the device's counters at the end of the window: %w", err)
		return
	}
	counters := countersBetween(m.first, last)
	counters.SpanSeconds = time.Since(m.begun).Seconds()
	m.counters = &counters
}

// closeNamed reads what the targets beside the first have counted.
func (m *meterSpan) closeNamed() {
	for _, s := range m.spans {
		c, err := s.close()
		if err != nil {
			m.err = errors.Join(m.err, fmt.Errorf("read the counters of target %s: %w", s.name, err))
			continue
		}
		c.Counters.SpanSeconds = time.Since(m.begun).Seconds()
		m.named = append(m.named, c)
	}
}

// countersBetween is what was counted from one reading to another.
func countersBetween(a, b results.Counters) results.Counters {
	return results.Counters{
		Source: b.Source, Read: kindBetween(a.Read, b.Read), Write: kindBetween(a.Write, b.Write),
		Delete: kindBetween(a.Delete, b.Delete), Flush: kindBetween(a.Flush, b.Flush),
	}
}
