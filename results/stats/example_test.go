package stats_test

import (
	"fmt"
	"log"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/query"
	"github.com/iosweep/iosweep/results/stats"
)

// From a stored run to its figures: open, select, group, read, summarise.
func Example() {
	set, err := results.Open("../testdata/v1")
	if err != nil {
		log.Fatal(err)
	}
	valid, err := query.Parse("status=valid")
	if err != nil {
		log.Fatal(err)
	}
	records, err := query.Select(set, valid)
	if err != nil {
		log.Fatal(err)
	}
	for _, cell := range query.Group(records, "max_sectors_kb", "load") {
		var p99 []float64
		for _, r := range cell.Records {
			v, note, err := results.Metric(r.Trial, "reader.p99")
			if err != nil {
				log.Fatal(err)
			}
			if !v.Valid {
				fmt.Println("left out:", note)
				continue
			}
			p99 = append(p99, v.V)
		}
		s := stats.Summarise(p99, stats.DefaultConfidence)
		fmt.Printf("%v: %.1f ms (%.1f..%.1f at %.0f %%, n=%d)\n", cell.Key, s.Center*1e3, s.Lo*1e3, s.Hi*1e3, s.Confidence*100, s.N)
	}
	// Output:
	// left out: no operations of reader completed in 2.00 s; oldest waiting 1.98 s
	// [{max_sectors_kb 64} {load depth 8}]: 14.4 ms (11.4..17.4 at 50 %, n=2)
	// [{max_sectors_kb 1280} {load depth 8}]: 13.4 ms (12.4..14.4 at 50 %, n=2)
}

// What the stored run's own objective comes to: a leader, but nothing proven by
// so few trials.
func ExampleJudge() {
	set, err := results.Open("../testdata/v1")
	if err != nil {
		log.Fatal(err)
	}
	run := set.Runs[0]
	judged, err := stats.Judge(run, run.Run.Objectives[0], stats.Options{Margin: 0.03})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range judged[0].Standings {
		fmt.Printf("%s: %s, leans %s, %.0f MB/s\n", s.Variant, s.State, s.Leaning, s.Value.Center/1e6)
		for _, l := range s.Limits {
			fmt.Println("  ", l.Limit.Text, l.State, l.Reasons)
		}
	}
	fmt.Println("leader", judged[0].Leader, "ties", judged[0].Ties, "decided", judged[0].Decided)
	// Output:
	// a: undecided, leans feasible, 131 MB/s
	//    reader.p99 <= 100 ms undecided [no operations of reader completed in 2.00 s; oldest waiting 1.98 s]
	// b: undecided, leans feasible, 131 MB/s
	//    reader.p99 <= 100 ms undecided []
	// leader a ties [b] decided false
}
