package uring

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	pageBytes = 4096
	hugeBytes = 2 << 20
)

// buffers is one mapping that holds every slot's buffer. It lies in huge pages
// where the kernel gives them: a large transfer is then one segment, not one
// for each 4 KiB.
type buffers struct {
	mapping []byte
	memory  []byte // aligned part of mapping
	stride  int    // from one slot's buffer to the next
	perReg  int    // slots per registered buffer; 0: not registered
}

// newBuffers maps buffers of size bytes for n slots; size 0 maps none.
func newBuffers(n int, size int64) (*buffers, error) {
	b := &buffers{stride: int((size + pageBytes - 1) / pageBytes * pageBytes)}
	if size == 0 {
		return b, nil
	}
	total := n * b.stride
	m, err := unix.Mmap(-1, 0, total+2*hugeBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("map %d buffers of %d bytes: %w", n, b.stride, err)
	}
	skip := int(-uintptr(unsafe.Pointer(&m[0])) & (hugeBytes - 1))
	b.mapping, b.memory = m, m[skip:skip+total]
	whole := m[skip : skip+(total+hugeBytes-1)/hugeBytes*hugeBytes]
	// Without huge pages it works as well, only slower.
	_ = unix.Madvise(whole, unix.MADV_HUGEPAGE)
	return b, nil
}

// scramble fills the buffers with bytes that neither compress nor repeat.
func (b *buffers) scramble(seed uint64) {
	if len(b.memory) == 0 {
		return
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&b.memory[0])), len(b.memory)/8)
	x := seed | 1
	for i := range words {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		words[i] = x
	}
}

// slot returns the buffer of slot s.
func (b *buffers) slot(s uint32) []byte {
	at := int(s) * b.stride
	return b.memory[at : at+b.stride : at+b.stride]
}

func (b *buffers) addr(s uint32) uint64 {
	return uint64(uintptr(unsafe.Pointer(&b.memory[int(s)*b.stride])))
}

// register pins the buffers. Where the kernel refuses (the locked-memory limit
// of an ordinary user, say) the queue uses them unregistered.
func (b *buffers) register(r *ring) {
	if len(b.memory) == 0 || b.stride > maxBuffer {
		return
	}
	per := maxBuffer / b.stride
	var regions []unix.Iovec
	for rest := b.memory; len(rest) > 0; {
		n := min(len(rest), per*b.stride)
		v := unix.Iovec{Base: &rest[0]}
		v.SetLen(n)
		regions = append(regions, v)
		rest = rest[n:]
	}
	if len(regions) > maxBuffers {
		return
	}
	if _, err := r.register(registerBuffers, unsafe.Pointer(&regions[0]), len(regions)); err == nil {
		b.perReg = per
	}
}

func (b *buffers) free() error {
	if b.mapping == nil {
		return nil
	}
	if err := unix.Munmap(b.mapping); err != nil {
		return fmt.Errorf("unmap buffers: %w", err)
	}
	return nil
}
