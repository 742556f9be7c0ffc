package convert

import (
	"strings"
	"time"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/workloads"
)

// job writes a job's keys. Of one that takes the load, the load says depth and
// rate.
func job(s workloads.Spec, takesLoad bool) []string {
	keys := []string{"name: " + jobName(s.Name), "size: " + sizeText(s), "mix: " + mixText(s.Mix)}
	add := func(given bool, text string) {
		if given {
			keys = append(keys, text)
		}
	}
	add(s.Access != workloads.Access{}, "access: "+accessText(s.Access))
	add(s.Region != workloads.Region{}, "region: "+regionText(s.Region))
	add(s.AlignBytes > 0, "align: "+units.FormatBytes(s.AlignBytes))
	add(s.HotBand.High > 0, "hot_band: {low: "+percentText(s.HotBand.Low)+", high: "+percentText(s.HotBand.High)+"}")
	add(s.Hit.Read > 0 || s.Hit.Write > 0, "hit: {area: "+units.FormatBytes(s.Hit.AreaBytes)+", read: "+percentText(s.Hit.Read)+", write: "+percentText(s.Hit.Write)+"}")
	add(s.Stride.Max > 0, "stride: "+rangeText(s.Stride))
	add(s.Streams > 1, "streams: "+plain(float64(s.Streams)))
	add(s.Data.CompressRatio > 1 || s.Data.DedupRatio > 1, "data: "+dataText(s.Data))
	add(!takesLoad, "depth: "+plain(float64(s.Depth)))
	add(!takesLoad && s.Rate > 0, "rate: "+plain(s.Rate)+"/s")
	open := takesLoad || s.Rate > 0
	add(open && s.Arrivals == workloads.UniformSpaced, "arrivals: uniform")
	add(open && s.Arrivals == workloads.Deterministic, "arrivals: deterministic")
	return keys
}

// jobName is a word that is no kind of operation.
func jobName(name string) string {
	switch n := word(name); n {
	case "read", "write", "delete", "flush", "response", "service":
		return n + "-job"
	default:
		return n
	}
}

func sizeText(s workloads.Spec) string {
	if s.Uniform.Max > 0 {
		return rangeText(s.Uniform)
	}
	if len(s.Sizes) == 0 {
		return "4KiB"
	}
	sum := 0.0
	for _, size := range s.Sizes {
		sum += size.Share
	}
	if len(s.Sizes) == 1 {
		return units.FormatBytes(s.Sizes[0].Bytes)
	}
	var parts []string
	for _, size := range s.Sizes {
		parts = append(parts, units.FormatBytes(size.Bytes)+": "+percentText(size.Share/sum))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func mixText(m workloads.Mix) string {
	sum := m.Read + m.Write
	return "{read: " + percentText(m.Read/sum) + ", write: " + percentText(m.Write/sum) + "}"
}

func accessText(a workloads.Access) string {
	var parts []string
	if a.Random > 0 {
		parts = append(parts, "random: "+percentText(a.Random))
	}
	if a.RandomStart {
		parts = append(parts, "start: random")
	}
	if a.StopAtEnd {
		parts = append(parts, "at_end: stop")
	}
	if a.PoissonMid > 0 {
		parts = append(parts, "poisson: "+percentText(a.PoissonMid))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func regionText(g workloads.Region) string {
	switch {
	case g.Length > 0:
		return "{offset: " + units.FormatBytes(g.Offset) + ", length: " + units.FormatBytes(g.Length) + "}"
	case g.To > 0:
		return "{from: " + percentText(g.From) + ", to: " + percentText(g.To) + "}"
	}
	return "{offset: " + units.FormatBytes(g.Offset) + "}"
}

func rangeText(r workloads.SizeRange) string {
	text := "{min: " + units.FormatBytes(r.Min) + ", max: " + units.FormatBytes(r.Max)
	if r.Align > 0 {
		text += ", align: " + units.FormatBytes(r.Align)
	}
	return text + "}"
}

func dataText(d workloads.Data) string {
	var parts []string
	if d.CompressRatio > 1 {
		parts = append(parts, "compress: "+plain(d.CompressRatio))
	}
	if d.DedupRatio > 1 {
		parts = append(parts, "dedup: "+plain(d.DedupRatio))
	}
	if d.DedupRatio > 1 && d.DedupUnit > 0 {
		parts = append(parts, "dedup_unit: "+units.FormatBytes(d.DedupUnit))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// durationText is a time in the largest unit that divides it.
func durationText(d time.Duration) string {
	switch {
	case d%time.Minute == 0 && d > 0:
		return plain(float64(d/time.Minute)) + "min"
	case d%time.Second == 0:
		return plain(float64(d/time.Second)) + "s"
	case d%time.Millisecond == 0:
		return plain(float64(d/time.Millisecond)) + "ms"
	}
	return plain(float64(d)) + "ns"
}
