package workloads

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidateRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	random := Access{Random: 1}
	for _, c := range []struct {
		name string
		spec Spec
		says string
	}{
		{"size 0", Spec{Sizes: []SizeShare{{0, 1}}}, "size 0 bytes"},
		{"size 0 for a delete", Spec{Sizes: []SizeShare{{0, 1}}, Mix: Mix{Delete: 1}}, "use whole"},
		{"negative size", Spec{Sizes: []SizeShare{{-4096, 1}}}, "size -4096"},
		{"huge size", Spec{Sizes: []SizeShare{{math.MaxInt64, 1}}}, "size 9223372036854775807"},
		{"negative size share", Spec{Sizes: []SizeShare{{4096, -1}}}, "share -1 in sizes"},
		{"size share NaN", Spec{Sizes: []SizeShare{{4096, nan}}}, "share NaN in sizes"},
		{"size shares add up to infinity", Spec{Sizes: []SizeShare{{4096, math.MaxFloat64}, {512, math.MaxFloat64}}}, "do not add up"},
		{"sizes twice", Spec{Sizes: []SizeShare{{4096, 1}}, Uniform: SizeRange{Min: 512, Max: 1024}}, "keep one"},
		{"uniform reversed", Spec{Uniform: SizeRange{Min: 8192, Max: 4096}}, "uniform 8192 to 4096"},
		{"uniform from 0", Spec{Uniform: SizeRange{Max: 4096}}, "uniform 0 to 4096"},
		{"uniform between its multiples", Spec{Uniform: SizeRange{Min: 4096, Max: 6144, Align: 4096}}, "multiples of its alignment"},
		{"mix NaN", Spec{Mix: Mix{Read: nan}}, "share NaN in mix"},
		{"mix negative", Spec{Mix: Mix{Read: 2, Write: -1}}, "share -1 in mix"},
		{"mix infinite", Spec{Mix: Mix{Read: inf}}, "share +Inf in mix"},
		{"random above 1", Spec{Access: Access{Random: 20}}, "random 20: a share is between 0 and 1"},
		{"random NaN", Spec{Access: Access{Random: nan}}, "random NaN"},
		{"poisson above 1", Spec{Access: Access{PoissonMid: 3}}, "poisson midpoint 3"},
		{"eof with random", Spec{Access: Access{Random: 0.5, StopAtEnd: true}}, "stop at end"},
		{"band reversed", Spec{Access: random, HotBand: Band{0.6, 0.4}}, "hot band 0.6 to 0.4"},
		{"band without random", Spec{HotBand: Band{0.1, 0.4}}, "hot band with sequential"},
		{"band and poisson", Spec{Access: Access{PoissonMid: 0.5}, HotBand: Band{0.1, 0.4}}, "keep one"},
		{"negative offset", Spec{Region: Region{Offset: -512}}, "region offset -512"},
		{"region twice", Spec{Region: Region{Length: 4096, To: 0.5}}, "keep one"},
		{"region without end", Spec{Region: Region{From: 0.5}}, "region from 0.5 to 0"},
		{"negative alignment", Spec{AlignBytes: -512}, "align -512"},
		{"hits without area", Spec{Hit: Hit{Read: 0.5}}, "hit area 0 bytes"},
		{"hits above 1", Spec{Hit: Hit{AreaBytes: 4096, Read: 50}}, "read hits 50"},
		{"streams with random", Spec{Access: random, Streams: 4}, "4 streams with random"},
		{"negative streams", Spec{Streams: -1}, "streams -1"},
		{"too many streams", Spec{Streams: math.MaxInt32}, "at most 65536"},
		{"stride from 0", Spec{Stride: SizeRange{Max: 4096}}, "stride 0 to 4096"},
		{"rate below 0", Spec{Rate: -1}, "rate -1 per second"},
		{"rate NaN", Spec{Rate: nan}, "rate NaN"},
		{"rate infinite", Spec{Rate: inf}, "rate +Inf"},
		{"rate too small", Spec{Rate: 1e-300}, "rate 1e-300"},
		{"unknown arrivals", Spec{Arrivals: 9}, "arrivals 9"},
		{"think below 0", Spec{Think: -1}, "think time -1ns"},
		{"think beyond reason", Spec{Think: math.MaxInt64}, "at most 1000 h"},
		{"think in an open loop", Spec{Rate: 1, Think: time.Second}, "open loop"},
		{"depth below 0", Spec{Depth: -1}, "depth -1"},
		{"burst above depth", Spec{Depth: 4, Burst: Burst{Ops: 8}}, "burst of 8 operations at depth 4"},
		{"burst in an open loop", Spec{Rate: 1, Burst: Burst{Ops: 1}}, "open loop"},
		{"pause without ops", Spec{Burst: Burst{Pause: 1}}, "burst of 0"},
		{"pause without run", Spec{Burst: Burst{Ops: 1, Pause: 1}}, "without run"},
		{"negative run", Spec{Burst: Burst{Ops: 1, Run: -1}}, "burst run"},
		{"whole reads", Spec{Whole: true, Mix: Mix{Read: 1, Delete: 1}}, "whole with reads"},
		{"whole without deletes", Spec{Whole: true}, "whole without deletes"},
		{"compression below 1", Spec{Data: Data{CompressRatio: 0.5}}, "data ratio 0.5"},
		{"dedup NaN", Spec{Data: Data{DedupRatio: nan}}, "data ratio NaN"},
		{"dedup unit", Spec{Data: Data{DedupUnit: 512}}, "dedup unit 512"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.Name = "job"
			for _, g := range []Geometry{{}, {tib, 512}} {
				err := c.spec.Validate(g)
				if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"job"`) {
					t.Errorf("on %+v: got %v, want it to say %q", g, err, c.says)
				}
				if errors.Is(err, ErrMisfit) {
					t.Errorf("on %+v: %v is a misfit, but is wrong on every target", g, err)
				}
			}
			if _, err := NewStream(c.spec, Geometry{tib, 512}, 1); err == nil {
				t.Error("NewStream takes it")
			}
		})
	}
}

func TestMisfits(t *testing.T) {
	random := Access{Random: 1}
	for _, c := range []struct {
		name string
		spec Spec
		g    Geometry
		says string
	}{
		{"512-byte transfers on 4 KiB sectors", Spec{Sizes: []SizeShare{{512, 1}}}, Geometry{gib, 4096}, "size 512 bytes is no multiple of the logical block, 4096"},
		{"uniform sizes", Spec{Uniform: SizeRange{Min: 512, Max: 8192}}, Geometry{gib, 4096}, "size 512"},
		{"offset", Spec{Region: Region{Offset: 512}}, Geometry{gib, 4096}, "region offset 512"},
		{"length", Spec{Region: Region{Length: 8704}}, Geometry{gib, 4096}, "region length 8704"},
		{"alignment", Spec{AlignBytes: 512}, Geometry{gib, 4096}, "align 512"},
		{"stride", Spec{Stride: SizeRange{Min: 512, Max: 4096}}, Geometry{gib, 4096}, "stride 512"},
		{"whole on an odd offset", Spec{Whole: true, Mix: Mix{Delete: 1}, Region: Region{Offset: 512}}, Geometry{gib, 4096}, "region offset 512"},
		{"region smaller than the transfer", Spec{Region: Region{Length: 2048}}, Geometry{gib, 512}, "region of 2048 bytes does not hold"},
		{"region beyond the end", Spec{Region: Region{Offset: gib, Length: 4096}}, Geometry{gib, 512}, "beyond the target"},
		{"region past every end", Spec{Region: Region{Offset: maxBytes, Length: maxBytes}}, Geometry{gib, 512}, "beyond the target"},
		{"offset beyond the end", Spec{Region: Region{Offset: 2 * gib}}, Geometry{gib, 512}, "beyond the target"},
		{"target of nothing", Spec{}, Geometry{0, 512}, "target size 0"},
		{"target smaller than a block", Spec{Whole: true, Mix: Mix{Delete: 1}}, Geometry{100, 512}, "region of 0 bytes"},
		{"hit area fills the region", Spec{Hit: Hit{AreaBytes: gib, Read: 1}}, Geometry{gib, 512}, "region beyond the hit area of 0"},
		{"hit area smaller than a transfer", Spec{Sizes: []SizeShare{{512, 1}, {8192, 1}}, Hit: Hit{AreaBytes: 4096, Read: 1}}, Geometry{gib, 512}, "hit area of 4096"},
		{"narrow band", Spec{Access: random, HotBand: Band{0.5, 0.5000001}}, Geometry{gib, 512}, "hot band of"},
		{"narrow streams", Spec{Streams: 1024}, Geometry{mib, 512}, "each stream's share of 0"},
		{"stride longer than the region", Spec{Stride: SizeRange{Min: 4096, Max: 2 * mib}}, Geometry{mib, 512}, "longer than the region"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.spec.Validate(c.g)
			if !errors.Is(err, ErrMisfit) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want a misfit that says %q", err, c.says)
			}
			if n := c.spec.Bytes(c.g); n != 0 {
				t.Errorf("Bytes = %d for what does not fit", n)
			}
		})
	}
}

func TestZeroGeometryFindsWhatFitsNowhere(t *testing.T) {
	err := Spec{Sizes: []SizeShare{{4000, 1}}}.Validate(Geometry{})
	if err == nil || !strings.Contains(err.Error(), "4000") {
		t.Errorf("a transfer of 4000 bytes: %v", err)
	}
	if err := (Spec{Region: Region{Offset: 1 << 50}}).Validate(Geometry{}); err != nil {
		t.Errorf("an offset that a large target has: %v", err)
	}
}

func TestSpecProperties(t *testing.T) {
	g := Geometry{gib, 512}
	for _, c := range []struct {
		name            string
		spec            Spec
		maxLen, bytes   int64
		writes, deletes bool
		summary         string
	}{
		{"zero", Spec{}, 4096, gib, false, false, "sequential 4 KiB reads, depth 1"},
		{"random", Spec{Access: Access{Random: 1}, Depth: 32}, 4096, gib, false, false, "random 4 KiB reads, depth 32"},
		{"mix", Spec{Access: Access{Random: 0.2}, Mix: Mix{70, 30, 0}, Sizes: []SizeShare{{4096, 1}, {mib, 1}}, Rate: 1500},
			mib, gib, true, false, "20 % random 4 KiB to 1 MiB, 70 % reads / 30 % writes, 1500/s"},
		{"deletes", Spec{Mix: Mix{Delete: 1}, Sizes: []SizeShare{{64 * mib, 1}}, Region: Region{To: 0.5}},
			0, gib / 2, false, true, "sequential 64 MiB deletes, depth 1"},
		{"whole", Spec{Whole: true, Mix: Mix{Delete: 1}}, 0, gib, false, true, "deletes of the whole region, depth 1"},
		{"scrub", Spec{Sizes: []SizeShare{{128 * kib, 1}}, Depth: 16, Burst: Burst{Ops: 8}}, 128 * kib, gib, false, false,
			"sequential 128 KiB reads, depth 16, bursts of 8"},
		{"sparse", Spec{Access: Access{Random: 1}, Think: time.Second}, 4096, gib, false, false, "random 4 KiB reads, depth 1, think 1s"},
		{"band", Spec{Access: Access{Random: 1}, HotBand: Band{0, 0.1}, Mix: Mix{Write: 1}}, 4096, gib, true, false, "hot-band random 4 KiB writes, depth 1"},
		{"odd", Spec{Sizes: []SizeShare{{1536, 1}}, Access: Access{PoissonMid: 0.5}}, 1536, gib, false, false, "Poisson-distributed 1536 B reads, depth 1"},
		{"strided", Spec{Stride: SizeRange{Min: mib, Max: mib}, Region: Region{Offset: mib}}, 4096, gib - mib, false, false, "strided 4 KiB reads, depth 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.spec
			if err := s.Validate(g); err != nil {
				t.Fatal(err)
			}
			if s.MaxLen(g) != c.maxLen || s.Bytes(g) != c.bytes {
				t.Errorf("MaxLen %d, Bytes %d, want %d, %d", s.MaxLen(g), s.Bytes(g), c.maxLen, c.bytes)
			}
			if s.Writes() != c.writes || s.Deletes() != c.deletes {
				t.Errorf("Writes %v, Deletes %v", s.Writes(), s.Deletes())
			}
			if got := s.Summary(); got != c.summary {
				t.Errorf("Summary %q, want %q", got, c.summary)
			}
		})
	}
}

func TestGranule(t *testing.T) {
	for _, c := range []struct {
		name string
		spec Spec
		want int64
	}{
		{"one size", Spec{Sizes: []SizeShare{{64 * kib, 1}}}, 64 * kib},
		{"mix on blocks", Spec{Sizes: []SizeShare{{4 * kib, 1}, {64 * kib, 1}}}, 512},
		{"mix aligned", Spec{Sizes: []SizeShare{{4 * kib, 1}, {64 * kib, 1}}, AlignBytes: 8 * kib}, 4 * kib},
		{"uniform", Spec{Uniform: SizeRange{8 * kib, 32 * kib, 8 * kib}, AlignBytes: 16 * kib}, 8 * kib},
		{"whole", Spec{Whole: true, Mix: Mix{Delete: 1}}, gib},
		{"misfit", Spec{Region: Region{Length: 512}}, 0},
	} {
		if got := c.spec.Granule(Geometry{gib, 512}); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
