package profiles

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/iosweep/iosweep/results"
)

// planStream is PCG's second seed word for drawing orders. It is arbitrary, and
// must never change: old plans could not be drawn again.
const planStream = 0x696f7377656570

// draw yields the plan's random choices. Its generator is PCG-DXSM as math/rand/v2
// defines it, seeded with (seed, planStream); how a draw becomes an order is
// written out here, because the standard library may change its own way.
type draw struct{ source *rand.PCG }

func newDraw(seed uint64) *draw {
	return &draw{rand.NewPCG(seed, planStream)}
}

// below returns a uniform number from 0 to n-1: the high word of a 128-bit
// product, redrawn where the low word shows that it would be biased.
func (d *draw) below(n uint64) uint64 {
	for {
		high, low := bits.Mul64(d.source.Uint64(), n)
		if low >= -n%n {
			return high
		}
	}
}

// shuffle is Fisher and Yates's, from the end.
func (d *draw) shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(d.below(uint64(i+1))))
	}
}

// trialSeed derives a trial's seed. It fits 53 bits, so that every JSON reader
// keeps it exactly.
func trialSeed(plan uint64, block int, workload string, l results.Load) uint64 {
	text := fmt.Sprintf("%d/%d/%s/%d/%g/%g/%t", plan, block, workload, l.Depth, l.Rate, l.Percent, l.Max)
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:8]) >> 11
}
