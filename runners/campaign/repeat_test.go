package campaign

import (
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
)

const untilDecided = `
schema: 1
name: sequential
target: {scratch_size: 4GiB}
tunables: [{name: delete_max_sectors, values: [65536, 262144]}]
workloads:
  - name: range
    jobs: [{name: delete, op: delete, size: 768MiB, access: {at_end: stop}, region: {offset: 0B, length: 3072MiB}}]
measure: {duration: 5s, repeat: {min: 5, max: 30, until: decided}}
objective: [{workload: range, maximise: delete.throughput}]
`

// A large difference must end the campaign long before its most blocks.
func TestStopsWhenDecided(t *testing.T) {
	trials, o := simulate(t, untilDecided, "intel-520", nil)
	if o.Inconclusive || o.Stopped != "decided after 7 of at most 30 blocks" || len(trials) != 14 {
		t.Errorf("%d trials, %+v", len(trials), o)
	}
	again, o := simulate(t, untilDecided, "intel-520", trials[:9])
	if o.Inconclusive || len(again) != 14-9 {
		t.Errorf("resumed: %d more trials, %+v", len(again), o)
	}
}

func TestGoesOnWhileUndecided(t *testing.T) {
	open := strings.Replace(untilDecided, "max: 30", "max: 6", 1)
	trials, o := simulate(t, open, "intel-520", nil)
	if !o.Inconclusive || len(trials) != 12 || !strings.HasPrefix(o.Stopped, "not all is decided after 6 blocks") {
		t.Errorf("%d trials, %+v", len(trials), o)
	}
}

func TestBudgetEndsTheCampaign(t *testing.T) {
	s := sequence{repeat: &results.Repeat{Min: 5, Max: 30, BudgetSeconds: 60}, data: &results.RunData{Run: &results.Run{}}}
	if enough, err := s.enough(&profiles.Trial{Block: 1}, 59*time.Second); enough || err != nil {
		t.Errorf("before the budget is spent: %v, %v", enough, err)
	}
	if enough, err := s.enough(&profiles.Trial{Block: 1}, time.Hour); enough || err != nil {
		t.Errorf("a block that was begun: %v, %v", enough, err)
	}
	if enough, err := s.enough(&profiles.Trial{Block: 2}, time.Hour); !enough || err != nil {
		t.Errorf("after it was spent: %v, %v", enough, err)
	}
}

// What earlier sessions of a run measured counts towards its budget, but not on a
// model, where time is virtual.
func TestBudgetCountsEarlierSessions(t *testing.T) {
	trials, _ := simulate(t, untilDecided, "intel-520", nil)
	p, err := profiles.Parse("test.yaml", []byte(untilDecided))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	trials = trials[:2]
	trials[0].WarmupSeconds, trials[0].WindowSeconds, trials[0].Prepared = 1, 5, &results.Preparation{Seconds: 4}
	trials[1].WarmupSeconds, trials[1].WindowSeconds, trials[1].Prepared = 0, 2.5, nil
	if got := newState(&Campaign{Plan: plan, Done: trials}).earlier; got != 12500*time.Millisecond {
		t.Errorf("earlier sessions took %v, want 12.5 s", got)
	}
	if got := newState(&Campaign{Plan: plan, Done: trials, Simulated: true}).earlier; got != 0 {
		t.Errorf("on a model they took %v, want nothing", got)
	}
}

// The time left must not promise blocks that will not be needed.
func TestTimeLeftExpectsAnEarlyEnd(t *testing.T) {
	p, err := profiles.Parse("test.yaml", []byte(untilDecided))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newState(&Campaign{Plan: plan})
	if left := s.progress(plan, &plan.Trials[0]).Left; left != 7*2*5*time.Second {
		t.Errorf("%v left, want that of the 7 blocks without which nothing is decided", left)
	}
}

// A point that never came out valid makes the run so; one of many does not.
func TestHollowPoints(t *testing.T) {
	s := newState(&Campaign{Plan: &profiles.Plan{Profile: &profiles.Profile{}}})
	for i, status := range []results.Status{results.Invalid, results.Valid, results.Invalid, results.Unsupported} {
		variant := []int{0, 0, 1, 2}[i]
		s.settle(&profiles.Trial{Index: i, Variant: variant}, &results.Trial{Status: status})
	}
	if n := s.hollow(); n != 1 {
		t.Errorf("%d points without a valid trial, want the one", n)
	}
}
