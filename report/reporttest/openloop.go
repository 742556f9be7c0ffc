package reporttest

import (
	"time"

	"github.com/iosweep/iosweep/results"
)

// OpenLoop is a run of reads at an offered rate under two settings: with response
// times beside service times, and what happened over time.
func OpenLoop() *results.RunData {
	r := base("open")
	rng := Rand(6)
	vs := Sweep(r, "open", "max_sectors_kb", "KiB", "128", []string{"64", "128"}, results.Job{Name: "read", Summary: "random 128 KiB reads, 2000/s"})
	for block := range 3 {
		for i, v := range vs {
			mean := time.Duration(3-i) * time.Millisecond
			j := Job(rng, "read", "read", 2000, 128<<10, mean)
			j.Kinds[0].Response = Job(rng, "read", "read", 2000, 128<<10, 2*mean).Kinds[0].Service
			j.Series = &results.Series{IntervalSeconds: 0.1}
			for range 10 {
				ops := 190 + rng.Int64N(20)
				j.Series.Ops, j.Series.Bytes = append(j.Series.Ops, ops), append(j.Series.Bytes, ops*128<<10)
				j.Series.MeanSeconds = append(j.Series.MeanSeconds, 2*mean.Seconds()*(0.9+0.2*rng.Float64()))
				j.Series.MaxSeconds = append(j.Series.MaxSeconds, mean.Seconds()*(8+rng.Float64()))
			}
			Add(r, "open", v, block, j).Load = results.Load{Rate: 2000}
		}
	}
	r.Run.Planned = len(r.Trials)
	return r
}
