package workloads

import (
	"fmt"
	"math"
	"time"
)

// Validate says what is wrong with a spec for a target, naming the field and
// what to do. The zero Geometry checks what must hold on every target. What
// only this target cannot do wraps ErrMisfit.
func (s Spec) Validate(g Geometry) error {
	for _, check := range []func() error{
		s.checkSizes, s.checkMix, s.checkAccess, s.checkRegion, s.checkHit,
		s.checkCursors, s.checkPace, s.checkBurst, s.checkWhole, s.checkData,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("check workload %q: %w", s.Name, err)
		}
	}
	var err error
	if g == (Geometry{}) {
		err = s.fitBlock(leastBlock)
	} else {
		_, err = s.place(g)
	}
	if err != nil {
		return fmt.Errorf("check workload %q: %w", s.Name, err)
	}
	return nil
}

func (s Spec) checkSizes() error {
	for _, size := range s.Sizes {
		if size.Bytes <= 0 || size.Bytes > maxBytes {
			return fmt.Errorf("size %d bytes: a transfer has at least one byte; to delete a whole region use whole", size.Bytes)
		}
	}
	if len(s.Sizes) > 0 && s.Uniform.Max > 0 {
		return fmt.Errorf("sizes and uniform are both given: keep one")
	}
	shares := make([]float64, len(s.Sizes))
	for i, size := range s.Sizes {
		shares[i] = size.Share
	}
	if err := checkWeights("sizes", shares); err != nil {
		return err
	}
	return s.Uniform.check("uniform")
}

func (r SizeRange) check(name string) error {
	switch {
	case r == (SizeRange{}):
		return nil
	case r.Min <= 0 || r.Max < r.Min || r.Max > maxBytes:
		return fmt.Errorf("%s %d to %d bytes: give a minimum above 0 and a maximum not below it", name, r.Min, r.Max)
	case r.Align < 0 || (r.Align > 0 && (r.Min%r.Align != 0 || r.Max%r.Align != 0)):
		return fmt.Errorf("%s %d to %d bytes: both ends must be multiples of its alignment, %d bytes", name, r.Min, r.Max, r.Align)
	}
	return nil
}

// checkWeights refuses weights that are not finite or negative, and, where some
// are given, a share that can never be drawn. All zero means all equal.
func checkWeights(name string, weights []float64) error {
	sum := 0.0
	for _, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("share %v in %s: shares are 0 or more", w, name)
		}
		sum += w
	}
	if math.IsInf(sum, 1) {
		return fmt.Errorf("shares in %s do not add up to a finite number: use percentages", name)
	}
	return nil
}

func (s Spec) checkMix() error {
	return checkWeights("mix", []float64{s.Mix.Read, s.Mix.Write, s.Mix.Delete})
}

func checkShare(name string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("%s %v: a share is between 0 and 1", name, v)
	}
	return nil
}

// checkShares takes names and values in turn.
func checkShares(names []string, values ...float64) error {
	for i, v := range values {
		if err := checkShare(names[i], v); err != nil {
			return err
		}
	}
	return nil
}

func (s Spec) checkAccess() error {
	a := s.Access
	if err := checkShares([]string{"random", "poisson midpoint", "hot band low", "hot band high"},
		a.Random, a.PoissonMid, s.HotBand.Low, s.HotBand.High); err != nil {
		return err
	}
	switch {
	case s.HotBand != (Band{}) && s.HotBand.High <= s.HotBand.Low:
		return fmt.Errorf("hot band %v to %v: its high end must be above its low end", s.HotBand.Low, s.HotBand.High)
	case s.HotBand.High > 0 && a.PoissonMid > 0:
		return fmt.Errorf("hot band and poisson are both given: keep one")
	case s.HotBand.High > 0 && a.Random == 0:
		return fmt.Errorf("hot band with sequential access: random addresses are drawn from it, so set random above 0")
	case a.StopAtEnd && (a.Random > 0 || a.PoissonMid > 0):
		return fmt.Errorf("stop at end with random access: only a sequential job reaches the end")
	}
	return nil
}

func (s Spec) checkRegion() error {
	r := s.Region
	if err := checkShares([]string{"region from", "region to"}, r.From, r.To); err != nil {
		return err
	}
	switch {
	case r.Offset < 0 || r.Length < 0 || r.Offset > maxBytes || r.Length > maxBytes:
		return fmt.Errorf("region offset %d, length %d bytes: neither may be negative", r.Offset, r.Length)
	case (r.Offset > 0 || r.Length > 0) && (r.From > 0 || r.To > 0):
		return fmt.Errorf("region is given both in bytes and as shares: keep one")
	case (r.From > 0 || r.To > 0) && r.To <= r.From:
		return fmt.Errorf("region from %v to %v: its end must be above its start", r.From, r.To)
	case s.AlignBytes < 0 || s.AlignBytes > maxBytes:
		return fmt.Errorf("align %d bytes: give a multiple of the logical block", s.AlignBytes)
	}
	return nil
}

