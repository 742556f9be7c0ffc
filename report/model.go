// Package report turns stored runs into a Model: every figure, sentence, axis
// and mark of a report, worked out once. The renderers beside it (text,
// markdown, html, plots, bundle) lay a Model out and do no arithmetic.
//
// Build works in this order:
//
//  1. gather: sort the selected trials into cells (run, workload, setting, load);
//  2. settings that read back alike become one;
//  3. tables: the median over a cell's trials with its interval;
//  4. pictures: throughput against latency, and each metric by value;
//  5. effects: what the device was seen to do under each setting;
//  6. verdicts: one sentence for each objective, claiming no more than the data;
//  7. findings, facts and the way to run it again.
//
// The sampling unit is the trial. Latencies of single operations never enter an
// interval.
package report

import "github.com/iosweep/iosweep/results"

// Model is a report, ready to be laid out. Everything in it is text to be shown
// or a number to be drawn; strings come from profiles and devices as they are,
// so a renderer must escape them.
type Model struct {
	Title    string
	Subtitle string
	// Origin says what the figures are of where that is not a device as it is;
	// the title has it too.
	Origin string
	// Answer is the report in one paragraph, a sentence an element.
	Answer []string
	// Notes say what a reader must know about the data as a whole: a run that is
	// incomplete, settings that read back alike.
	Notes     []string
	Verdicts  []Verdict
	Workloads []Workload
	// Theme is the layout of the pictures' files.
	Theme Theme
	// Runs are what the report is of.
	Runs     []FiguresRun
	Findings []Finding
	Machine  []Fact
	Method   []Fact
	Profiles []Profile
	// Again lists the commands that make the same runs again.
	Again []string
	// Cite is how to refer to the report, a run an element.
	Cite   []string
	Trials []TrialRow
}

// Fact is a name and what is known of it.
type Fact struct{ Name, Value string }

// Profile is the exact text of a profile that was run.
type Profile struct{ Name, Text string }

// Finding is something that was noticed in one or more trials.
type Finding struct {
	Code string
	// Fatal findings made their trials invalid.
	Fatal bool
	Text  string
	// Where names the workload and the settings, Trials how many trials had it.
	Where  string
	Trials int

	key string
}

// Verdict is what one objective came to.
type Verdict struct {
	Tunable, Workload string
	// Outcome is one of the outcomes below; Proven says that it has the confidence
	// asked, which None may lack too.
	Outcome string
	Proven  bool
	// Best is the label of the leading setting; empty where there is none.
	Best string
	// Load is the load point, where there are several.
	Load string
	// Goal is the objective in words, Sentence the verdict.
	Goal, Sentence string
}

// The outcomes of a verdict.
const (
	Decided   = "decided"   // Best is proven, or all that are not worse are as good
	Undecided = "undecided" // Best leads, but that is not proven
	None      = "none"      // no value meets the limits
	Empty     = "empty"     // no valid trial, or no objective
)

// Workload is everything about one workload.
type Workload struct {
	// Anchor is unique in the report and safe in file names and addresses.
	Anchor        string
	Name, Summary string
	// Run names the run where a report has several; else empty.
	Run      string
	Tunables []string
	// Key names what the settings' Short names list: "scheduler · nr_requests".
	Key      string
	Settings []Setting
	Tables   []Table
	Pictures []Picture
	// Chart says what the first of Pictures shows; nil where it shows nothing.
	Chart *Chart
	// Distributions are percentile curves, Progress is over time.
	Distributions, Progress []Picture
	Effects                 []Effect
	// References are published figures to set beside the measured ones.
	References []Reference
	// Preparation is what was done to the target before trials, in order.
	Preparation []Preparation
}

// Setting is one line of a workload: a variant, or several that read back alike.
type Setting struct {
	// Label is short where the workload varies one tunable: the value alone.
	// Short is that too where it varies several, under the workload's Key.
	Label, Short string
	// Effect is the proof of effect in short: the state and what was seen.
	Effect string
	// Style numbers colour, shape and dash: the same for a setting everywhere.
	Style int

	key      string
	variants []string
	values   []results.Setting
	// texts are the values as they are named, in the order of values.
	texts []string
}

// Table has the figures of one job's operations of one kind.
type Table struct {
	Job, Kind, Title string
	// Clock says from where latencies are counted.
	Clock string
	// Interval says what stands beside the medians, Origin what the figures are
	// of where that is not a device as it is.
	Interval, Origin string
	Rows             []Row
}

// Row is one setting at one load point.
type Row struct {
	Setting Setting
	Load    string
	// Trials tells how many valid trials the figures come from, and of others.
	Trials string
	// Figures stand in the order of Quantities.
	Figures []Figure
	// Service are the latencies from issue, in the order of Latencies, where
	// those of Figures are from when operations were due.
	Service []Figure
	// Note replaces or explains missing figures.
	Note string

	cell *cell
}

// Figure is a median over trials and its interval, in base units and as text.
type Figure struct {
	N                 int
	Median, Low, High float64
	// AtLeast marks a lower bound: operations were still outstanding.
	AtLeast bool
	// AtMost marks an upper bound of a rate: too few operations completed.
	AtMost bool
	// Text is the median with its unit, Spread the interval in the same unit;
	// Text is a dash where there is no figure, and Missing says why.
	Text, Spread, Missing string
}

// Valid says that there is a figure.
func (f Figure) Valid() bool { return f.N > 0 }

// Effect is what was seen of one setting.
type Effect struct {
	Setting Setting
	// Asked and ReadBack are values, Via where it acted.
	Asked, ReadBack, Via string
	// Seen is the proof in words; State is one of the effect states.
	Seen, State string
}

// The states of an effect.
const (
	Proven    = "as asked"
	NoEffect  = "no effect"
	Differs   = "differs"
	Untested  = "not reached"
	Unwatched = "not seen"
)

// TrialRow is one job's operations of one kind in one trial, in base units.
type TrialRow struct {
	Run, Workload, Setting, Variant, Load string
	Index, Attempt, Block                 int
	Status                                results.Status
	Job, Kind                             string
	Depth                                 int
	Rate                                  float64
	AchievedDepth                         results.Float
	WindowSeconds                         float64
	Ops, Bytes, Errors                    int64
	// Figures stand in the order of Quantities.
	Figures              []results.Float
	Pending              int
	OldestPendingSeconds float64
	Findings             []string
}
