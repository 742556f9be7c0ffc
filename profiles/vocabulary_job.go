package profiles

import (
	"time"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/workloads"
)

func workloadKind() kind[Workload] {
	return simulatable(object(
		must(put("name", "What results call this workload.", word(), func(w *Workload) *string { return &w.Name })),
		put("why", "Why this workload, and why its numbers.", text(), func(w *Workload) *string { return &w.Why }),
		put("vary", "The tunables whose values are multiplied out for this workload; the others are left alone. All of them unless given.", list(address()), func(w *Workload) *[]string { return &w.Vary }),
		put("prepare", "Done before each trial, unmeasured: delete the jobs' regions, then fill them; or a mapping that says more.", prepareKind(), func(w *Workload) *Prepare { return &w.Prepare }),
		put("verify", "stamp: every block that is written carries device, offset, generation and checksum, and reads are checked against them.", choice(option[bool]{"off", false}, option[bool]{"stamp", true}), func(w *Workload) *bool { return &w.Verify }),
		must(put("jobs", "The streams of operations that run at once.", list(jobKind()), func(w *Workload) *[]Job { return &w.Jobs })),
		set("load", "The load points: queue depths, offered rates, percentages of the measured maximum, or curve. They set every job that fixes neither depth nor rate itself.", loadKind(), setLoad),
		put("measure", "Differs from the profile's measure for this workload only.", object(windowFields()...), func(w *Workload) *Measure { return &w.Measure }),
		put("lower_depth", "How many operations iosweep's own bioq keeps at the device below; unless given, a model's own queue depth, or 1, as for a disk without command queuing.", whole(1, maxDepth), func(w *Workload) *int { return &w.LowerDepth }),
	), simulatedInWorkload())
}

// loads are a workload's load points as they are written.
type loads struct {
	depths          []int
	rates, percents []float64
	outstanding     int
	// adaptive says that points are chosen while measuring.
	adaptive bool
	points   int
}

func loadKind() kind[loads] {
	return either(
		choice(option[loads]{"curve", loads{percents: []float64{10, 30, 50, 70, 80, 90, 95}}}),
		object(
			put("depth", "Queue depths: closed loops. A list, or 1..128: each twice the one before, up to the last, or 1..16 by 1: in steps.", depthsKind(), func(l *loads) *[]int { return &l.depths }),
			put("rate", "Offered rates for each job that takes the load: open loops.", list(rate()), func(l *loads) *[]float64 { return &l.rates }),
			put("percent", "Offered rates as percentages of the maximum, which is measured first.", list(percent()), func(l *loads) *[]float64 { return &l.percents }),
			put("curve", "adaptive: offered rates as percentages of the maximum, which are chosen in the first block, where the curves bend.", choice(option[bool]{"adaptive", true}), func(l *loads) *bool { return &l.adaptive }),
			put("points", "With curve: how many are chosen, besides the maximum; 6 unless given.", whole(2, 40), func(l *loads) *int { return &l.points }),
			put("outstanding", "With rate or percent: the most operations of a job outstanding at once, and its depth when the maximum is measured; 64 unless given.", whole(1, maxDepth), func(l *loads) *int { return &l.outstanding }),
		),
	)
}

// defaultPoints is how many load points are chosen unless the profile says.
const defaultPoints = 6

// setLoad makes the load points; percentages need the maximum first, and those
// that will be chosen are evenly spaced until then.
func setLoad(w *Workload, l loads) {
	w.Outstanding, w.Adaptive = l.outstanding, l.adaptive
	if l.adaptive && l.points == 0 {
		l.points = defaultPoints
	}
	for i := range l.points {
		l.percents = append(l.percents, float64(i+1)*100/float64(l.points+1))
	}
	for _, d := range l.depths {
		w.Loads = append(w.Loads, results.Load{Depth: d})
	}
	for _, v := range l.rates {
		w.Loads = append(w.Loads, results.Load{Rate: v})
	}
	if len(l.percents) > 0 {
		w.Loads = append(w.Loads, results.Load{Max: true})
	}
	for _, v := range l.percents {
		w.Loads = append(w.Loads, results.Load{Percent: v})
	}
}

