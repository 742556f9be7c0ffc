package stack

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/workloads"
)

// script runs a bioq by words and returns what it dispatched, in order.
//
//	30 a30     sort a request at offset 30 (a: its name where offsets repeat)
//	F / o15    sort a flush (offset 0) / an ordered write at 15
//	t100+8     insert_tail at 100, length 8
//	h90        insert_head at 90
//	-B50       remove the request named B50 (or 50)
//	take       dispatch one; "" when the queue is empty
//	drain      dispatch all
//
// What the batch limit made a barrier appears in brackets. A length is 1 unless
// given after +.
type script struct {
	q      bioq
	byName map[string]*request
	names  map[*request]string
	out    []string
}

func run(t *testing.T, batch int, words string) *script {
	t.Helper()
	s := &script{q: bioq{batch: batch}, byName: map[string]*request{}, names: map[*request]string{}}
	for _, w := range strings.Fields(words) {
		s.word(t, w)
	}
	return s
}

func (s *script) word(t *testing.T, w string) {
	t.Helper()
	switch {
	case w == "take":
		s.take()
	case w == "drain":
		for s.take() {
		}
	case w[0] == '-':
		s.q.remove(s.byName[w[1:]])
	case w[0] == 't':
		s.q.insertTail(s.request(t, w, w[1:]))
	case w[0] == 'h':
		s.q.insertHead(s.request(t, w[1:], w[1:]))
	case w == "F":
		r := s.request(t, "F", "0+0")
		r.kind, r.ordered = workloads.Flush, true
		s.q.disksort(r)
	case w[0] == 'o':
		r := s.request(t, w[1:], w[1:])
		r.ordered = true
		s.q.disksort(r)
	default:
		s.sort(s.request(t, w, strings.TrimLeft(w, "abcde")))
	}
}

// sort sorts r in and puts its name in brackets if the limit made it a barrier.
func (s *script) sort(r *request) {
	before := s.q.limited
	s.q.disksort(r)
	if s.q.limited > before {
		s.names[r] = "[" + s.names[r] + "]"
	}
}

func (s *script) request(t *testing.T, name, place string) *request {
	t.Helper()
	off, length, ok := strings.Cut(place, "+")
	if !ok {
		length = "1"
	}
	r := &request{kind: workloads.Write}
	var err1, err2 error
	r.off, err1 = strconv.ParseInt(off, 10, 64)
	r.length, err2 = strconv.ParseInt(length, 10, 64)
	if err1 != nil || err2 != nil {
		t.Fatalf("bad word %q", name)
	}
	s.byName[name], s.names[r] = r, name
	return r
}

func (s *script) take() bool {
	r := s.q.takeFirst()
	if r != nil {
		s.out = append(s.out, s.names[r])
	}
	return r != nil
}

// The worked examples of FreeBSD's bioq.
func TestBioqExamples(t *testing.T) {
	const e1 = "50 10 30 20 40 5 60 drain"
	tests := []struct {
		name  string
		batch int
		words string
		want  string
	}{
		{"E1 no limit", 0, e1, "5 10 20 30 40 50 60"},
		{"E1 negative is no limit", -1, e1, "5 10 20 30 40 50 60"},
		{"E1 128", 128, e1, "5 10 20 30 40 50 60"},
		{"E1 1", 1, e1, "10 50 [30] 40 20 [5] 60"},
		{"E1 4", 4, e1, "10 20 30 40 50 [5] 60"},
		{"E2 wrap behind the elevator", 0, "10 20 30 take 5 15 25 drain", "10 15 20 25 30 5"},
		{"E4 flush", 0, "30 10 F 20 5 take 1 take take 2 drain", "10 30 F 1 2 5 20"},
		{"E4b ordered write", 128, "30 o15 20 5 16 drain", "30 15 16 20 5"},
		{"E5 insert head", 4, "10 20 h90 95 5 drain", "90 95 5 10 20"},
		{"E6 emptying ends a batch", 1, "1 2 take take 3 4 5 drain", "1 2 3 4 [5]"},
		{"E6 not emptied", 1, "1 2 take 3 drain", "1 2 [3]"},
		{"E8 equal offsets wrap", 0, "a10 b10 c10 take d12 e11 drain", "a10 e11 d12 b10 c10"},
		{"equal offsets are first in, first out", 0, "a10 b10 5 c10 drain", "5 a10 b10 c10"},
		{"E10 remove the barrier", 0, "10 t50 60 -t50 20 drain", "10 60 20"},
		{"head after a barrier keeps the elevator", 0, "t50 h90 60 55 drain", "90 t50 55 60"},
		{"overlapping request wraps", 0, "10+8 30 take 17 drain", "10+8 30 17"},
		{"adjoining request goes first", 0, "10+8 30 take 18 drain", "10+8 18 30"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(run(t, tt.batch, tt.words).out, " "); got != tt.want {
				t.Errorf("batch %d: %s\n got %s\nwant %s", tt.batch, tt.words, got, tt.want)
			}
		})
	}
}

