package workloads

import "time"

// grouped is a closed loop whose operations wait for earlier ones: in groups
// that begin when another is all done (Burst), after a pause (Think), or both.
// A job that only thinks has groups of one operation.
//
// Each group of several has a due time of its own, a nanosecond apart if need
// be; that is how completions find their group again.
type grouped struct {
	ops   Stream
	size  int // operations of a group
	burst Burst
	think float64 // mean, in nanoseconds
	draw  draw

	waiting []time.Duration // a heap: when each group that has ended begins anew
	running []group
	due     time.Duration // of the group being issued
	left    int           // of its operations still to issue
}

// group is one whose operations are not all done.
type group struct {
	due  time.Duration
	left int
}

func newGrouped(ops Stream, s Spec, seed uint64) *grouped {
	size := max(s.Burst.Ops, 1)
	n := max(s.Depth, 1) / size
	return &grouped{
		ops: ops, size: size, burst: s.Burst,
		think: float64(s.Think), draw: newDraw(seed, forThink),
		waiting: make([]time.Duration, n, n+1),
		running: make([]group, 0, n+1),
	}
}

// Next implements Stream. It returns false while no group may begin.
func (g *grouped) Next(op *Op) bool {
	if (g.left == 0 && len(g.waiting) == 0) || !g.ops.Next(op) {
		return false
	}
	if g.left == 0 {
		g.begin()
	}
	g.left--
	op.At = g.due
	return true
}

func (g *grouped) begin() {
	g.due, g.left = popLeast(&g.waiting), g.size
	if g.size == 1 {
		return
	}
	for g.isRunning(g.due) {
		g.due++
	}
	g.running = append(g.running, group{g.due, g.size})
}

func (g *grouped) isRunning(due time.Duration) bool {
	for _, run := range g.running {
		if run.due == due {
			return true
		}
	}
	return false
}

// Completed implements Feedback.
func (g *grouped) Completed(op Op, at time.Duration) {
	if g.size == 1 {
		g.end(at)
		return
	}
	for i := range g.running {
		run := &g.running[i]
		if run.due != op.At {
			continue
		}
		if run.left--; run.left == 0 {
			*run = g.running[len(g.running)-1]
			g.running = g.running[:len(g.running)-1]
			g.end(at)
		}
		return
	}
}

// end lets a group that was done at that time begin anew.
func (g *grouped) end(at time.Duration) {
	if g.think > 0 {
		at += time.Duration(g.think * exponential(&g.draw))
	}
	push(&g.waiting, g.burst.hold(at))
}

// hold moves a time that falls into a pause to the pause's end. Activity and
// pauses alternate from the job's beginning, whatever the target's speed.
func (b Burst) hold(at time.Duration) time.Duration {
	if b.Pause == 0 {
		return at
	}
	if within := at % (b.Run + b.Pause); within >= b.Run {
		return at - within + b.Run + b.Pause
	}
	return at
}

// push adds a time to a heap whose least element is the first. container/heap
// would allocate for each.
func push(heap *[]time.Duration, t time.Duration) {
	h := append(*heap, t)
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent] <= h[i] {
			break
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
	*heap = h
}

// popLeast removes and returns the least element of a heap that has one.
func popLeast(heap *[]time.Duration) time.Duration {
	h := *heap
	least, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	for i := 0; 2*i+1 < n; {
		child := 2*i + 1
		if child+1 < n && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*heap = h
	return least
}
