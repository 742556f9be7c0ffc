package hist

import (
	"bytes"
	"fmt"
)

// markCount is a number of times that no histogram has by chance. A mark has it,
// and its place among the cuts as each of its times.
const markCount = 98_765_432_101

// Cuts are histograms that were cut out of a JSON text.
type Cuts struct{ taken []*Hist }

// Cut takes the histograms out of a JSON text, as MarshalJSON wrote them, and
// leaves marks in their place: small histograms, of which Restore tells the ones
// that they stand for. Decoding the rest is then a matter of kilobytes; a
// histogram that deviates from that form in anything stays where it is.
//
// It is safe with any text. What is cut begins like its mark and is a whole JSON
// value by itself, so that the text is valid with the one where it is with the
// other; and a text in which the digits of a mark occur is left as it is, so that
// none can be forged.
func Cut(text []byte) (rest []byte, c Cuts) {
	if bytes.Contains(text, fmt.Append(nil, markCount)) {
		return text, c
	}
	const head = `{"format":"` + format + `"`
	for {
		at := bytes.Index(text, []byte(head))
		if at < 0 || len(c.taken) == sub { // above, two times share a bucket
			return append(rest, text...), c
		}
		rest = append(rest, text[:at]...)
		h, length := leading(text[at:])
		if h == nil {
			length = len(head)
			rest = append(rest, head...)
		} else {
			rest = appendMark(rest, len(c.taken))
			c.taken = append(c.taken, h)
		}
		text = text[at+length:]
	}
}

// leading reads the histogram that text begins with, and tells its length; it is
// nil where there is none.
func leading(text []byte) (*Hist, int) {
	var buckets packer
	in := cursor{text: text, ok: true}
	s := in.stored(&buckets)
	if !in.ok {
		return nil, 0
	}
	h, err := s.hist(&buckets)
	if err != nil {
		return nil, 0
	}
	return h, in.at
}

func appendMark(to []byte, n int) []byte {
	return fmt.Appendf(to, `{"format":%q,"count":%d,"min_ns":%d,"max_ns":%d,"sum_ns":%d,"buckets":[%d,%d]}`,
		format, markCount, n, n, n*markCount, n, markCount)
}

// Restore returns what h stands for, or h when it is no mark.
func (c Cuts) Restore(h *Hist) *Hist {
	if h.Count() != markCount || h.Min() != h.Max() || int64(h.Min()) >= int64(len(c.taken)) {
		return h
	}
	return c.taken[h.min]
}
