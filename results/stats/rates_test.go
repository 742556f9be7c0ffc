package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

var update = flag.Bool("update", false, "write docs/error-rates.md anew")

// A world says what the trial of a variant in a block comes to, given noise.
type world struct {
	name   string
	effect float64 // the second variant's true ratio to the first
	noise  func(r *rand.Rand) float64
	drift  func(block int) float64
	spoil  bool // one trial of each run is ten times too slow
}

const (
	rateRuns  = 1000
	rateMin   = 5
	rateMax   = 40
	rateFixed = 40
	rateSigma = 0.02
)

func normal(r *rand.Rand) float64 { return math.Exp(rateSigma * r.NormFloat64()) }

// heavy is Student's t with two degrees of freedom: it has no variance.
func heavy(r *rand.Rand) float64 {
	z := r.NormFloat64() / math.Sqrt(r.ExpFloat64())
	return math.Exp(max(-2, min(2, rateSigma*z)))
}

func steady(int) float64 { return 1 }

func worlds() []world {
	return []world{
		{"A/A", 1, normal, steady, false},
		{"A/A, drift of 30 % over the run", 1, normal, func(b int) float64 { return 1 - 0.3*float64(b)/rateMax }, false},
		{"A/A, heavy tails", 1, heavy, steady, false},
		{"A/A, one bad trial", 1, normal, steady, true},
		{"1 % slower (within the margin)", 0.99, normal, steady, false},
		{"5 % slower", 0.95, normal, steady, false},
		{"5 % slower, drift", 0.95, normal, func(b int) float64 { return 1 - 0.3*float64(b)/rateMax }, false},
		{"5 % slower, heavy tails", 0.95, heavy, steady, false},
		{"5 % slower, one bad trial", 0.95, normal, steady, true},
		{"10 % slower", 0.90, normal, steady, false},
		{"30 % slower", 0.70, normal, steady, false},
	}
}

// draw makes a run of the world: rateMax blocks of two variants.
func (w world) draw(r *rand.Rand) (base, next []Value) {
	for b := range rateMax {
		level := 1000 * w.drift(b)
		base = append(base, Value{strconv.Itoa(b), level * w.noise(r)})
		next = append(next, Value{strconv.Itoa(b), level * w.effect * w.noise(r)})
	}
	if w.spoil {
		next[r.IntN(8)].Figure /= 10
	}
	return base, next
}

// tally counts what runs of a world came to.
type tally struct {
	outcomes map[Outcome]int
	blocks   int
}

func (t *tally) count(o Outcome, blocks int) {
	if t.outcomes == nil {
		t.outcomes = map[Outcome]int{}
	}
	t.outcomes[o]++
	t.blocks += blocks
}

// share is in percent.
func (t *tally) share(o Outcome) float64 { return 100 * float64(t.outcomes[o]) / rateRuns }

// wrong counts verdicts that are false in the world: any direction where there
// is no difference, the wrong one where there is, same beyond the margin.
func (t *tally) wrong(w world) float64 {
	bad := t.outcomes[Better]
	if w.effect == 1 {
		bad += t.outcomes[Worse]
	}
	if w.effect < 1/1.03 {
		bad += t.outcomes[Same]
	}
	return 100 * float64(bad) / rateRuns
}

// untilDecided looks after every block and stops at the first verdict.
func untilDecided(base, next []Value) (Outcome, int) {
	o := Options{Margin: 0.03, HigherIsBetter: true, Sequential: true}
	for n := rateMin; n < rateMax; n++ {
		if c := Compare(base[:n], next[:n], o); c.Outcome != Undecided {
			return c.Outcome, n
		}
	}
	return Compare(base, next, o).Outcome, rateMax
}

// peeking is what one must not do: the test for one look, at every look.
func peeking(base, next []Value) (Outcome, int) {
	o := Options{Margin: 0.03, HigherIsBetter: true}
	for n := rateMin; n < rateMax; n++ {
		if c := Compare(base[:n], next[:n], o); c.Outcome != Undecided {
			return c.Outcome, n
		}
	}
	return Compare(base, next, o).Outcome, rateMax
}

