package tunables

import (
	"context"
	"maps"
	"testing"

	"github.com/iosweep/iosweep/internal/durable/durabletest"
)

// scenario is what a run does before it is over: its settings may disturb each
// other, be clamped, or be refused halfway.
type scenario struct {
	name  string
	pairs []string
	fails bool
}

func scenarios() []scenario {
	return []scenario{
		{"whole", []string{"nr_requests", "3", "fifo_batch", "3", "scheduler", "mq-deadline",
			"read_ahead_kb", "64", "max_sectors_kb", "99999999", "nomerges", "2"}, false},
		{"back to a depth that another knob resets", []string{"scheduler", "mq-deadline", "async_depth", "9"}, false},
		{"refused halfway", []string{"scheduler", "mq-deadline", "nomerges", "1", "fifo_batch", "3", "read_expire", "10"}, true},
	}
}

// run applies and restores, as far as it comes.
func (s scenario) run(b *bench) error {
	h, err := NewHost(b.options())
	if err != nil {
		return err
	}
	defer h.Close()
	lease, err := h.Apply(context.Background(), settings(b.t, s.pairs...))
	if err != nil {
		return err
	}
	return lease.Restore(context.Background())
}

func recoverOnce(b *bench) error {
	_, err := Recover(context.Background(), b.options())
	return err
}

// However far a run came, and whatever a crash then took of what was not
// synced: one recovery puts every knob back and clears the journal.
func TestCrashAnywhere(t *testing.T) {
	for _, s := range scenarios() {
		for _, loss := range []durabletest.Loss{durabletest.Nothing, durabletest.Half, durabletest.Everything} {
			steps := 0
			for crashed := true; crashed; steps++ {
				crashed = crashThenRecover(t, s, loss, steps)
			}
			if steps < 60 {
				t.Errorf("%s: only %d steps, so little was tried", s.name, steps)
			}
		}
	}
}

// However far the recovery came that was to clean up after such a crash, the
// next one does it. Recoveries after neighbouring steps are much alike, so each
// is crashed at every fifth step, and the next one between these.
func TestCrashInRecoveryAnywhere(t *testing.T) {
	const stride = 5
	s := scenarios()[0]
	steps := 0
	for crashed := true; crashed; steps++ {
		for again := steps % stride; ; again += stride {
			b := newBench(t)
			want := maps.Clone(b.knobs.values)
			crashed = crashRun(b, s, steps)
			b.revive(durabletest.Nothing)
			over := b.crashAfter(again)
			_ = recoverOnce(b)
			done := !over()
			b.revive(durabletest.Everything)
			if err := recoverOnce(b); err != nil {
				t.Fatalf("crash after %d and %d steps: %v", steps, again, err)
			}
			b.mustHold(want)
			if done {
				break
			}
		}
	}
}

// crashRun runs until some steps are over, and says whether they were.
func crashRun(b *bench, s scenario, steps int) (crashed bool) {
	b.t.Helper()
	over := b.crashAfter(steps)
	if err := s.run(b); (err != nil) != (over() || s.fails) {
		b.t.Fatalf("%s, step %d: %v", s.name, steps, err)
	}
	return over()
}

func crashThenRecover(t *testing.T, s scenario, loss durabletest.Loss, steps int) (crashed bool) {
	t.Helper()
	b := newBench(t)
	want := maps.Clone(b.knobs.values)
	crashed = crashRun(b, s, steps)
	b.revive(loss)
	if err := recoverOnce(b); err != nil {
		t.Fatalf("%s, loss %d, crash after %d steps: %v", s.name, loss, steps, err)
	}
	b.mustHold(want)
	return crashed
}

// A disk that is full from any moment on costs no setting.
func TestFullDiskAnywhere(t *testing.T) {
	for _, s := range scenarios() {
		for steps := range 60 {
			b := newBench(t)
			want := maps.Clone(b.knobs.values)
			count := 0
			b.fs.Fault = func(op durabletest.Op) error {
				if count++; count > steps && op.Name == "write" {
					return errCrashed
				}
				return nil
			}
			_ = s.run(b) // it may fail; what matters is what it leaves
			b.fs.Fault = nil
			b.mustHold(want)
		}
	}
}
