package stack

// fifo is a ring of slot numbers that never grows.
type fifo struct {
	ring    []int32
	head, n int
}

func newFifo(capacity int) fifo { return fifo{ring: make([]int32, capacity)} }

// push appends i; the caller never holds more numbers than the capacity.
func (f *fifo) push(i int32) {
	f.ring[(f.head+f.n)%len(f.ring)] = i
	f.n++
}

// front returns the oldest number; the fifo is not empty.
func (f *fifo) front() int32 { return f.ring[f.head] }

func (f *fifo) pop() int32 {
	i := f.ring[f.head]
	f.head = (f.head + 1) % len(f.ring)
	f.n--
	return i
}