func fixed(base, next []Value) (Outcome, int) {
	return Compare(base[:rateFixed], next[:rateFixed], Options{Margin: 0.03, HigherIsBetter: true}).Outcome, rateFixed
}

func (w world) simulate(scheme func(base, next []Value) (Outcome, int)) tally {
	random := rand.New(rand.NewPCG(31, 32))
	var t tally
	for range rateRuns {
		t.count(scheme(w.draw(random)))
	}
	return t
}

// TestErrorRates simulates runs whose truth is known and holds docs/error-rates.md
// to what comes out.
func TestErrorRates(t *testing.T) {
	var b strings.Builder
	b.WriteString(rateHead)
	for _, w := range worlds() {
		sequential, plain := w.simulate(untilDecided), w.simulate(fixed)
		for _, row := range []struct {
			name string
			t    tally
		}{{"until decided", sequential}, {"fixed, 40 blocks", plain}} {
			fmt.Fprintf(&b, "| %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", w.name, row.name, row.t.wrong(w),
				row.t.share(Worse), row.t.share(Same), row.t.share(Better), row.t.share(Undecided), float64(row.t.blocks)/rateRuns)
		}
		if wrong := sequential.wrong(w); wrong > 5 {
			t.Errorf("%s: %.1f %% of the runs that stop when decided are wrong, want at most 5", w.name, wrong)
		}
		if w.effect <= 0.9 && (3*sequential.blocks > plain.blocks || sequential.share(Worse) < plain.share(Worse)) {
			t.Errorf("%s: %d blocks until decided, %d fixed; power %v and %v", w.name, sequential.blocks, plain.blocks, sequential.share(Worse), plain.share(Worse))
		}
	}
	peeked := worlds()[0].simulate(peeking)
	fmt.Fprintf(&b, rateFoot, peeked.wrong(worlds()[0]))
	fmt.Fprintf(&b, "%s%s", rateAlike, alikeTable(t))
	many := manyVariants(t)
	fmt.Fprintf(&b, rateMany, 100*float64(many.decided)/rateMany5Runs, 100*float64(many.false)/rateMany5Runs, float64(many.blocks)/rateMany5Runs)
	if many.false*20 > rateMany5Runs {
		t.Errorf("five alike: %d of %d runs call one worse", many.false, rateMany5Runs)
	}
	compareDoc(t, b.String())
}

// measuredPart begins what of docs/error-rates.md was measured on a device and so
// is no simulation's to write.
const measuredPart = "\n## Alike on a real device\n"

