package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
)

// effects tells for every setting of a place what was seen of it, and notes it in
// the settings.
func (p *place) effects() []Effect {
	var out []Effect
	for i := range p.settings {
		s := &p.settings[i]
		trials := p.trialsOf(*s)
		if len(trials) == 0 {
			continue
		}
		var short []string
		for _, v := range s.values {
			e := p.effect(*s, v, trials)
			out = append(out, e)
			short = append(short, e.State+": "+e.Seen)
		}
		s.Effect = strings.Join(short, "; ")
	}
	return out
}

// trialsOf lists the trials of a setting that were measured, valid or not.
func (p *place) trialsOf(s Setting) []*results.Trial {
	var out []*results.Trial
	for _, load := range p.loads {
		if c := p.cells[cellKey{s.key, load.String()}]; c != nil {
			for _, t := range c.last {
				if t.Status == results.Valid || t.Status == results.Invalid {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

func (p *place) effect(s Setting, v results.Setting, trials []*results.Trial) Effect {
	e := Effect{Setting: s, Asked: v.Tunable + " = " + v.Text(), Via: v.Via, State: Unwatched}
	for _, t := range trials {
		for _, a := range t.Settings {
			if a.Tunable == v.Tunable {
				e.ReadBack = a.Observed
				e.Via = viaText(a)
			}
		}
	}
	seen := sum(trials, v.Via)
	switch v.Tunable {
	case "bioq_batchsize":
		e.Seen, e.State = bioqEffect(v.Value, seen)
	case "fifo_batch", "read_expire", "scheduler", "nr_requests", "wbt_lat_usec":
		e.Seen = "the kernel has no counter that shows this knob; " + seen.sizesText()
	default:
		e.Seen, e.State = p.sizeEffect(v, seen)
		if v.Tunable == "delete_max_sectors" {
			e.Seen += requestTimes(trials)
		}
		if v.Via == "stack" {
			e.below(v, p.run.Run.Device, trials)
		}
	}
	if e.ReadBack != "" && e.ReadBack != v.Value {
		e.Seen = "read back as " + e.ReadBack + ", which is what counts; " + e.Seen
	}
	return e
}

func viaText(a results.Applied) string {
	if a.Address != "" {
		return a.Via + " " + a.Address
	}
	return a.Via
}

// sizeEffect compares the size of requests with the limit that a value stands
// for, where the value stands for one.
func (p *place) sizeEffect(v results.Setting, seen activity) (text, state string) {
	limit, kinds, ok := limitOf(v, p.run.Run.Device)
	if !ok {
		return seen.sizesText(), Unwatched
	}
	var watched flow
	for _, k := range kinds {
		if f := seen.flows[k]; f.requests > watched.requests {
			watched = f
		}
	}
	switch {
	case watched.requests == 0 || watched.ops == 0:
		return "no request of the kind was counted", Unwatched
	case limit == 0:
		return watched.unlimited()
	}
	return watched.limited(limit)
}

// limitOf is the largest request in bytes that a value allows, 0 for no limit,
// and the kinds of request it is about.
func limitOf(v results.Setting, d results.Device) (bytes int64, kinds []string, ok bool) {
	n, err := strconv.ParseInt(v.Value, 0, 64)
	if err != nil {
		return 0, nil, false
	}
	switch v.Tunable {
	case "delete_max_sectors":
		return n * max(d.LogicalBlockBytes, 512), []string{"delete"}, n < math.MaxInt64>>13
	case "discard_max_bytes":
		return n, []string{"delete"}, true
	case "max_sectors_kb":
		return n * 1024, []string{"read", "write"}, true
	case "physical_breaks":
		return max(4096, (n-1)*4096), []string{"read", "write"}, true
	}
	return 0, nil, false
}

// flow is what operations of one kind became on their way to the device.
type flow struct {
	kind            string
	ops, opBytes    int64
	requests, bytes int64
	// sized are the requests of which the size is known, common the most frequent
	// size and commonShares how many have it. They are traced over another span
	// than the counters' and are shares of their own number.
	sized, common, commonShares int64
}

func (f flow) mean() float64   { return float64(f.bytes) / float64(f.requests) }
func (f flow) opMean() float64 { return float64(f.opBytes) / float64(f.ops) }

// near says that a mean is a size but for the odd request at an edge.
func near(mean, size float64) bool { return math.Abs(mean-size) <= 0.03*size }

// sizeText gives the size of the requests as one figure where nearly all have
// it.
func (f flow) sizeText() string {
	switch {
	case f.common > 0 && f.commonShares == f.sized:
		return units.FormatBytes(f.common)
	case f.common > 0 && f.commonShares*10 >= f.sized*9:
		return fmt.Sprintf("%s (%.3g %% of %d requests)", units.FormatBytes(f.common), 100*float64(f.commonShares)/float64(f.sized), f.sized)
	case near(f.mean(), math.Round(f.mean()/4096)*4096):
		return units.FormatBytes(int64(math.Round(f.mean()/4096)) * 4096)
	}
	return units.FormatBytesApprox(f.mean()) + " in the mean"
}

func (f flow) limited(limit int64) (text, state string) {
	size := float64(limit)
	want := min(size, f.opMean())
	switch {
	case f.opMean() <= size:
		return fmt.Sprintf("%s requests were %s: no operation was larger than the limit of %s", f.kind, f.sizeText(), units.FormatBytes(limit)), Untested
	case near(f.mean(), want) || f.common == limit:
		return fmt.Sprintf("%s %s requests, as asked", f.sizeText(), f.kind), Proven
	case near(f.mean(), f.opMean()):
		return fmt.Sprintf("no effect: %s requests stayed %s, %s asked", f.kind, f.sizeText(), units.FormatBytes(limit)), NoEffect
	case f.mean() < want && f.mean() > want/2:
		return fmt.Sprintf("%s requests were %s, at most %s asked: the rest of each operation is smaller", f.kind, f.sizeText(), units.FormatBytes(limit)), Proven
	}
	return fmt.Sprintf("%s requests were %s, %s asked", f.kind, f.sizeText(), units.FormatBytes(limit)), Differs
}

// unlimited judges a value that stands for no limit.
func (f flow) unlimited() (text, state string) {
	if f.mean() >= 0.97*f.opMean() {
		return fmt.Sprintf("%s %s requests: each operation whole, as asked", f.sizeText(), f.kind), Proven
	}
	return fmt.Sprintf("%s requests were %s though no limit was asked: something below splits operations of %s",
		f.kind, f.sizeText(), units.FormatBytesApprox(f.opMean())), Differs
}

// bioqEffect judges the batch limit by what the layer counted.
func bioqEffect(value string, a activity) (text, state string) {
	n, err := strconv.ParseInt(value, 0, 64)
	switch {
	case err != nil || !a.layered:
		return a.sizesText(), Unwatched
	case a.maxQueued <= 1:
		return "no effect: the queue never held more than one request, so there was nothing to sort", NoEffect
	case n <= 0 && a.barriers == 0:
		return fmt.Sprintf("no barrier in %d sorted insertions, as asked; longest queue %d", a.sorted, a.maxQueued), Proven
	case n > 0 && a.barriers > 0:
		return fmt.Sprintf("%d barriers in %d sorted insertions, one after each %d, as asked; longest queue %d", a.barriers, a.sorted, n+1, a.maxQueued), Proven
	case n > 0:
		return fmt.Sprintf("no effect: the batch of %d was never full in %d sorted insertions; longest queue %d", n, a.sorted, a.maxQueued), Untested
	}
	return fmt.Sprintf("%d barriers though no limit was asked", a.barriers), Differs
}
