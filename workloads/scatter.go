package workloads

// shape is the distribution of random addresses.
type shape uint8

const (
	flat shape = iota
	band
	poisson
)

// poissonBins is into how many equal parts a Poisson distribution of addresses
// divides the region. The bin is Poisson distributed with the midpoint as its
// mean, cut off at the region's end, and the address uniform in its bin.
const poissonBins = 100

// scatter draws random addresses in an area.
type scatter struct {
	draw
	area  area
	align int64
	shape shape
	bins  choice
}

func newScatter(s Spec, a area, align int64, seed uint64) scatter {
	sc := scatter{draw: newDraw(seed, forAddress), area: a, align: align}
	switch {
	case s.Access.PoissonMid > 0:
		sc.shape = poisson
		sc.bins = newChoice(poissonWeights(s.Access.PoissonMid * poissonBins))
	case s.HotBand.High > 0:
		sc.shape = band
		sc.area = s.HotBand.in(a, align)
	}
	return sc
}

// in returns the band's part of an area.
func (b Band) in(a area, align int64) area {
	from := alignDown(shareOf(a.len(), b.Low), align)
	return area{a.begin + from, a.begin + shareOf(a.len(), b.High)}
}

// poissonWeights returns the weight of each bin up to a common factor, each
// from the one before, so that no exponential is needed.
func poissonWeights(mean float64) []float64 {
	weights := make([]float64, poissonBins)
	weights[0] = 1
	for k := 1; k < poissonBins; k++ {
		weights[k] = weights[k-1] * mean / float64(k)
	}
	return weights
}

// of draws the address of an operation of size bytes.
func (s *scatter) of(size int64) int64 {
	switch s.shape {
	case band:
		return s.peaked(size)
	case poisson:
		return s.binned(size)
	}
	return s.uniform(size)
}

func (s *scatter) uniform(size int64) int64 {
	return s.at(s.below(s.area.slots(size, s.align)))
}

// peaked is triangular: the sum of two uniform draws from half the slots each
// covers every slot, the middle one most often.
func (s *scatter) peaked(size int64) int64 {
	n := s.area.slots(size, s.align)
	half := (n + 1) / 2
	return s.at(s.below(half) + s.below(n+1-half))
}

func (s *scatter) binned(size int64) int64 {
	n := s.area.slots(size, s.align)
	bin := uint64(s.bins.of(&s.draw))
	low, high := bin*n/poissonBins, (bin+1)*n/poissonBins
	if high > low {
		low += s.below(high - low)
	}
	return s.at(min(low, n-1))
}

func (s *scatter) at(slot uint64) int64 { return s.area.begin + s.align*int64(slot) }
