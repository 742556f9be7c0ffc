package profiles

import (
	"cmp"
	"math"
	"slices"

	"github.com/iosweep/iosweep/workloads"
)

// Extent is a range of bytes on a target.
type Extent struct{ Offset, Length int64 }

// pageBytes is what extents are rounded to: the largest logical block in use.
const pageBytes = 4096

// Extents are the parts of a target of sizeBytes that the workload's jobs on it
// use, in order and without overlap: what Prepare deletes and fills. Ends that are
// given as shares are rounded outwards to 4 KiB, but never past the target.
func (w Workload) Extents(target string, sizeBytes int64) []Extent {
	var all []Extent
	for _, j := range w.Jobs {
		if j.Target == target {
			all = append(all, ExtentOf(j.Region, sizeBytes))
		}
	}
	slices.SortFunc(all, func(a, b Extent) int { return cmp.Compare(a.Offset, b.Offset) })
	merged := all[:0]
	for _, e := range all {
		last := len(merged) - 1
		if last >= 0 && e.Offset <= merged[last].Offset+merged[last].Length {
			merged[last].Length = max(merged[last].Length, e.Offset+e.Length-merged[last].Offset)
			continue
		}
		merged = append(merged, e)
	}
	return merged
}

// ExtentOf is where a region lies on a target of sizeBytes, rounded outwards to
// 4 KiB where it is given as shares.
func ExtentOf(g workloads.Region, sizeBytes int64) Extent {
	if g.Length > 0 {
		return Extent{g.Offset, g.Length}
	}
	if g.To == 0 {
		return Extent{g.Offset, sizeBytes - g.Offset}
	}
	from := int64(g.From*float64(sizeBytes)) / pageBytes * pageBytes
	to := int64(math.Ceil(g.To*float64(sizeBytes)/pageBytes)) * pageBytes
	return Extent{from, min(to, sizeBytes) - from}
}
