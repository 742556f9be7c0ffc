// Package profiles turns YAML into a Profile and a Profile into a Plan. It is
// pure: it opens no device and changes nothing.
package profiles

import (
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/tunables"
	"github.com/iosweep/iosweep/tunables/command"
	"github.com/iosweep/iosweep/workloads"
)

// Profile is a question: which values of which tunables, measured how, and what
// is best.
type Profile struct {
	Schema int
	Name   string
	Title  string
	// About says in prose what the profile is for and why its numbers were
	// chosen.
	About  string
	Target Target
	// Engine is auto, uring, portable or sim:MODEL.
	Engine   string
	Tunables []Tunable
	// Variants are listed variants; empty means the cross product of Tunables.
	Variants   []Listed
	Workloads  []Workload
	Measure    Measure
	Objectives []results.Objective
	References []results.Reference
	// Text is the exact YAML, Path where it was read from.
	Text, Path string
}

// Target is what the profile needs of a target.
type Target struct {
	// MinBytes is the least size.
	MinBytes int64
	// ScratchBytes is the size of the scratch device made when no target is
	// named; 0 means 1 GiB.
	ScratchBytes int64
	// Device says that a regular file will not do.
	Device bool
}

// Tunable is a knob and the values to try.
type Tunable struct {
	Def    tunables.Tunable
	Values []string // canonical
	Via    tunables.Via
	Why    string
	// Command, when not nil, reads and writes the knob by running programs;
	// whoever runs the profile must allow that. Def has its address.
	Command *command.Spec
}

// Listed is a variant that is named rather than multiplied out.
type Listed struct {
	Label    string
	Settings []tunables.Setting
}

// Workload is one or more jobs that run at once, at each of its load points.
type Workload struct {
	Name string
	Why  string
	// Vary names the tunables whose values are multiplied out for this
	// workload; the others are left alone. Parse fills in all of them where the
	// profile names none.
	Vary []string
	Jobs []Job
	// Loads are the load points; at least one. The zero Load means the jobs'
	// own depths and rates. With percentages the first is the unpaced trial
	// (Max) that they refer to. JobsAt applies one of them.
	Loads []results.Load
	// Adaptive says that the percentages of Loads only hold the places of those
	// that are chosen in the first block, in their order and for all variants.
	Adaptive bool
	// Outstanding is what load says of the jobs that take offered rates; Parse
	// puts it, or its default, into their Depth.
	Outstanding int
	// Measure is how this workload's trials are measured: the profile's Measure
	// with what the workload itself says. Repeats, Seed and Retries are always
	// the profile's.
	Measure Measure
	// Prepare is done, unmeasured, before each trial or the first.
	Prepare Prepare
	// Verify says that writes carry stamps and reads are checked against them.
	// All jobs then share one queue.
	Verify bool
	// LowerDepth is how many operations iosweep's own layers keep at the device
	// below a bioq; 0 means as many as a model's own queue takes, or 1.
	LowerDepth int
}

// Job is one stream of operations.
type Job struct {
	workloads.Spec
	// Load says that load points set this job's depth or rate: it fixes
	// neither itself.
	Load bool
	// Target names the target that the job goes to; empty is the first.
	Target string
	// Copies is how many identical jobs, each with a queue of its own; 0 means 1.
	Copies int
	CPUs   []int
}

// Prepare is what is done to the jobs' regions before a trial, in the order of
// its fields.
type Prepare struct {
	// Once says that it is done before the workload's first trial of a run (or
	// of a resumed one) only, instead of before each.
	Once   bool
	Delete bool
	// Fills is how many times the regions are written sequentially.
	Fills int
	// Steady, when not nil, overwrites them at random.
	Steady *Steady
}

// Steady is a random overwrite until the target no longer changes: over
// SteadyWindow rounds in a row the range is within 20 % of their mean, and the
// fitted line rises or falls by no more than 10 % of it.
type Steady struct {
	// On is the quantity that is judged: ops, throughput or mean.
	On        string
	SizeBytes int64
	// Depth is how many writes are outstanding in each region.
	Depth int
	Round time.Duration
	// Rounds is the most that are driven.
	Rounds int
}

// Measure is how each trial is measured.
type Measure struct {
	Warmup, Duration time.Duration
	// Ops and Bytes bound a trial by amount instead of, or beside, Duration.
	Ops, Bytes int64
	// Settle is waited between applying settings and the warm-up.
	Settle  time.Duration
	Repeats int
	// Repeat ends the run when enough is known; Repeats is then its Max. nil
	// measures all repeats.
	Repeat *results.Repeat
	Seed   uint64
	// Retries is how often a trial that came out invalid is repeated.
	Retries int
}
