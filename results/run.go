// Package results is the folder in which measuring and reporting meet: what a
// run was, what each trial saw, and how both are kept.
//
// A run folder holds run.json (a Run), trials.jsonl (a Trial a line) and
// SHA256SUMS, which is written last and so marks the run as complete. All
// figures are in base units: seconds, bytes, operations per second.
package results

import (
	"encoding/json"
	"math"
	"time"
)

// SchemaVersion is the version of the run folder's files that Writer writes.
const SchemaVersion = 1

// Run is everything that the trials of one run have in common.
type Run struct {
	Schema int    `json:"schema"`
	ID     string `json:"id"`
	// Tool is iosweep's version.
	Tool    string    `json:"tool"`
	Started time.Time `json:"started"`
	// Args is the command line that made the run.
	Args []string `json:"args,omitempty"`
	// Profile is the profile's name, ProfileText its exact text.
	Profile     string `json:"profile"`
	ProfileText string `json:"profile_text"`
	Seed        uint64 `json:"seed"`
	// Engine is the engine that was used, and EngineNote why, where there was a
	// choice.
	Engine     string `json:"engine"`
	EngineNote string `json:"engine_note,omitempty"`
	// Simulated says that no real device was measured.
	Simulated bool   `json:"simulated,omitempty"`
	Device    Device `json:"device"`
	// NamedTargets are the targets that jobs name, beside the first, Device.
	NamedTargets []NamedTarget `json:"named_targets,omitempty"`
	Environment  Environment   `json:"environment"`
	Tunables     []Tunable     `json:"tunables"`
	Variants     []Variant     `json:"variants"`
	Workloads    []Workload    `json:"workloads"`
	Objectives   []Objective   `json:"objectives,omitempty"`
	Repeats      int           `json:"repeats"`
	// Repeat says that the run measured until it knew enough; nil for a fixed
	// number of repeats.
	Repeat *Repeat `json:"repeat,omitempty"`
	// Planned is how many trials the plan has.
	Planned int `json:"planned"`
	// References are published figures to show beside the measured ones.
	References []Reference `json:"references,omitempty"`
}

