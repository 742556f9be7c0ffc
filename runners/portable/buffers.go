package portable

import (
	"math/rand/v2"
	"unsafe"
)

// pageBytes is the least alignment of buffers: what direct I/O needs on every
// device with blocks of up to 4096 bytes.
const pageBytes = 4096

// layOutBuffers gives each slot its part of one arena. Pages are taken from
// the system when they are first touched, so a queue that only writes constant
// data costs no more than its pattern.
func (q *queue) layOutBuffers() {
	align := max(pageBytes, q.target.BlockBytes)
	stride := (q.options.MaxLen + align - 1) / align * align
	arena := aligned(stride*int64(len(q.slots)), align)
	for i := range q.slots {
		off := stride * int64(i)
		q.slots[i].buf = arena[off : off+stride : off+stride]
		q.free = append(q.free, &q.slots[i])
	}
	if q.options.Data == nil {
		q.pattern = aligned(stride, align)
		fillPattern(q.pattern)
	}
}

// aligned returns size bytes at an address that is a multiple of align.
func aligned(size, align int64) []byte {
	b := make([]byte, size+align)
	skip := -int64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (align - 1)
	return b[skip : skip+size : skip+size]
}

// fillPattern writes the bytes that every queue's writes carry when nobody
// supplies content: incompressible, and the same in every run.
func fillPattern(b []byte) {
	r := rand.NewChaCha8([32]byte([]byte("iosweep's constant write pattern")))
	r.Read(b) // never fails
}
