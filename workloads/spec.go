package workloads

import "time"

// Spec describes one job of a workload. Its vocabulary is vdbench's raw
// language; every field's zero value is the plain case (random-free sequential
// reads of 4 KiB over the whole target).
type Spec struct {
	// Name identifies the job within its workload.
	Name string
	// Sizes lists transfer sizes and their shares; empty means 4 KiB.
	Sizes []SizeShare
	// Uniform, when Max is above 0, draws sizes uniformly instead.
	Uniform SizeRange
	// Mix is the share of each kind of operation. All zero means reads only.
	Mix Mix
	// Access is the order of addresses.
	Access Access
	// Region is the part of the target used; the zero value is all of it.
	Region Region
	// HotBand, when High is above 0, draws random addresses from a band of the
	// region; Low and High are shares (0 to 1) of the region. The distribution
	// is triangular: the middle of the band is accessed most, its ends hardly.
	HotBand Band
	// Hit is the cache-hit area at the start of the region.
	Hit Hit
	// Stride, when Max is above 0, moves forward from the start of an operation
	// by a uniform distance instead of to its end.
	Stride SizeRange
	// Streams divides the region into this many equal parts, each with a
	// sequential cursor of its own; operations go to them in turn. 0 and 1 mean
	// one.
	Streams int
	// AlignBytes aligns addresses, counted from the region's start; 0 means the
	// transfer size when all sizes are equal, else the target's logical block.
	AlignBytes int64
	// Depth is how many operations the job keeps outstanding in a closed loop,
	// and the most it may have outstanding in an open loop.
	Depth int
	// Rate is the offered rate in operations per second; 0 means a closed loop.
	Rate float64
	// Arrivals spaces the operations of an open loop.
	Arrivals Arrivals
	// Think is the mean pause between a completion and the next operation of
	// the same slot, exponentially distributed; 0 means none. The operation is
	// due when the pause ends. With Burst it is the pause before the next group.
	Think time.Duration
	// Burst, when Ops is above 0, groups the job's closed loop: see Burst.
	Burst Burst
	// Data describes the content of writes.
	Data Data
	// Whole, for deletes, asks for one operation over the whole region at a
	// time; sizes are then ignored.
	Whole bool
}

// SizeShare is one transfer size in bytes and its share (weights are
// normalised, so percentages will do; all zero means all equal).
type SizeShare struct {
	Bytes int64
	Share float64
}

// SizeRange is a uniform range of bytes, both ends included, in multiples of
// Align (0: the target's logical block).
type SizeRange struct{ Min, Max, Align int64 }

// Mix holds the share of each kind; weights are normalised. Deletes have the
// same sizes as reads and writes.
type Mix struct{ Read, Write, Delete float64 }

// Access is the order of addresses.
type Access struct {
	// Random is the share (0 to 1) of operations that seek to a uniform random
	// address; the others go on where the previous operation ended. Each
	// operation is an independent draw, so the mean sequential run is
	// 1/Random operations.
	Random float64
	// StopAtEnd ends a sequential stream at the end of the region instead of
	// wrapping (vdbench's seekpct=eof).
	StopAtEnd bool
	// RandomStart begins a sequential stream at a random address (seqnz).
	RandomStart bool
	// PoissonMid, when above 0, draws every address from a Poisson distribution
	// whose mean is this share (0 to 1) of the region, in steps of a hundredth
	// of it, cut off at the region's end. Random is then ignored.
	PoissonMid float64
}

// Region is a part of the target. Bytes are used where Length is above 0, or
// from Offset to the target's end where only that is; else shares (0 to 1)
// where To is above 0, rounded inwards to the alignment; else the whole target.
type Region struct {
	Offset, Length int64
	From, To       float64
}

// Band is a pair of shares (0 to 1) of the region.
type Band struct{ Low, High float64 }

// Hit is an area at the start of the region that a share (0 to 1) of the reads
// and writes go to, at uniform random addresses, so that they hit a cache. All
// other operations stay out of it. Without shares there is no such area.
type Hit struct {
	AreaBytes   int64
	Read, Write float64
}

// Arrivals is how the operations of an open loop are spaced.
type Arrivals uint8

// The ways to space operations.
const (
	Exponential   Arrivals = iota // a Poisson process
	UniformSpaced                 // gaps uniform between 0 and twice the mean
	Deterministic                 // equal gaps
)

// Burst makes a closed loop issue its operations in groups: Ops operations are
// due together, and the next group when all of the one before are done. The
// groups outstanding at once are Depth/Ops. With Pause above 0 the job stops
// for Pause after each Run of activity, by the clock since the job began: a
// group that would begin in a pause begins at its end.
type Burst struct {
	Ops   int
	Run   time.Duration
	Pause time.Duration
}

// Data describes the content of written blocks.
type Data struct {
	// CompressRatio is the ratio a perfect compressor would reach; 0 and 1 mean
	// incompressible.
	CompressRatio float64
	// DedupRatio is total over unique blocks; 0 and 1 mean all unique.
	DedupRatio float64
	// DedupUnit is the block in bytes that a deduplicator compares, a multiple
	// of 4 KiB; 0: 128 KiB.
	DedupUnit int64
}

// Geometry is what a stream must know of its target.
type Geometry struct {
	// SizeBytes is the target's size, BlockBytes its logical block.
	SizeBytes, BlockBytes int64
}