func jobKind() kind[Job] {
	return simulatable(object(
		must(put("name", "What metrics call this job.", word(), func(j *Job) *string { return &j.Name })),
		set("op", "What every operation is: read (the default), write or delete.", choice(
			option[workloads.Mix]{"read", workloads.Mix{Read: 1}}, option[workloads.Mix]{"write", workloads.Mix{Write: 1}}, option[workloads.Mix]{"delete", workloads.Mix{Delete: 1}},
		), func(j *Job, m workloads.Mix) { j.Mix = m }),
		put("mix", "The shares of several kinds of operation; they add up to 100%.", mixKind(), func(j *Job) *workloads.Mix { return &j.Mix }),
		put("access", "The order of addresses: sequential (the default), random, or a mapping.", accessKind(), func(j *Job) *workloads.Access { return &j.Access }),
		set("size", "The transfer size: one, several with their shares, a range, or whole for a delete of the whole region. 4KiB unless given.", sizeKind(), func(j *Job, s sizing) {
			j.Sizes, j.Uniform, j.Whole = s.shares, s.uniform, s.whole
		}),
		put("align", "What addresses are multiples of.", amount(), func(j *Job) *int64 { return &j.AlignBytes }),
		put("region", "The part of the target that is used: whole (the default), {offset, length}, or {from, to}.", regionKind(), func(j *Job) *workloads.Region { return &j.Region }),
		put("hot_band", "Random addresses come from a band of the region, most from its middle.", bandKind(), func(j *Job) *workloads.Band { return &j.HotBand }),
		put("hit", "An area at the start of the region that a share of the operations go to.", hitKind(), func(j *Job) *workloads.Hit { return &j.Hit }),
		put("stride", "Move forward by a uniform distance instead of to the next address.", rangeKind(), func(j *Job) *workloads.SizeRange { return &j.Stride }),
		put("streams", "How many sequential cursors share the region.", whole(1, maxDepth), func(j *Job) *int { return &j.Streams }),
		put("depth", "Operations kept outstanding; 1 unless given. In an open loop the most outstanding, 64 unless given.", whole(1, maxDepth), func(j *Job) *int { return &j.Depth }),
		put("rate", "The offered rate: an open loop.", rate(), func(j *Job) *float64 { return &j.Rate }),
		put("arrivals", "How an open loop spaces operations: exponential (the default), uniform, or deterministic.", choice(
			option[workloads.Arrivals]{"exponential", workloads.Exponential}, option[workloads.Arrivals]{"uniform", workloads.UniformSpaced},
			option[workloads.Arrivals]{"deterministic", workloads.Deterministic},
		), func(j *Job) *workloads.Arrivals { return &j.Arrivals }),
		put("think", "The mean of the exponential pause between a completion and the next operation.", duration(), func(j *Job) *time.Duration { return &j.Think }),
		put("burst", "Operations are issued in groups, the next group when all of one are done.", burstKind(), func(j *Job) *workloads.Burst { return &j.Burst }),
		put("data", "The content of writes.", dataKind(), func(j *Job) *workloads.Data { return &j.Data }),
		put("target", "Which target, where there are several: one that run --target NAME=PATH names; the first, --target PATH, unless given.", word(), func(j *Job) *string { return &j.Target }),
		put("copies", "How many identical jobs run, each with a queue of its own; 1 unless given.", whole(1, 1024), func(j *Job) *int { return &j.Copies }),
		put("cpus", "The processors that the job's threads may use.", list(whole(0, 65535)), func(j *Job) *[]int { return &j.CPUs }),
	), simulatedInJob())
}

func mixKind() kind[workloads.Mix] {
	return object(
		put("read", "The share of reads.", share(), func(m *workloads.Mix) *float64 { return &m.Read }),
		put("write", "The share of writes.", share(), func(m *workloads.Mix) *float64 { return &m.Write }),
		put("delete", "The share of deletes.", share(), func(m *workloads.Mix) *float64 { return &m.Delete }),
	)
}

