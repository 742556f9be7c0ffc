package runners

import (
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
	"github.com/iosweep/iosweep/workloads"
)

// MergeJobs adds up copies of one job that were measured at the same time in
// separate queues. Counts, histograms, depths and rates add exactly; each
// copy's rate keeps its own window. Where the copies' series differ in length
// only the intervals that all have are kept. The copies are not changed.
func MergeJobs(copies []results.JobResult) results.JobResult {
	if len(copies) == 0 {
		return results.JobResult{}
	}
	sum := results.JobResult{Name: copies[0].Name, AchievedDepth: results.Some(0)}
	for _, c := range copies {
		sum.Depth += c.Depth
		sum.Rate += c.Rate
		sum.AchievedDepth = addFloat(sum.AchievedDepth, c.AchievedDepth)
		sum.Pending += c.Pending
		sum.OldestPendingSeconds = max(sum.OldestPendingSeconds, c.OldestPendingSeconds)
		sum.Lateness = mergeHist(sum.Lateness, c.Lateness)
	}
	for kind := range workloads.Kinds {
		if k, ok := mergeKind(kind.String(), copies); ok {
			sum.Kinds = append(sum.Kinds, k)
		}
	}
	sum.Series = mergeSeries(copies)
	return sum
}

// addFloat adds two figures; the sum is missing when one of them is.
func addFloat(a, b results.Float) results.Float {
	if !a.Valid || !b.Valid {
		return results.Float{}
	}
	return results.Some(a.V + b.V)
}

func mergeHist(sum, h *hist.Hist) *hist.Hist {
	if h == nil {
		return sum
	}
	if sum == nil {
		sum = hist.New()
	}
	sum.Merge(h)
	return sum
}

// mergeKind adds up one kind of operation; false when no copy had any.
func mergeKind(kind string, copies []results.JobResult) (results.KindResult, bool) {
	sum := results.KindResult{Kind: kind}
	var parts []results.KindResult
	timed := false
	for _, c := range copies {
		for _, k := range c.Kinds {
			if k.Kind == kind {
				parts = append(parts, k)
				timed = timed || k.Response != nil
			}
		}
	}
	for _, k := range parts {
		sum.Ops += k.Ops
		sum.Bytes += k.Bytes
		sum.Errors += k.Errors
		for text, n := range k.ErrorTexts {
			if sum.ErrorTexts == nil {
				sum.ErrorTexts = make(map[string]int64)
			}
			countText(sum.ErrorTexts, text, n)
		}
		sum.Service = mergeHist(sum.Service, k.Service)
		if timed {
			sum.Response = mergeHist(sum.Response, responseOf(k))
		}
	}
	sum.OpsPerSecond, sum.BytesPerSecond = mergeRates(parts)
	return sum, len(parts) > 0
}

// responseOf is the response time of a copy; where none had a due time it is
// the service time.
func responseOf(k results.KindResult) *hist.Hist {
	if k.Response != nil {
		return k.Response
	}
	return k.Service
}

// mergeRates adds the copies' rates. A copy with a single operation has none of
// its own; it ran in the same window as the others and counts by theirs.
func mergeRates(parts []results.KindResult) (ops, bytes results.Float) {
	var window float64
	for _, k := range parts {
		if k.OpsPerSecond.Valid && k.OpsPerSecond.V > 0 {
			window = float64(k.Ops) / k.OpsPerSecond.V
		}
	}
	if window == 0 {
		return results.Float{}, results.Float{}
	}
	ops, bytes = results.Some(0), results.Some(0)
	for _, k := range parts {
		if k.OpsPerSecond.Valid {
			ops.V += k.OpsPerSecond.V
			bytes.V += k.BytesPerSecond.V
			continue
		}
		ops.V += float64(k.Ops) / window
		bytes.V += float64(k.Bytes) / window
	}
	return ops, bytes
}

// mergeSeries adds up the copies' series at the longest interval among them;
// nil when a copy has none.
func mergeSeries(copies []results.JobResult) *results.Series {
	step := 0.0
	for _, c := range copies {
		if c.Series == nil {
			return nil
		}
		step = max(step, c.Series.IntervalSeconds)
	}
	var sum *results.Series
	for _, c := range copies {
		sum = addSeries(sum, c.Series, int(step/c.Series.IntervalSeconds+0.5))
	}
	for i, n := range sum.Ops {
		if n > 0 {
			sum.MeanSeconds[i] /= float64(n)
		}
	}
	return sum
}

// addSeries adds s, each join of its intervals as one, to sum, whose
// MeanSeconds holds the sum of the latencies.
func addSeries(sum, s *results.Series, join int) *results.Series {
	n := len(s.Ops) / join
	if sum == nil {
		sum = &results.Series{
			IntervalSeconds: s.IntervalSeconds * float64(join),
			Ops:             make([]int64, n), Bytes: make([]int64, n),
			MeanSeconds: make([]float64, n), MaxSeconds: make([]float64, n),
		}
	}
	n = min(n, len(sum.Ops))
	sum.Ops, sum.Bytes = sum.Ops[:n], sum.Bytes[:n]
	sum.MeanSeconds, sum.MaxSeconds = sum.MeanSeconds[:n], sum.MaxSeconds[:n]
	for i := range n * join {
		to := i / join
		sum.Ops[to] += s.Ops[i]
		sum.Bytes[to] += s.Bytes[i]
		sum.MeanSeconds[to] += s.MeanSeconds[i] * float64(s.Ops[i])
		sum.MaxSeconds[to] = max(sum.MaxSeconds[to], s.MaxSeconds[i])
	}
	return sum
}
