package hist

// Opening a run is mostly reading histograms, and reflection would be most of
// that. So what MarshalJSON writes is read without; any other JSON of the same
// meaning goes the long way.

// canonical reads the exact form that MarshalJSON writes, the buckets into p and
// the rest into s. It is false when text deviates from it in anything, and says
// nothing of why.
func canonical(text []byte, p *packer) (s stored, ok bool) {
	c := cursor{rest: text, ok: true}
	s.Format = format
	c.literal(`{"format":"` + format + `","count":`)
	s.Count = c.number()
	if c.optional(`,"above":`) {
		s.Above = c.number()
	}
	c.literal(`,"min_ns":`)
	s.MinNs = c.number()
	c.literal(`,"max_ns":`)
	s.MaxNs = c.number()
	c.literal(`,"sum_ns":`)
	s.SumNs = c.number()
	c.literal(`,"buckets":[`)
	if !c.ok {
		return stored{}, false
	}
	p.out = make(packed, 0, len(c.rest)/2)
	c.pairs(p)
	return s, c.ok && len(c.rest) == 0
}

// cursor reads from the front of a text. Once it has failed it stays so.
type cursor struct {
	rest []byte
	ok   bool
}

func (c *cursor) literal(want string) {
	c.ok = c.optional(want) && c.ok
}

// optional takes want, if it is there.
func (c *cursor) optional(want string) bool {
	if len(c.rest) < len(want) || string(c.rest[:len(want)]) != want {
		return false
	}
	c.rest = c.rest[len(want):]
	return true
}

// number reads digits as JSON has them: no sign, no leading zero, no more than
// surely fit.
func (c *cursor) number() (n int64) {
	const most = 18
	digits := 0
	for digits < len(c.rest) && digits <= most && c.rest[digits]-'0' <= 9 {
		n = 10*n + int64(c.rest[digits]-'0')
		digits++
	}
	c.ok = c.ok && digits > 0 && digits <= most && (digits == 1 || c.rest[0] != '0')
	c.rest = c.rest[digits:]
	return n
}

// pairs reads the rest of an array of gaps and counts, and the brace behind it.
func (c *cursor) pairs(p *packer) {
	if c.optional("]}") {
		return
	}
	for c.ok {
		gap := c.number()
		c.literal(",")
		n := c.number()
		c.ok = c.ok && p.add(gap, n) == nil
		if !c.optional(",") {
			c.literal("]}")
			return
		}
	}
}
