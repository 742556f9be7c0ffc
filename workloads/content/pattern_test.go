package content

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/iosweep/iosweep/workloads"
)

// fillBy returns size bytes from off as operations of opBytes fill them.
func fillBy(p *Pattern, off, size, opBytes int64) []byte {
	buf := make([]byte, size)
	for at := int64(0); at < size; at += opBytes {
		p.Fill(workloads.Op{Off: off + at, Len: opBytes, Kind: workloads.Write}, buf[at:at+opBytes])
	}
	return buf
}

func TestContentDoesNotDependOnOperationSize(t *testing.T) {
	for _, d := range []workloads.Data{{}, {CompressRatio: 3}, {DedupRatio: 2, DedupUnit: 8192}, {CompressRatio: 1.7, DedupRatio: 3.5}} {
		p := NewPattern(d, 5)
		want := fillBy(p, 1<<20, 1<<20, 1<<20)
		for _, opBytes := range []int64{512, 1024, 4096, 64 << 10} {
			if !bytes.Equal(fillBy(p, 1<<20, 1<<20, opBytes), want) {
				t.Errorf("%+v: operations of %d bytes write other content", d, opBytes)
			}
		}
	}
}

func TestPartOfAWord(t *testing.T) {
	p := NewPattern(workloads.Data{}, 5)
	whole := make([]byte, 64)
	p.fill(4096, 0, whole)
	for from := range 24 {
		part := make([]byte, 24)
		p.fill(4096+int64(from), 0, part)
		if !bytes.Equal(part, whole[from:from+24]) {
			t.Fatalf("from byte %d: other content", from)
		}
	}
}

func TestContentNeverChanges(t *testing.T) {
	sum := sha256.Sum256(fillBy(NewPattern(workloads.Data{CompressRatio: 2}, 42), 1<<40, 1<<16, 4096))
	const want = "2d2fc70aa6d1c3ce"
	if got := hex.EncodeToString(sum[:8]); got != want {
		t.Errorf("content of seed 42 at 1 TiB hashes to %s, want %s", got, want)
	}
}

func compressed(t *testing.T, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func TestCompressRatio(t *testing.T) {
	for _, ratio := range []float64{1, 1.5, 2, 4, 10} {
		t.Run(fmt.Sprint(ratio), func(t *testing.T) {
			data := fillBy(NewPattern(workloads.Data{CompressRatio: ratio}, 1), 0, 1<<20, 64<<10)
			got := float64(len(data)) / float64(compressed(t, data))
			if got < 0.95*ratio || got > 1.05*ratio {
				t.Errorf("deflate reaches %.3f, want %g", got, ratio)
			}
		})
	}
}

func TestDedupRatio(t *testing.T) {
	const units = 1500
	for _, unit := range []int64{4096, 12288} {
		for _, ratio := range []float64{1, 1.5, 2, 5} {
			p := NewPattern(workloads.Data{DedupRatio: ratio, DedupUnit: unit}, 1)
			data := fillBy(p, 0, unit*units, 4096)
			unique := map[[32]byte]bool{}
			for at := int64(0); at < unit*units; at += unit {
				unique[sha256.Sum256(data[at:at+unit])] = true
			}
			if got := float64(units) / float64(len(unique)); got < 0.99*ratio || got > 1.01*ratio {
				t.Errorf("units of %d: total over unique %.3f, want %g", unit, got, ratio)
			}
			if again := fillBy(p, 0, unit*units, 4096); !bytes.Equal(data, again) {
				t.Errorf("units of %d: a rewrite changes deduplicated content", unit)
			}
		}
	}
}

func TestSeedsAndGenerationsDiffer(t *testing.T) {
	seen := map[[32]byte]bool{}
	for seed := range uint64(8) {
		p := NewPattern(workloads.Data{}, seed)
		for generation := range uint32(8) {
			for off := range int64(8) {
				buf := make([]byte, 4096)
				p.fill(off*4096, generation, buf)
				seen[sha256.Sum256(buf)] = true
			}
		}
	}
	if len(seen) != 512 {
		t.Errorf("%d different blocks of 512", len(seen))
	}
}

func BenchmarkFill(b *testing.B) {
	buf := make([]byte, 4096)
	op := workloads.Op{Len: 4096, Kind: workloads.Write}
	p := NewPattern(workloads.Data{}, 1)
	s, err := NewStamps(Options{Device: "d", Length: 1 << 20, BlockBytes: 4096})
	if err != nil {
		b.Fatal(err)
	}
	for name, fill := range map[string]func(workloads.Op, []byte){"pattern": p.Fill, "stamped": s.Fill} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4096)
			b.ReportAllocs()
			for b.Loop() {
				fill(op, buf)
			}
		})
	}
	b.Run("check", func(b *testing.B) {
		b.SetBytes(4096)
		b.ReportAllocs()
		s.Fill(op, buf)
		for b.Loop() {
			if err := s.Check(op, buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}
