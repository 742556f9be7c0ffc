package workloads

import (
	"encoding/binary"
	"math"
	"testing"
	"time"
)

// fuzzInput reads fuzz input as a sequence of numbers; past the end all are 0.
type fuzzInput struct{ data []byte }

func (f *fuzzInput) word() uint64 {
	var w [8]byte
	n := copy(w[:], f.data)
	f.data = f.data[n:]
	return binary.LittleEndian.Uint64(w[:])
}

// length favours what can be valid: most numbers become a few blocks, most of
// the others a larger part of a target.
func (f *fuzzInput) length() int64 {
	w := f.word()
	switch w % 16 {
	case 0:
		return int64(w >> 1)
	case 1, 2, 3:
		return int64(w >> 4 % 65536 * 4096)
	}
	return 512 << (w >> 4 % 8)
}

func (f *fuzzInput) share() float64 {
	w := f.word()
	if w%16 > 0 {
		return float64(w>>4%101) / 100
	}
	return math.Float64frombits(w)
}

// span returns two lengths, the greater one mostly last.
func (f *fuzzInput) span() SizeRange {
	r := SizeRange{Min: f.length(), Max: f.length()}
	if f.word()%16 > 0 {
		r.Min, r.Max = min(r.Min, r.Max), max(r.Min, r.Max)
	}
	if f.flag() {
		r.Align = f.length()
	}
	return r
}

// flag spares a field: seven of eight stay 0, so that many specs are valid.
func (f *fuzzInput) flag() bool {
	if len(f.data) == 0 {
		return false
	}
	b := f.data[0]
	f.data = f.data[1:]
	return b%8 == 1
}

func (f *fuzzInput) spec() (Spec, Geometry) {
	g := Geometry{f.length() << (f.word() % 24), 512 << (f.word() % 16 / 12)}
	s := Spec{Depth: int(f.word() % 40)}
	for range f.word() % 4 {
		s.Sizes = append(s.Sizes, SizeShare{f.length(), f.share()})
	}
	for _, field := range []func(){
		func() { s.Uniform = f.span() },
		func() { s.Mix = Mix{f.share(), f.share(), f.share()} },
		func() { s.Access.Random = f.share() },
		func() { s.Access.StopAtEnd = true },
		func() { s.Access.RandomStart = true },
		func() { s.Access.PoissonMid = f.share() },
		func() { s.Region.Offset, s.Region.Length = f.length(), f.length() },
		func() { s.Region.From, s.Region.To = f.share(), f.share() },
		func() { s.HotBand = Band{f.share(), f.share()} },
		func() { s.Hit = Hit{f.length(), f.share(), f.share()} },
		func() { s.Stride = f.span() },
		func() { s.Streams = int(f.word() % 70000 >> (f.word() % 17)) },
		func() { s.AlignBytes = f.length() },
		func() { s.Rate = f.share() * 1000 },
		func() { s.Arrivals = Arrivals(f.word() % 5) },
		func() { s.Think = time.Duration(f.length()) },
		func() { s.Burst = Burst{int(f.word() % 20), time.Duration(f.length()), time.Duration(f.length())} },
		func() { s.Whole = true },
	} {
		if f.flag() {
			field()
		}
	}
	return s, g
}

// FuzzStream checks that no spec makes Validate or NewStream panic, and that
// what they accept stays on blocks inside the region, in order of due time.
func FuzzStream(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x10\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x02"))
	rng := newDraw(1, 1)
	for range 400 {
		seed := make([]byte, 512)
		for i := range seed {
			seed[i] = byte(rng.Uint64())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &fuzzInput{data}
		s, g := in.spec()
		s.Summary()
		st, err := NewStream(s, g, 1)
		if err != nil {
			return
		}
		l, err := s.place(g)
		if err != nil {
			t.Fatalf("NewStream takes what place refuses: %v", err)
		}
		back, _ := st.(Feedback)
		last := time.Duration(0)
		var op Op
		for i := 0; i < 200 && st.Next(&op); i++ {
			checkOp(t, s, l, op)
			if n := s.Granule(g); (op.Off-l.region.begin)%n != 0 || op.Len%n != 0 {
				t.Fatalf("%+v is not on granules of %d: %+v", op, n, s)
			}
			if (back == nil && op.At < last) || (s.Rate > 0 && op.At == 0) {
				t.Fatalf("due at %d after %d: %+v", op.At, last, s)
			}
			if last = op.At; back != nil {
				back.Completed(op, op.At+1)
			}
		}
	})
}

func checkOp(t *testing.T, s Spec, l layout, op Op) {
	t.Helper()
	switch {
	case op.Off < l.region.begin || op.Off+op.Len > l.region.end || op.Len <= 0:
		t.Fatalf("%+v outside %+v of %+v", op, l.region, s)
	case op.Off%l.block != 0 || op.Len%l.block != 0:
		t.Fatalf("%+v is not on blocks of %d: %+v", op, l.block, s)
	case (op.Off-l.region.begin)%l.align != 0:
		t.Fatalf("%+v is not aligned to %d: %+v", op, l.align, s)
	case op.Kind > Delete:
		t.Fatalf("%+v has no kind of the mix", op)
	}
}
