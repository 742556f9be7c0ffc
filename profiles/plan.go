package profiles

import (
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/tunables"
)

// Plan is every trial of a profile in the order in which it will be measured.
type Plan struct {
	Profile  *Profile
	Seed     uint64
	Variants []Variant
	Trials   []Trial
}

// Variant is one set of settings. ID is derived from the settings, so the same
// settings have the same ID in every run.
type Variant struct {
	ID       string
	Label    string
	Settings []tunables.Setting
}

// Trial is one planned trial. Variant and Workload are indexes into the plan's
// and the profile's lists.
type Trial struct {
	Index, Block      int
	Variant, Workload int
	Load              results.Load
	Seed              uint64
}

// Cost is what a plan will take of a target of a given size.
type Cost struct {
	Time time.Duration
	// WriteBytes and DeleteBytes are upper bounds where Bounded, else estimates
	// at the rates given to Estimate.
	WriteBytes, DeleteBytes int64
	Bounded                 bool
}
