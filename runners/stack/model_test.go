package stack

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/iosweep/iosweep/workloads"
)

// naive is the bioq written a second time, from its description and for
// clarity: a slice, the barrier found by searching for it, the distances in
// exact arithmetic.
type naive struct {
	items   []*request
	barrier *request
	at      int64
	run     int
	limit   int
}

func (m *naive) distance(off int64) *big.Int {
	d := new(big.Int).Sub(big.NewInt(off), big.NewInt(m.at))
	if d.Sign() < 0 {
		d.Add(d, new(big.Int).Lsh(big.NewInt(1), 64))
	}
	return d
}

func (m *naive) append(r *request) {
	m.items = append(m.items, r)
	m.run, m.barrier, m.at = 0, r, r.off
}

func (m *naive) prepend(r *request) {
	if m.barrier == nil {
		m.at = r.off
	}
	m.items = append([]*request{r}, m.items...)
	m.run = 0
}

func (m *naive) insert(r *request) {
	command := r.kind == workloads.Flush
	if r.ordered || command || m.limit > 0 && m.run >= m.limit+1 {
		m.append(r)
		return
	}
	from := slices.Index(m.items, m.barrier) + 1 // 0 without a barrier
	mine := m.distance(r.off)
	at := len(m.items)
	if i := slices.IndexFunc(m.items[from:], func(o *request) bool { return m.distance(o.off).Cmp(mine) > 0 }); i >= 0 {
		at = from + i
	}
	m.items = slices.Insert(m.items, at, r)
	m.run++
}

func (m *naive) delete(r *request) {
	i := slices.Index(m.items, r)
	if i == 0 && m.barrier == nil {
		m.at = r.off + r.length
	}
	if r == m.barrier {
		m.barrier = nil
	}
	m.items = slices.Delete(m.items, i, i+1)
	if len(m.items) == 0 {
		m.run = 0
	}
}

// pair drives both and compares them after every step.
type pair struct {
	q bioq
	m naive
	// overtakings counts, for each sorted request that is queued, the later
	// sorted ones that were dispatched before it, and allowed how many may be.
	// Insertion at the head starts a new batch, and a barrier that is cancelled
	// opens what it protected, so these end the promise.
	order    map[*request]int
	inserted int
	allowed  map[*request]int
	promise  bool
}

func newPair(limit int) *pair {
	return &pair{
		q: bioq{batch: limit}, m: naive{limit: limit},
		order: map[*request]int{}, allowed: map[*request]int{}, promise: limit > 0,
	}
}

// step does what three bytes say: the operation, the offset, the length.
func (p *pair) step(t *testing.T, what, place, size byte) {
	t.Helper()
	r := &request{off: int64(place%32) * 4, length: int64(size % 9), kind: workloads.Kind(size % 3)}
	switch what % 16 {
	case 0:
		p.q.insertTail(r)
		p.m.append(r)
	case 1:
		p.q.insertHead(r)
		p.m.prepend(r)
		p.promise = false
	case 2:
		r.kind, r.ordered = workloads.Flush, size%2 == 0
		p.sort(r)
	case 3:
		r.ordered = true
		p.sort(r)
	case 4, 5:
		if n := len(p.m.items); n > 0 {
			r := p.m.items[int(place)%n]
			p.promise = p.promise && (r != p.m.barrier || r == p.m.items[0])
			p.q.remove(r)
			p.m.delete(r)
		}
	case 6, 7, 8, 9:
		p.take(t)
	default:
		p.sort(r)
	}
	p.compare(t)
}

func (p *pair) sort(r *request) {
	k, before := p.q.batched, p.q.sorted
	p.q.disksort(r)
	p.m.insert(r)
	if p.q.sorted > before {
		p.inserted++
		p.order[r], p.allowed[r] = p.inserted, p.q.batch-k
	}
}

func (p *pair) take(t *testing.T) {
	t.Helper()
	var want *request
	if len(p.m.items) > 0 {
		want = p.m.items[0]
		p.m.delete(want)
	}
	got := p.q.takeFirst()
	if got != want {
		t.Fatalf("took %v, want %v", got, want)
	}
	mine, sorted := p.order[got]
	for _, o := range p.m.items {
		theirs, ok := p.order[o]
		if !ok || !sorted || theirs > mine {
			continue
		}
		if p.allowed[o]--; p.promise && p.allowed[o] < 0 {
			t.Fatalf("request at %d was overtaken more often than the batch limit %d allows", o.off, p.q.batch)
		}
	}
}

func (p *pair) compare(t *testing.T) {
	t.Helper()
	var got, back []*request
	for r := p.q.head; r != nil; r = r.next {
		got = append(got, r)
	}
	for r := p.q.tail; r != nil; r = r.prev {
		back = append(back, r)
	}
	slices.Reverse(back)
	if !slices.Equal(got, p.m.items) || !slices.Equal(back, p.m.items) || p.q.total != len(p.m.items) {
		t.Fatalf("queue of %d holds %v (backwards %v), want %v", p.q.total, got, back, p.m.items)
	}
	if p.q.lastOff != p.m.at || p.q.batched != p.m.run || p.q.insertPoint != p.m.barrier {
		t.Fatalf("last offset %d, batched %d, barrier %v; want %d, %d, %v",
			p.q.lastOff, p.q.batched, p.q.insertPoint, p.m.at, p.m.run, p.m.barrier)
	}
}

func TestBioqAgainstModel(t *testing.T) {
	for _, limit := range []int{-1, 0, 1, 2, 3, 7, 128} {
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, uint64(limit+1)))
			p := newPair(limit)
			for range 500 {
				what := byte(r.Uint32())
				if seed%2 == 0 && (what%16 == 1 || what%16 == 4 || what%16 == 5) {
					what = 9 // every other run keeps the promise
				}
				p.step(t, what, byte(r.Uint32()), byte(r.Uint32()))
			}
			if seed%2 == 0 && limit > 0 && !p.promise {
				t.Fatal("the overtaking bound was not checked")
			}
		}
	}
}

func FuzzBioq(f *testing.F) {
	f.Add(1, []byte{10, 50, 1, 10, 10, 1, 10, 30, 1, 6, 0, 0, 10, 5, 1})
	f.Add(0, []byte{0, 25, 8, 6, 0, 0, 11, 3, 1, 1, 22, 1})
	f.Fuzz(func(t *testing.T, limit int, ops []byte) {
		p := newPair(limit % 1000)
		for len(ops) >= 3 && len(ops) < 3000 {
			p.step(t, ops[0], ops[1], ops[2])
			ops = ops[3:]
		}
	})
}
