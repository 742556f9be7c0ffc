package workloads

import (
	"math/bits"
	"math/rand/v2"
)

// What a generator is drawn for. Each purpose has a generator of its own, so
// that, say, another size mix leaves the sequence of kinds as it was. The
// values are part of what makes a seed reproducible: never change one.
const (
	forAddress uint64 = iota + 1
	forSeek
	forKind
	forSize
	forHit
	forStride
	forArrival
	forThink
)

// draw is a source of random integers. PCG is specified bit for bit, and
// nothing below uses floating point, so every machine draws alike.
type draw struct{ rand.PCG }

func newDraw(seed, purpose uint64) draw {
	return draw{*rand.NewPCG(mix64(seed), mix64(purpose))}
}

// mix64 spreads seeds that differ in few bits over the whole word (the
// finaliser of SplitMix64).
func mix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// JobSeed derives the seed of one copy of one job from its trial's, so that no
// two of them issue the same sequence.
func JobSeed(trial uint64, job, copy int) uint64 {
	return mix64(mix64(trial^mix64(uint64(job))) + uint64(copy))
}

// below returns a uniform integer in [0, n); n must be above 0. It takes the
// high word of a product and rejects the few values that would bias it
// (Lemire 2019), which needs no division in nearly all draws.
func (d *draw) below(n uint64) uint64 {
	hi, lo := bits.Mul64(d.Uint64(), n)
	if lo < n {
		for least := -n % n; lo < least; {
			hi, lo = bits.Mul64(d.Uint64(), n)
		}
	}
	return hi
}

// unit returns a uniform number in (0, 1], a multiple of 2^-53.
func (d *draw) unit() float64 {
	return float64(d.Uint64()>>11+1) * (1.0 / (1 << 53))
}

// chance is an event of a fixed probability.
type chance struct {
	limit  uint64 // 0: never
	always bool
}

func newChance(p float64) chance {
	if p >= 1 {
		return chance{always: true}
	}
	return chance{limit: threshold(p)}
}

// threshold returns p, in [0, 1), as a part of 2^64.
func threshold(p float64) uint64 { return uint64(p * (1 << 64)) }

// of draws whether the event happens; what is certain costs no draw.
func (c chance) of(d *draw) bool {
	if c.always || c.limit == 0 {
		return c.always
	}
	return d.Uint64() < c.limit
}

// choice picks an index by weight.
type choice struct{ limits []uint64 }

// newChoice returns a choice by weights, of which at least one is above 0.
func newChoice(weights []float64) choice {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	limits := make([]uint64, len(weights))
	upTo := 0.0
	for i, w := range weights {
		upTo += w
		limits[i] = ^uint64(0)
		if share := upTo / sum; share < 1 {
			limits[i] = threshold(share)
		}
	}
	return choice{limits}
}

// of draws an index. A draw equal to 2^64-1 is above every limit and goes to
// the last index with weight.
func (c choice) of(d *draw) int {
	x := d.Uint64()
	for i, limit := range c.limits {
		if x < limit {
			return i
		}
	}
	return c.last()
}

func (c choice) last() int {
	i := len(c.limits) - 1
	for i > 0 && c.limits[i-1] == c.limits[i] {
		i--
	}
	return i
}
