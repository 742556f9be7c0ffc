// Package tunables knows the knobs: what each is, how its values are written,
// where it can be changed, and how to change it so that it can be put back.
//
// A Tunable is a definition, a Setting a tunable with a value. Host.Apply
// changes knobs under a durable journal and returns a Lease; Lease.Restore puts
// everything back, and Host.Recover does so after a crash.
package tunables

import "errors"

// Errors that callers tell apart. Each is wrapped with what was tried.
var (
	// ErrUnsupported: this system or device has no such knob.
	ErrUnsupported = errors.New("unsupported")
	// ErrDrift: a knob's value is neither what was found nor what was written.
	ErrDrift = errors.New("drift")
	// ErrRefused: the change could not be undone, or would do harm.
	ErrRefused = errors.New("refused")
	// ErrPending: the journal still holds changes of an earlier run.
	ErrPending = errors.New("settings of an earlier run are not restored")
)

// Via is where a setting acts.
type Via string

// The places where a setting can act.
const (
	Auto   Via = ""       // the kernel's knob where there is one, else the stack
	Kernel Via = "kernel" // the real knob: journalled, read back, restored
	Stack  Via = "stack"  // the same semantics in iosweep's own layers
	Model  Via = "model"  // a simulated disk
)

// Type is the kind of value that a tunable takes.
type Type uint8

// The types of value.
const (
	Integer Type = iota // a decimal integer in the tunable's own unit
	Choice              // one word of a list that the kernel shows
	Text                // anything without line breaks
)

// Tunable is a knob's definition.
type Tunable struct {
	// Name is what profiles call it, such as max_sectors_kb.
	Name string
	// Summary is one line; Doc says what it does, its traps and what zero means.
	Summary, Doc string
	Type         Type
	// Unit is the unit of a plain number: sectors, requests, breaks, KiB,
	// bytes, ms, us, or empty.
	Unit string
	// UnitBytes is the unit's size where values may also be written with a unit
	// of bytes (64KiB); 0 where they may not. For sectors it is 512.
	UnitBytes int64
	// Min and Max bound an Integer, both included.
	Min, Max int64
	// Traps are the ways in which it surprises, a sentence each.
	Traps []string
	// Source names the code or document that defines it.
	Source string
	// Default is the usual value, for people.
	Default string
	// Usual is the usual value in the tunable's own canonical text, for machines:
	// what acts where no kernel holds a value. It is empty where there is no one.
	Usual string
	// Kernel lists the real knobs, one for each operating system that has it.
	Kernel []Knob
	// Stack says that iosweep's own layers can act it.
	Stack bool
	// Buffered says that it acts on I/O through the page cache alone, which direct
	// I/O passes by.
	Buffered bool
	// Disturbs names the tunables, or the addresses ending in /*, that writing
	// this one resets: it is written before them and they are restored after it.
	Disturbs []string
}

// Knob is where an operating system keeps a tunable.
type Knob struct {
	OS string // GOOS
	// Address is space:path, such as sysfs:queue/max_sectors_kb (relative to
	// the device) or sysctl:debug.bioq_batchsize.
	Address string
	// Reboot says that a change takes effect only after a reboot or reload.
	Reboot bool
	// Boot is the address of the value that the next boot or load takes; empty
	// where iosweep cannot write it.
	Boot string
}

// Setting is a tunable and a value in the tunable's own canonical text.
type Setting struct {
	Tunable Tunable
	Value   string
	Via     Via
}
