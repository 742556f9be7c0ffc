package workloads

import (
	"slices"
	"testing"
	"time"
)

// finished is an operation in flight and when it will be done.
type finished struct {
	op Op
	at time.Duration
}

// pump drives a stream as runners.Drive does, on a target where operation i
// takes service(i), until a time. It returns what was issued, in order.
func pump(t *testing.T, st Stream, depth int, end time.Duration, service func(i int) time.Duration) []Op {
	t.Helper()
	back := st.(Feedback)
	var issued, held []Op
	var flying []finished
	for now := time.Duration(0); now <= end; {
		for len(held)+len(flying) < depth {
			ops := take(st, 1)
			if held = append(held, ops...); len(ops) == 0 {
				break
			}
		}
		slices.SortStableFunc(held, func(a, b Op) int { return int(a.At - b.At) })
		slices.SortStableFunc(flying, func(a, b finished) int { return int(a.at - b.at) })
		switch {
		case len(held) > 0 && held[0].At <= now:
			flying = append(flying, finished{held[0], now + service(len(issued))})
			issued, held = append(issued, held[0]), held[1:]
		case len(flying) > 0 && (len(held) == 0 || flying[0].at <= held[0].At):
			now = max(now, flying[0].at)
			back.Completed(flying[0].op, flying[0].at)
			flying = flying[1:]
		case len(held) > 0:
			now = held[0].At
		default:
			t.Fatalf("the stream has dried up at %v", now)
		}
	}
	return issued
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func TestThinkIsExactAtEveryDepth(t *testing.T) {
	for _, depth := range []int{1, 4, 32} {
		st := stream(t, Spec{Think: ms(10), Depth: depth}, Geometry{gib, 512}, 3)
		const end = 20 * time.Second
		n := len(pump(t, st, depth, end, func(int) time.Duration { return ms(5) }))
		// Each slot takes 5 ms of service and 10 ms of thought in turn.
		want := float64(depth) * end.Seconds() / 0.015
		if got := float64(n) / want; got < 0.93 || got > 1.07 {
			t.Errorf("depth %d: %d operations in %v, want about %.0f", depth, n, end, want)
		}
	}
}

func TestThinkBringsEarlierOperationForward(t *testing.T) {
	st := stream(t, Spec{Think: ms(10), Depth: 2}, Geometry{gib, 512}, 3)
	ops := take(st, 3)
	if len(ops) != 2 {
		t.Fatalf("%d operations at depth 2", len(ops))
	}
	st.(Feedback).Completed(ops[0], time.Hour)
	late := take(st, 1)[0].At
	st.(Feedback).Completed(ops[1], ms(1))
	if early := take(st, 1)[0].At; early < ms(1) || early > time.Minute || late < time.Hour {
		t.Errorf("due %v after a completion at 1ms, %v after one at 1h", early, late)
	}
}

// The scrub of a disk: two groups of 8, the next group when all of one is done.
func TestBurstWaitsForItsGroup(t *testing.T) {
	st := stream(t, Spec{Depth: 16, Burst: Burst{Ops: 8}}, Geometry{gib, 512}, 1)
	ops := take(st, 17)
	if len(ops) != 16 {
		t.Fatalf("%d operations at once, want two groups of 8", len(ops))
	}
	for i, op := range ops {
		if want := ops[i/8*8].At; op.At != want {
			t.Errorf("operation %d due at %d, its group at %d", i, op.At, want)
		}
	}
	for _, i := range []int{9, 0, 1, 2, 3, 4, 5, 6} {
		st.(Feedback).Completed(ops[i], ms(i+1))
		if len(take(st, 1)) > 0 {
			t.Fatalf("a group begins before another is all done")
		}
	}
	st.(Feedback).Completed(ops[7], ms(8))
	next := take(st, 9)
	if len(next) != 8 || next[0].At != ms(8) || next[7].At != ms(8) || next[0].Off != 16*4*kib {
		t.Errorf("next group %+v", next)
	}
}

func TestGroupsDoneTogetherKeepApart(t *testing.T) {
	st := stream(t, Spec{Depth: 4, Burst: Burst{Ops: 2}}, Geometry{gib, 512}, 1)
	for _, op := range take(st, 4) {
		st.(Feedback).Completed(op, ms(1))
	}
	ops := take(st, 5)
	if len(ops) != 4 || ops[0].At != ms(1) || ops[2].At != ms(1)+1 {
		t.Fatalf("got %+v", ops)
	}
	st.(Feedback).Completed(ops[0], ms(2))
	st.(Feedback).Completed(ops[2], ms(2))
	if len(take(st, 1)) > 0 {
		t.Error("one operation of each group counted as a whole group")
	}
}

func TestBurstDepthNotAMultipleRoundsDown(t *testing.T) {
	st := stream(t, Spec{Depth: 15, Burst: Burst{Ops: 8}}, Geometry{gib, 512}, 1)
	if n := len(take(st, 15)); n != 8 {
		t.Errorf("%d operations at depth 15, want one group of 8", n)
	}
}

func TestBurstPauses(t *testing.T) {
	b := Burst{Ops: 4, Run: ms(400), Pause: ms(100)}
	st := stream(t, Spec{Depth: 8, Burst: b}, Geometry{gib, 512}, 1)
	ops := pump(t, st, 8, 5*time.Second, func(i int) time.Duration { return ms(3 + i%4) })
	active := map[time.Duration]int{}
	for _, op := range ops {
		if within := op.At % ms(500); within >= ms(400) {
			t.Fatalf("an operation due at %v, %v into its cycle", op.At, within)
		}
		active[op.At/ms(500)]++
	}
	if len(active) < 10 || active[3] < 400 {
		t.Errorf("operations per cycle: %v", active)
	}
}

func TestBurstWithThink(t *testing.T) {
	st := stream(t, Spec{Depth: 4, Burst: Burst{Ops: 4}, Think: ms(10)}, Geometry{gib, 512}, 1)
	ops := pump(t, st, 4, 20*time.Second, func(int) time.Duration { return ms(5) })
	if want := 4 * 20 / 0.015; float64(len(ops)) < 0.9*want || float64(len(ops)) > 1.1*want {
		t.Errorf("%d operations, want about %.0f", len(ops), want)
	}
}

func TestHeapOrder(t *testing.T) {
	d := newDraw(1, 1)
	var heap, want []time.Duration
	for range 1000 {
		v := time.Duration(d.below(300))
		push(&heap, v)
		want = append(want, v)
	}
	slices.Sort(want)
	for i, w := range want {
		if got := popLeast(&heap); got != w {
			t.Fatalf("element %d: %d, want %d", i, got, w)
		}
	}
}
