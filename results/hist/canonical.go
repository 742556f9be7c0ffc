package hist

// Opening a run is mostly reading histograms, and reflection would be most of
// that. So what MarshalJSON writes is read without; any other JSON of the same
// meaning goes the long way.

// canonical reads the exact form that MarshalJSON writes, the buckets into p and
// the rest into s. It is false when text deviates from it in anything, and says
// nothing of why.
func canonical(text []byte, p *packer) (s stored, ok bool) {
	c := cursor{text: text, ok: true}
	s = c.stored(p)
	return s, c.ok && c.at == len(text)
}

// cursor reads on in a text. Once it has failed it stays so.
type cursor struct {
	text []byte
	at   int
	ok   bool
}

// stored reads a whole histogram, but for its buckets, which go into p.
func (c *cursor) stored(p *packer) (s stored) {
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
	if c.ok {
		c.pairs(p)
	}
	return s
}

func (c *cursor) literal(want string) {
	c.ok = c.optional(want) && c.ok
}

// optional takes want, if it is there.
func (c *cursor) optional(want string) bool {
	end := c.at + len(want)
	if end > len(c.text) || string(c.text[c.at:end]) != want {
		return false
	}
	c.at = end
	return true
}

// number reads digits as JSON has them: no sign, no leading zero, no more than
// surely fit.
func (c *cursor) number() (n int64) {
	const most = 18
	digits := c.text[c.at:min(c.at+most+1, len(c.text))]
	read := 0
	for read < len(digits) && digits[read]-'0' <= 9 {
		n = 10*n + int64(digits[read]-'0')
		read++
	}
	c.ok = c.ok && read > 0 && read <= most && (read == 1 || digits[0] != '0')
	c.at += read
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
