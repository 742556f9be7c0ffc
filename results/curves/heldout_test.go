package curves

import (
	"math"
	"math/rand/v2"
	"testing"
)

// station is a queue of other kinds than the ones that Next was tuned on: its
// servers, the squared coefficient of variation of its service times (0: always
// the same, 1: exponential, more: heavy), and the most outstanding, in service
// times of the target as a whole.
type station struct{ servers, variation, depth float64 }

// latency is the mean response time at a share of the station's rate, by
// Sakasegawa's approximation of the wait, in service times of one server.
func (s station) latency(percent float64) float64 {
	load := percent / 100
	wait := (1 + s.variation) / 2 * math.Pow(load, math.Sqrt(2*(s.servers+1))-1) / (s.servers * (1 - load))
	return min(1+wait, s.depth)
}

// stations are held out from the choice of Next's ratio: n drawn from a fixed
// seed, from constant to heavy service times, 1 to 32 servers, with knees anywhere.
func stations(n int) (all []station) {
	rng := rand.New(rand.NewPCG(2026, 5))
	for range n {
		servers := math.Exp2(float64(rng.IntN(6)))
		variation := []float64{0, 0.5, 2, 4, 16}[rng.IntN(5)]
		all = append(all, station{servers, variation, 1 + math.Exp2(1+7*rng.Float64())/servers})
	}
	return all
}

// kneeError is how far a list of points' knee is from the station's, in points of
// a hundred, for points that are chosen and for the seven of load: curve.
func (s station) kneeError() (truth, chosen, fixed float64) {
	var fine []sample
	for p := 10.0; p <= 100; p += 0.01 {
		fine = append(fine, sample{throughput: p, latency: s.latency(p)})
	}
	truth = knee(fine).throughput
	steps, list := []Step{{100, s.depth}}, []Step{{100, s.depth}}
	for range 5 {
		p, _ := Next([][]Step{steps})
		steps = append(steps, Step{p, s.latency(p)})
	}
	for _, p := range []float64{10, 30, 50, 70, 80, 90, 95} {
		list = append(list, Step{p, s.latency(p)})
	}
	return truth, math.Abs(kneeOf(steps) - truth), math.Abs(kneeOf(list) - truth)
}

// What Next was tuned on proves little: it must beat the fixed list on queues
// that it was not tuned on, with two points fewer.
func TestNextOnQueuesHeldOut(t *testing.T) {
	const n = 400
	var chosen, fixed, worst, worstFixed float64
	low, high := 100.0, 0.0
	for _, s := range stations(n) {
		truth, c, f := s.kneeError()
		low, high = min(low, truth), max(high, truth)
		chosen, fixed, worst, worstFixed = chosen+c/n, fixed+f/n, max(worst, c), max(worstFixed, f)
	}
	t.Logf("knees from %.0f to %.0f %%; mean error %.2f (at most %.1f) with 5 chosen, %.2f (at most %.1f) with 7 fixed", low, high, chosen, worst, fixed, worstFixed)
	if chosen > fixed {
		t.Errorf("mean error %.2f with 5 chosen points, %.2f with 7 fixed ones", chosen, fixed)
	}
}