func (h Hit) used() bool { return h.Read > 0 || h.Write > 0 }

func (s Spec) checkHit() error {
	h := s.Hit
	if err := checkShares([]string{"read hits", "write hits"}, h.Read, h.Write); err != nil {
		return err
	}
	if h.AreaBytes < 0 || h.AreaBytes > maxBytes || (h.used() && h.AreaBytes == 0) {
		return fmt.Errorf("hit area %d bytes: read or write hits need an area above 0", h.AreaBytes)
	}
	return nil
}

func (s Spec) checkCursors() error {
	switch {
	case s.Streams < 0:
		return fmt.Errorf("streams %d: give 1 or more", s.Streams)
	case s.Streams > 1<<16:
		return fmt.Errorf("streams %d: at most 65536", s.Streams)
	case s.Streams > 1 && (s.Access.Random > 0 || s.Access.PoissonMid > 0):
		return fmt.Errorf("%d streams with random access: streams are sequential, so set random to 0", s.Streams)
	}
	return s.Stride.check("stride")
}

// leastRate is one operation in about 11 days, mostRate one in a nanosecond.
const leastRate, mostRate = 1e-6, 1e9

func (s Spec) checkPace() error {
	switch {
	case s.Depth < 0 || s.Depth > 1<<20:
		return fmt.Errorf("depth %d: give 1 to 1048576", s.Depth)
	case s.Rate != 0 && !(s.Rate >= leastRate && s.Rate <= mostRate):
		return fmt.Errorf("rate %v per second: give 0 for a closed loop, or %v to %v", s.Rate, leastRate, mostRate)
	case s.Arrivals > Deterministic:
		return fmt.Errorf("arrivals %d: give exponential, uniform or deterministic", s.Arrivals)
	case s.Think < 0:
		return fmt.Errorf("think time %v: give 0 or more", s.Think)
	case s.Think > 1000*time.Hour:
		return fmt.Errorf("think time %v: at most 1000 h", s.Think)
	case s.Rate > 0 && s.Think > 0:
		return fmt.Errorf("rate and think time are both given: an open loop does not wait for completions")
	}
	return nil
}

func (s Spec) checkBurst() error {
	b := s.Burst
	switch {
	case b == (Burst{}):
		return nil
	case b.Ops < 1:
		return fmt.Errorf("burst of %d operations: give 1 or more", b.Ops)
	case s.Rate > 0:
		return fmt.Errorf("rate and burst are both given: an open loop does not wait for completions")
	case b.Ops > max(s.Depth, 1):
		return fmt.Errorf("burst of %d operations at depth %d: the depth must hold a whole burst", b.Ops, max(s.Depth, 1))
	case b.Run < 0 || b.Pause < 0 || b.Run > 1000*time.Hour || b.Pause > 1000*time.Hour:
		return fmt.Errorf("burst run %v, pause %v: give 0 to 1000 h", b.Run, b.Pause)
	case b.Pause > 0 && b.Run == 0:
		return fmt.Errorf("burst pause %v without run: say how long the job is active between pauses", b.Pause)
	}
	return nil
}

func (s Spec) checkWhole() error {
	switch {
	case !s.Whole:
		return nil
	case s.Mix.Read > 0 || s.Mix.Write > 0:
		return fmt.Errorf("whole with reads or writes: only a delete covers a whole region")
	case s.Mix.Delete == 0:
		return fmt.Errorf("whole without deletes: set the mix to deletes only")
	}
	return nil
}

// dedupGrain is the smallest piece of content that is unique or not.
const dedupGrain = 4096

func (s Spec) checkData() error {
	d := s.Data
	for _, ratio := range []float64{d.CompressRatio, d.DedupRatio} {
		if ratio != 0 && !(ratio >= 1 && ratio <= 1e6) {
			return fmt.Errorf("data ratio %v: give 1 (none) or more", ratio)
		}
	}
	if d.DedupUnit < 0 || d.DedupUnit%dedupGrain != 0 || d.DedupUnit > maxBytes {
		return fmt.Errorf("dedup unit %d bytes: give a multiple of %d", d.DedupUnit, dedupGrain)
	}
	return nil
}
