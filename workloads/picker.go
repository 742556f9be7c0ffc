package workloads

// kinds draws what an operation asks for.
type kinds struct {
	choice
	only bool // always one
	one  Kind
}

func newKinds(m Mix) kinds {
	weights := []float64{m.Read, m.Write, m.Delete}
	k, positive := kinds{}, 0
	for i, w := range weights {
		if w > 0 {
			positive++
			k.one = Kind(i)
		}
	}
	if k.only = positive < 2; !k.only {
		k.choice = newChoice(weights)
	}
	return k
}

func (k *kinds) of(d *draw) Kind {
	if k.only {
		return k.one
	}
	return Kind(k.choice.of(d))
}

// steps is a uniform range of multiples.
type steps struct {
	least, step int64
	count       uint64
}

func newSteps(r SizeRange, block int64) steps {
	step := r.Align
	if step == 0 {
		step = block
	}
	return steps{r.Min, step, uint64((r.Max-r.Min)/step) + 1}
}

func (s *steps) of(d *draw) int64 { return s.least + s.step*int64(d.below(s.count)) }

// sizes draws how long an operation is.
type sizes struct {
	choice
	list    []int64
	uniform steps
}

func newSizes(s Spec, block int64) sizes {
	if s.Uniform.Max > 0 {
		return sizes{uniform: newSteps(s.Uniform, block)}
	}
	shares := s.sizes()
	list, weights := make([]int64, len(shares)), make([]float64, len(shares))
	sum := 0.0
	for i, share := range shares {
		list[i], weights[i] = share.Bytes, share.Share
		sum += share.Share
	}
	if sum == 0 {
		for i := range weights {
			weights[i] = 1
		}
	}
	return sizes{list: list, choice: newChoice(weights)}
}

func (s *sizes) of(d *draw) int64 {
	switch len(s.list) {
	case 0:
		return s.uniform.of(d)
	case 1:
		return s.list[0]
	}
	return s.list[s.choice.of(d)]
}

// picker draws kind, size and address of each operation.
type picker struct {
	kindDraw, sizeDraw, seekDraw, hitDraw, strideDraw draw

	kinds kinds
	sizes sizes
	seek  chance
	far   scatter

	hits    [Kinds]chance
	hitArea scatter

	cursors []cursor
	turn    int
	stop    bool // at the end of the region
	ended   bool
	align   int64 // of addresses; 0 where the sizes keep them aligned
	stride  steps
	strides bool
}

// cursor is where a sequential stream is within its part of the region.
type cursor struct {
	area
	next int64
}

func newPicker(s Spec, l layout, k kinds, seed uint64) *picker {
	main := l.region
	p := &picker{
		kindDraw: newDraw(seed, forKind), sizeDraw: newDraw(seed, forSize),
		seekDraw: newDraw(seed, forSeek), hitDraw: newDraw(seed, forHit),
		strideDraw: newDraw(seed, forStride),
		kinds:      k,
		sizes:      newSizes(s, l.block),
		seek:       newChance(s.Access.Random),
		stop:       s.Access.StopAtEnd,
		stride:     newSteps(s.Stride, l.block),
		strides:    s.Stride.Max > 0,
	}
	if l.rounds(s) {
		p.align = l.align
	}
	if s.Hit.used() {
		p.hits[Read], p.hits[Write] = newChance(s.Hit.Read), newChance(s.Hit.Write)
		split := l.hitEnd(s)
		p.hitArea = scatter{draw: newDraw(seed, forAddress+forHit<<8), area: area{main.begin, split}, align: l.align}
		main.begin = split
	}
	if s.Access.PoissonMid > 0 {
		p.seek = newChance(1)
	}
	p.far = newScatter(s, main, l.align, seed)
	p.cursors = newCursors(s, main, l.align)
	p.startCursors(s, l.greatest)
	return p
}

// rounds says that an address after an operation may be unaligned.
func (l layout) rounds(s Spec) bool {
	step := l.block
	switch {
	case s.Stride.Max > 0:
		if s.Stride.Align > 0 {
			step = s.Stride.Align
		}
		return step%l.align != 0 || s.Stride.Min%l.align != 0
	case s.Uniform.Max > 0 || l.least != l.greatest:
		return l.align != l.block
	}
	return l.greatest%l.align != 0
}

// hitEnd is where the hit area ends, on an aligned address.
func (l layout) hitEnd(s Spec) int64 {
	return l.region.begin + alignUp(s.Hit.AreaBytes, l.align)
}

// newCursors divides an area among the spec's streams.
func newCursors(s Spec, a area, align int64) []cursor {
	n := int64(max(s.Streams, 1))
	if n == 1 {
		return []cursor{{a, a.begin}}
	}
	each := alignDown(a.len()/n, align)
	list := make([]cursor, n)
	for i := range list {
		begin := a.begin + int64(i)*each
		list[i] = cursor{area{begin, begin + each}, begin}
	}
	return list
}

// startCursors puts them where they begin: at their start, or, for a random
// start, where the largest transfer fits.
func (p *picker) startCursors(s Spec, greatest int64) {
	if !s.Access.RandomStart {
		return
	}
	for i := range p.cursors {
		c := &p.cursors[i]
		c.next = c.begin + p.far.align*int64(p.seekDraw.below(c.slots(greatest, p.far.align)))
	}
}

// Next implements Stream.
func (p *picker) Next(op *Op) bool {
	if p.ended {
		return false
	}
	op.At, op.Barrier = 0, false
	op.Kind = p.kinds.of(&p.kindDraw)
	op.Len = p.sizes.of(&p.sizeDraw)
	if p.hits[op.Kind].of(&p.hitDraw) {
		op.Off = p.hitArea.uniform(op.Len)
		return true
	}
	if p.seek.of(&p.seekDraw) {
		op.Off = p.far.of(op.Len)
		p.advance(&p.cursors[0], op)
		return true
	}
	return p.forward(op)
}

// forward goes on where a cursor stands; the cursors take turns.
func (p *picker) forward(op *Op) bool {
	for range p.cursors {
		c := &p.cursors[p.turn]
		if p.turn++; p.turn == len(p.cursors) {
			p.turn = 0
		}
		if c.next+op.Len > c.end {
			if p.stop {
				c.next = c.end // a smaller transfer does not go on either
				continue
			}
			c.next = c.begin
		}
		op.Off = c.next
		p.advance(c, op)
		return true
	}
	p.ended = true
	return false
}

// advance moves a cursor past an operation.
func (p *picker) advance(c *cursor, op *Op) {
	c.next = op.Off + op.Len
	if p.strides {
		c.next = op.Off + p.stride.of(&p.strideDraw)
	}
	if p.align > 0 {
		c.next = c.begin + alignUp(c.next-c.begin, p.align)
	}
}