func compareDoc(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join("..", "..", "docs", "error-rates.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	simulated, measured, _ := strings.Cut(string(old), measuredPart)
	if *update {
		if err := os.WriteFile(file, []byte(text+measuredPart+measured), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != simulated {
		t.Errorf("%s is not what the simulation gives: write it anew with -update\n%s", file, text)
	}
}

// rateMany5Runs is fewer than rateRuns, since each look judges five variants.
const rateMany5Runs = 400

type manyTally struct{ decided, false, blocks int }

// manyVariants judges five variants that are alike after every block.
func manyVariants(t *testing.T) (m manyTally) {
	random := rand.New(rand.NewPCG(33, 34))
	objective := results.Objective{Workload: "w", Maximise: "ops"}
	for range rateMany5Runs {
		data := &results.RunData{Run: &results.Run{Workloads: []results.Workload{{Name: "w"}}, Repeat: &results.Repeat{Min: rateMin, Max: rateMax, Margin: 0.03}}}
		for _, v := range []string{"a", "b", "c", "d", "e"} {
			data.Run.Variants = append(data.Run.Variants, results.Variant{ID: v})
		}
		wrong, block := false, 0
		for ; block < rateMax; block++ {
			addBlock(data, block, func() float64 { return 1000 * normal(random) })
			if block+1 < rateMin {
				continue
			}
			judged, err := Judge(data, objective, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range judged[0].Standings {
				wrong = wrong || s.Against != nil && s.Against.Outcome == Worse
			}
			if judged[0].Decided {
				m.decided++
				break
			}
		}
		m.blocks += min(block+1, rateMax)
		if wrong {
			m.false++
		}
	}
	return m
}

// alikeTable tells how often a fixed plan calls one of several variants that are
// alike worse than the leader.
func alikeTable(t *testing.T) string {
	var b strings.Builder
	for _, variants := range []int{2, 4, 12} {
		fmt.Fprintf(&b, "| %d |", variants)
		for _, blocks := range []int{8, 12, 40} {
			for _, margin := range []float64{0, 0.03} {
				wrong := alikeFixed(t, variants, blocks, margin)
				fmt.Fprintf(&b, " %.1f |", wrong)
				if wrong > 5 {
					t.Errorf("%d alike in %d blocks, margin %v: %.1f %% of the runs call one worse, want at most 5", variants, blocks, margin, wrong)
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// alikeFixed is the share of runs, in percent, in which some variant comes out
// worse than the leader.
func alikeFixed(t *testing.T, variants, blocks int, margin float64) float64 {
	random := rand.New(rand.NewPCG(35, 36))
	objective, wrong := results.Objective{Workload: "w", Maximise: "ops"}, 0
	for range rateRuns {
		data := &results.RunData{Run: &results.Run{Workloads: []results.Workload{{Name: "w"}}}}
		for v := range variants {
			data.Run.Variants = append(data.Run.Variants, results.Variant{ID: strconv.Itoa(v)})
		}
		for block := range blocks {
			addBlock(data, block, func() float64 { return 1000 * normal(random) })
		}
		judged, err := Judge(data, objective, Options{Margin: margin})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(judged[0].Standings, func(s Standing) bool { return s.Against != nil && s.Against.Outcome == Worse }) {
			wrong++
		}
	}
	return 100 * float64(wrong) / rateRuns
}

// addBlock adds a trial of each variant.
func addBlock(data *results.RunData, block int, rate func() float64) {
	for _, v := range data.Run.Variants {
		ops := results.Some(rate())
		data.Trials = append(data.Trials, results.Trial{
			Schema: 1, Index: len(data.Trials), Block: block, Variant: v.ID, Workload: "w", Status: results.Valid, WindowSeconds: 1,
			Jobs: []results.JobResult{{Name: "j", Kinds: []results.KindResult{{Kind: "read", Ops: int64(ops.V), OpsPerSecond: ops}}}},
		})
	}
}

const rateHead = `# Simulated error rates

What the verdicts of iosweep come to where the truth is known. Made by

    go test ./results/stats -run TestErrorRates -update

which simulates 1,000 runs of each world and fails when more than 5 % of them are
wrong. A trial's figure has noise of 2 % (lognormal, or with heavy tails Student's
t of two degrees of freedom); the margin is 3 % and the confidence 95 %. "Until
decided" looks after every block from 5 to 40 and stops at the first verdict, by
the sequential sign test; "fixed" measures 40 blocks and looks once, by Wilcoxon's
signed-rank test. A verdict is wrong when it sees a difference where there is
none, the wrong direction, or "same" where the difference exceeds the margin.

| world | plan | wrong % | worse % | same % | better % | undecided % | blocks |
| --- | --- | --- | --- | --- | --- | --- | --- |
`

const rateFoot = `
The fixed plan has 40 blocks so that it can decide small differences; had one known
beforehand that the difference is large, six would have done. Stopping when decided
needs no such knowledge. To show what the sequential test is for: the fixed plan's
test at every look is wrong in %.1f %% of A/A runs.
`

const rateAlike = `
## Several variants that are alike

Which of them leads is seen from the data, so p is corrected for all pairs, not
only for those with the leader: that would call some variant worse in 8 % of the
runs of twelve variants in eight blocks. The share of 1,000 runs of a fixed
plan in which some variant is called worse than the leader, in %:

| variants | 8 blocks, no margin | margin 3 % | 12 blocks, no margin | margin 3 % | 40 blocks, no margin | margin 3 % |
| --- | --- | --- | --- | --- | --- | --- |
`

const rateMany = `
Five variants that are alike, judged by an objective after every block (400
runs): %.1f %% are decided as ties within the margin, in %.1f %% some variant was at
some look called worse than the leader, and a run takes %.1f blocks.
`
