package results

// Preparation is what was done to a workload's regions, unmeasured, before a
// trial.
type Preparation struct {
	// DeletedBytes and FilledBytes count what was deleted and written
	// sequentially; Seconds is what all of the preparation took.
	DeletedBytes int64   `json:"deleted_bytes,omitempty"`
	FilledBytes  int64   `json:"filled_bytes,omitempty"`
	Seconds      float64 `json:"seconds"`
	// Steadiness is of the random overwrite; nil without one.
	Steadiness *Steadiness `json:"steadiness,omitempty"`
}

// Steadiness tells how a random overwrite went, judged as in SNIA's
// Performance Test Specification.
type Steadiness struct {
	// Quantity is what was judged: ops, throughput or mean.
	Quantity     string  `json:"quantity"`
	RoundSeconds float64 `json:"round_s"`
	// Rounds are the quantity's values, in base units.
	Rounds []float64 `json:"rounds"`
	// Steady says whether the last Window rounds were steady. Range is their
	// largest less their smallest value, Slope what the line fitted to them
	// rises or falls from first to last, both as shares of their mean; missing
	// when there were too few rounds or the mean is 0.
	Steady bool  `json:"steady"`
	Window int   `json:"window"`
	Range  Float `json:"range"`
	Slope  Float `json:"slope"`
}
