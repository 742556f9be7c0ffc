package portable

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/iosweep/iosweep/internal/units"
)

// pageBytes is the least alignment of buffers: what direct I/O needs on every
// device with blocks of up to 4096 bytes.
const pageBytes = 4096

// layOutBuffers gives each slot its part of one arena. Pages are taken from
// the system when they are first touched, so a queue that only writes constant
// data costs no more than its pattern.
func (q *queue) layOutBuffers() error {
	align := max(pageBytes, q.target.BlockBytes)
	stride := (q.options.MaxLen + align - 1) / align * align
	slots := int64(len(q.slots))
	if stride > (math.MaxInt-align)/(slots+1)-1 {
		return fmt.Errorf("%d buffers of %s are more than can be addressed: lower the depth or the size", slots, units.FormatBytes(stride))
	}
	arena, err := q.mapArena(stride*(slots+1), align) // one more for the pattern
	if err != nil {
		return fmt.Errorf("get %d buffers of %s: %w: lower the depth or the size", slots, units.FormatBytes(stride), err)
	}
	for i := range q.slots {
		off := stride * int64(i)
		q.slots[i].buf = arena[off : off+stride : off+stride]
		q.free = append(q.free, &q.slots[i])
	}
	if q.options.Data == nil {
		q.pattern = arena[stride*slots:]
		fillPattern(q.pattern)
	}
	return nil
}

// mapArena returns size bytes at an address that is a multiple of align, which
// is the system's pages' at least.
func (q *queue) mapArena(size, align int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	b, free, err := mapMemory(int(size + align))
	if err != nil {
		return nil, err
	}
	q.unmap = free
	skip := -int64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (align - 1)
	return b[skip : skip+size : skip+size], nil
}

// freeBuffers gives the memory back, once nothing is outstanding.
func (q *queue) freeBuffers() error {
	if q.unmap == nil {
		return nil
	}
	return q.unmap()
}

// fillPattern writes the bytes that every queue's writes carry when nobody
// supplies content: incompressible, and the same in every run.
func fillPattern(b []byte) {
	r := rand.NewChaCha8([32]byte([]byte("iosweep's constant write pattern")))
	r.Read(b) // never fails
}