// The state that the examples speak of.
func TestBioqState(t *testing.T) {
	tests := []struct {
		name, words string
		lastOff     int64
		point       bool
		batched     int
	}{
		{"E9 a barrier that is taken leaves the elevator", "t100+8 take", 100, false, 0},
		{"a sorted head moves it to its end", "100+8 take", 108, false, 0},
		{"E10 removing the barrier", "10 t50 60 -t50", 50, false, 1},
		{"E4 after the flush left", "30 10 F 20 5 take 1 take take", 0, false, 3},
		{"removing from the middle moves nothing", "10 20 30 -20", 0, false, 3},
		{"head without barrier", "10 h90", 90, false, 0},
		{"head behind barrier", "t50 h90", 50, true, 0},
		{"taking does not lower batched", "10 20 30 take", 11, false, 3},
		{"emptying does", "10 take", 11, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := &run(t, 0, tt.words).q
			if q.lastOff != tt.lastOff || (q.insertPoint != nil) != tt.point || q.batched != tt.batched {
				t.Errorf("last offset %d, barrier %t, batched %d; want %d, %t, %d",
					q.lastOff, q.insertPoint != nil, q.batched, tt.lastOff, tt.point, tt.batched)
			}
		})
	}
}

// A cycle is N+1 sorted insertions and one barrier.
func TestBioqBarrierOrdinals(t *testing.T) {
	tests := []struct {
		batch int
		want  []int
	}{
		{-1, nil}, {0, nil}, {1, []int{3, 6, 9}}, {4, []int{6, 12, 18}}, {128, []int{130, 260, 390}},
	}
	for _, tt := range tests {
		q := bioq{batch: tt.batch}
		var got []int
		for n := 1; n <= 400 && len(got) < 3; n++ {
			before := q.limited
			q.disksort(&request{off: int64(n), length: 1})
			if q.limited > before {
				got = append(got, n)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("batch %d: barriers at %v, want %v", tt.batch, got, tt.want)
		}
	}
}

// E3: a sequential stream with two queued, and one far request.
func TestBioqStarvation(t *testing.T) {
	for _, tt := range []struct{ batch, want int }{{0, 0}, {-5, 0}, {1, 3}, {2, 3}, {4, 5}, {8, 9}, {128, 129}} {
		q := bioq{batch: tt.batch}
		far := &request{off: 1000, length: 1}
		q.disksort(&request{off: 0, length: 1})
		q.disksort(&request{off: 1, length: 1})
		q.disksort(far)
		got := 0
		for n := 1; n <= 400 && got == 0; n++ {
			if q.takeFirst() == far {
				got = n
			}
			q.disksort(&request{off: int64(n + 1), length: 1})
		}
		if got != tt.want {
			t.Errorf("batch %d: the far request was dispatched at %d, want %d (0: never)", tt.batch, got, tt.want)
		}
	}
}

// A request sorted in as the k-th of a batch is overtaken by at most N-k later
// ones, however they are chosen; the queue is never emptied meanwhile.
func TestBioqOvertakingBound(t *testing.T) {
	for _, batch := range []int{1, 2, 4, 8, 128} {
		for k := 0; k <= batch; k++ {
			if got := overtaken(batch, k); got > batch-k {
				t.Errorf("batch %d: sorted in at %d, overtaken by %d, want at most %d", batch, k, got, batch-k)
			}
		}
		if got := overtaken(batch, 0); got != batch {
			t.Errorf("batch %d: the bound is not reached: overtaken by %d", batch, got)
		}
	}
}

// overtaken counts the later insertions that pass a far request which was
// sorted in when batched was k.
func overtaken(batch, k int) int {
	q := bioq{batch: batch}
	far := &request{off: 1 << 40, length: 1}
	for i := range k {
		q.disksort(&request{off: int64(i), length: 1})
	}
	q.disksort(far)
	for i := range 3 * batch {
		q.disksort(&request{off: int64(k + i), length: 1})
	}
	for n := 0; ; n++ {
		if q.takeFirst() == far {
			return n - k
		}
	}
}

func TestBioqCounts(t *testing.T) {
	q := run(t, 1, "1 2 3 F 4 o9 take take 5").q
	if q.sorted != 4 || q.limited != 1 || q.longest != 6 {
		t.Errorf("sorted %d, barriers %d, longest %d; want 4, 1, 6", q.sorted, q.limited, q.longest)
	}
}