// Device identifies what was measured.
type Device struct {
	// Name is the kernel's name then, ID the serial, WWN or backing file.
	Name     string `json:"name"`
	Path     string `json:"path,omitempty"`
	ID       string `json:"id"`
	Kind     string `json:"kind"` // loop, nvme, scsi, virtio, zram, file, model, ...
	Model    string `json:"model,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Serial   string `json:"serial,omitempty"`

	SizeBytes              int64 `json:"size_bytes"`
	LogicalBlockBytes      int64 `json:"logical_block_bytes"`
	PhysicalBlockBytes     int64 `json:"physical_block_bytes,omitempty"`
	DeleteGranularityBytes int64 `json:"delete_granularity_bytes,omitempty"`
	DeleteMaxBytes         int64 `json:"delete_max_bytes,omitempty"`
	Rotational             bool  `json:"rotational,omitempty"`
	// Scratch says that iosweep made the target for this run and removed it.
	Scratch bool `json:"scratch,omitempty"`
	// Backing describes what a loop or stacked device stands on.
	Backing string `json:"backing,omitempty"`
	// Settings are the queue's settings before the run, by knob
	// (queue/max_sectors_kb and so on).
	Settings map[string]string `json:"settings,omitempty"`
}

// NamedTarget is a target beside the first, under the name that jobs have for it.
type NamedTarget struct {
	Target string `json:"target"`
	Device Device `json:"device"`
}

// Environment is the machine on which a run was made.
type Environment struct {
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Kernel   string `json:"kernel,omitempty"`
	Hostname string `json:"hostname,omitempty"`
	CPU      string `json:"cpu,omitempty"`
	CPUs     int    `json:"cpus"`
	Governor string `json:"governor,omitempty"`
	Memory   int64  `json:"memory_bytes,omitempty"`
	Clock    string `json:"clock,omitempty"`
	Virtual  string `json:"virtualisation,omitempty"`
	Go       string `json:"go"`
	Root     bool   `json:"root"`
}

// Tunable is a knob as it was varied.
type Tunable struct {
	Name    string `json:"name"`
	Unit    string `json:"unit,omitempty"`
	Summary string `json:"summary,omitempty"`
	Source  string `json:"source,omitempty"`
	// Default is the value in force before the run, or the usual one of what no
	// kernel holds; empty where neither is known.
	Default string `json:"default,omitempty"`
	// Values are the values asked for, in the profile's order.
	Values []string `json:"values"`
}

// Setting is one tunable and its value.
type Setting struct {
	Tunable string `json:"tunable"`
	Value   string `json:"value"`
	// Label is how people know the value, where that is not Value itself.
	Label string `json:"label,omitempty"`
	// Via is where it acts: kernel, stack or model.
	Via string `json:"via"`
}

// Variant is one set of settings. ID is short, unique in the run and stable for
// the same settings.
type Variant struct {
	ID       string    `json:"id"`
	Label    string    `json:"label"`
	Settings []Setting `json:"settings"`
}

// Workload describes what was driven, as resolved for the target.
type Workload struct {
	Name    string `json:"name"`
	Summary string `json:"summary,omitempty"`
	// Varies lists the tunables whose effect this workload measures.
	Varies []string `json:"varies"`
	Jobs   []Job    `json:"jobs"`
}

// Job is one stream of operations of a workload.
type Job struct {
	Name    string `json:"name"`
	Summary string `json:"summary,omitempty"`
	// Target names the target that it went to; empty is the first.
	Target string `json:"target,omitempty"`
	// Load says that the workload's load points set this job's depth or rate.
	Load bool `json:"load,omitempty"`
	// CPUs are the processors that its threads were held to, NUMANodes the
	// nodes that these belong to, where the system tells.
	CPUs      []int `json:"cpus,omitempty"`
	NUMANodes []int `json:"numa_nodes,omitempty"`
}

// Objective is what "best" means for one workload.
type Objective struct {
	Workload string `json:"workload"`
	// Maximise or minimise Metric, a name of the form JOB.METRIC or METRIC.
	Maximise string `json:"maximise,omitempty"`
	Minimise string `json:"minimise,omitempty"`
	// Limits are the constraints, METRIC <= or >= value in base units.
	Limits []Limit `json:"subject_to,omitempty"`
}

// Limit is one constraint of an objective, in base units.
type Limit struct {
	Metric string  `json:"metric"`
	Op     string  `json:"op"` // "<=" or ">="
	Value  float64 `json:"value"`
	// Text is the constraint as it was written.
	Text string `json:"text"`
}

// Repeat is how a run that measures until it knows enough decides to stop:
// after Min to Max blocks, when every objective is decided, or when
// BudgetSeconds are spent (0: no budget). Margin is the relative difference that
// does not matter.
type Repeat struct {
	Min           int     `json:"min"`
	Max           int     `json:"max"`
	Margin        float64 `json:"margin"`
	BudgetSeconds float64 `json:"budget_s,omitempty"`
}

// Reference is a published figure, not measured in this run.
type Reference struct {
	Label      string  `json:"label"`
	Workload   string  `json:"workload,omitempty"`
	Tunable    string  `json:"tunable,omitempty"`
	Value      string  `json:"value,omitempty"`
	Metric     string  `json:"metric"`
	Figure     float64 `json:"figure"` // base units
	Qualifier  string  `json:"qualifier,omitempty"`
	Citation   string  `json:"citation"`
	MeasuredOn string  `json:"measured_on,omitempty"`
	// Model is the simulated disk that stands for that hardware.
	Model string `json:"model,omitempty"`
}

// Float is a figure that may be missing. It is null in JSON when it is, never
// Inf or NaN; the reason stands in the nearest Note or Finding.
type Float struct {
	V     float64
	Valid bool
}

// Some returns a figure that is present, unless v is Inf or NaN and so none.
func Some(v float64) Float {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return Float{}
	}
	return Float{V: v, Valid: true}
}

// MarshalJSON writes the number, or null.
func (f Float) MarshalJSON() ([]byte, error) {
	if !f.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(f.V)
}

// UnmarshalJSON reads a number, or null.
func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Float{}
		return nil
	}
	var v float64
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*f = Some(v)
	return nil
}
