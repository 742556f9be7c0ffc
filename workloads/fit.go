package workloads

import "fmt"

// fitBlock refuses what is not a multiple of the logical block.
func (s Spec) fitBlock(block int64) error {
	for _, n := range s.granules() {
		if n.bytes%block != 0 {
			return fmt.Errorf("%s %d bytes is no multiple of the logical block, %d bytes: %w", n.name, n.bytes, block, ErrMisfit)
		}
	}
	return nil
}

// granule is a number of bytes that must be whole blocks.
type granule struct {
	name  string
	bytes int64
}

func (s Spec) granules() []granule {
	list := []granule{
		{"region offset", s.Region.Offset}, {"region length", s.Region.Length}, {"align", s.AlignBytes},
		{"stride", s.Stride.Min}, {"stride", s.Stride.Max}, {"stride alignment", s.Stride.Align},
	}
	if s.Whole {
		return list
	}
	if s.Uniform.Max > 0 {
		return append(list, granule{"size", s.Uniform.Min}, granule{"size", s.Uniform.Max},
			granule{"size alignment", s.Uniform.Align})
	}
	for _, size := range s.sizes() {
		list = append(list, granule{"size", size.Bytes})
	}
	return list
}

// fitRegion refuses a region that is not on the target or does not hold the
// largest operation.
func (s Spec) fitRegion(l layout, g Geometry) error {
	r := l.region
	if r.end > g.SizeBytes || r.begin > r.end {
		return fmt.Errorf("region %d to %d bytes lies beyond the target's %d bytes: %w", r.begin, r.end, g.SizeBytes, ErrMisfit)
	}
	if s.Stride.Max > r.len() {
		return fmt.Errorf("stride %d bytes is longer than the region, %d bytes: %w", s.Stride.Max, r.len(), ErrMisfit)
	}
	for _, part := range s.parts(l) {
		need := l.greatest
		if s.Whole {
			need = l.block
		}
		if part.len() < need {
			return fmt.Errorf("%s of %d bytes does not hold an operation of %d bytes: enlarge it: %w", part.name, part.len(), need, ErrMisfit)
		}
	}
	return nil
}

// part is a named area that operations are drawn from.
type part struct {
	name string
	area
}

func (s Spec) parts(l layout) []part {
	rest := l.region
	list := []part{{"region", rest}}
	if s.Hit.used() && !s.Whole {
		split := l.hitEnd(s)
		list = append(list, part{"hit area", area{rest.begin, min(split, rest.end)}})
		rest.begin = min(split, rest.end)
		list = append(list, part{"region beyond the hit area", rest})
	}
	if s.HotBand.High > 0 {
		list = append(list, part{"hot band", s.HotBand.in(rest, l.align)})
	}
	if n := int64(s.Streams); n > 1 {
		list = append(list, part{"each stream's share", area{0, alignDown(rest.len()/n, l.align)}})
	}
	return list
}