func accessKind() kind[workloads.Access] {
	return either(
		choice(option[workloads.Access]{"sequential", workloads.Access{}}, option[workloads.Access]{"random", workloads.Access{Random: 1}}),
		object(
			put("random", "The share of operations that seek to a random address; the others go on where the last one ended.", share(), func(a *workloads.Access) *float64 { return &a.Random }),
			put("start", "Where a sequential stream begins: first (the default) or random.", choice(option[bool]{"first", false}, option[bool]{"random", true}), func(a *workloads.Access) *bool { return &a.RandomStart }),
			put("at_end", "What a sequential stream does at the end of its region: wrap (the default) or stop.", choice(option[bool]{"wrap", false}, option[bool]{"stop", true}), func(a *workloads.Access) *bool { return &a.StopAtEnd }),
			put("poisson", "Addresses are Poisson distributed around this share of the region.", share(), func(a *workloads.Access) *float64 { return &a.PoissonMid }),
		),
	)
}

func regionKind() kind[workloads.Region] {
	return either(
		choice(option[workloads.Region]{"whole", workloads.Region{}}),
		object(
			put("offset", "The region's first byte; 0B unless given.", offset(), func(g *workloads.Region) *int64 { return &g.Offset }),
			put("length", "The region's length; to the end of the target unless given.", amount(), func(g *workloads.Region) *int64 { return &g.Length }),
			put("from", "Where the region begins, as a share of the target.", share(), func(g *workloads.Region) *float64 { return &g.From }),
			put("to", "Where the region ends, as a share of the target.", share(), func(g *workloads.Region) *float64 { return &g.To }),
		),
	)
}

func bandKind() kind[workloads.Band] {
	return object(
		must(put("low", "Where the band begins, as a share of the region.", share(), func(b *workloads.Band) *float64 { return &b.Low })),
		must(put("high", "Where the band ends, as a share of the region.", share(), func(b *workloads.Band) *float64 { return &b.High })),
	)
}

func hitKind() kind[workloads.Hit] {
	return object(
		must(put("area", "The area's size.", amount(), func(h *workloads.Hit) *int64 { return &h.AreaBytes })),
		put("read", "The share of reads that go there.", share(), func(h *workloads.Hit) *float64 { return &h.Read }),
		put("write", "The share of writes that go there.", share(), func(h *workloads.Hit) *float64 { return &h.Write }),
	)
}

func rangeKind() kind[workloads.SizeRange] {
	return object(
		must(put("min", "The least.", amount(), func(g *workloads.SizeRange) *int64 { return &g.Min })),
		must(put("max", "The most, included.", amount(), func(g *workloads.SizeRange) *int64 { return &g.Max })),
		put("align", "What it is a multiple of; the target's logical block unless given.", amount(), func(g *workloads.SizeRange) *int64 { return &g.Align }),
	)
}

func burstKind() kind[workloads.Burst] {
	return object(
		must(put("ops", "Operations in a group.", whole(1, maxDepth), func(b *workloads.Burst) *int { return &b.Ops })),
		put("run", "How long the job is active before each pause.", duration(), func(b *workloads.Burst) *time.Duration { return &b.Run }),
		put("pause", "How long it pauses then.", duration(), func(b *workloads.Burst) *time.Duration { return &b.Pause }),
	)
}

func dataKind() kind[workloads.Data] {
	return object(
		put("compress", "The ratio that a perfect compressor would reach.", ratio(), func(d *workloads.Data) *float64 { return &d.CompressRatio }),
		put("dedup", "Total over unique blocks.", ratio(), func(d *workloads.Data) *float64 { return &d.DedupRatio }),
		put("dedup_unit", "The block that a deduplicator compares; 128KiB unless given.", amount(), func(d *workloads.Data) *int64 { return &d.DedupUnit }),
	)
}

// sizing is what the key size says.
type sizing struct {
	shares  []workloads.SizeShare
	uniform workloads.SizeRange
	whole   bool
}

func sizeKind() kind[sizing] {
	one := scalar(schema{"type": "string", "pattern": `^whole$|` + bytesPattern}, func(s string) (sizing, error) {
		if s == "whole" {
			return sizing{whole: true}, nil
		}
		n, err := units.ParseBytes(s)
		return sizing{shares: []workloads.SizeShare{{Bytes: n, Share: 1}}}, err
	})
	return either(one, sizeMapping())
}
