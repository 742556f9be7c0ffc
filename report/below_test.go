package report_test

import (
	"testing"

	"github.com/iosweep/iosweep/report"
	"github.com/iosweep/iosweep/results"
)

// TestEffectMustReachTheDriver sets what iosweep's layers sent beside what the
// kernel counted.
func TestEffectMustReachTheDriver(t *testing.T) {
	const kib = 1 << 10
	both := func(sent, got results.CounterKind) func(*results.Trial) {
		return func(t *results.Trial) {
			t.Layer = &results.Layer{Write: sent, Delete: sent}
			t.Counters = &results.Counters{Write: got, Delete: got}
		}
	}
	for _, c := range []struct {
		name, tunable, value, kind string
		watch                      func(*results.Trial)
		state, says                string
	}{
		{"arrived", "physical_breaks", "17", "write", both(requests(2000, 64*kib), requests(2000, 64*kib)), report.Proven, "as asked; 64 KiB reached the driver"},
		{"merged", "physical_breaks", "17", "write", both(requests(2000, 64*kib), requests(250, 512*kib)), report.Differs, "but 64 KiB sent, 512 KiB reached the driver: merged"},
		{"split", "physical_breaks", "17", "write", both(requests(2000, 64*kib), requests(4000, 32*kib)), report.Differs, "but 64 KiB sent, 32 KiB reached the driver: split again"},
		{"no limit", "delete_max_sectors", "0", "delete", both(requests(1000, 128*kib), requests(2000, 64*kib)), report.Proven, "the device's own limit splits them"},
		{"others were at the device", "physical_breaks", "17", "write", both(requests(2000, 64*kib), requests(4000, 512*kib)), report.Proven, "64 KiB write requests, as asked"},
	} {
		e := seen(t, c.tunable, c.value, "stack", c.kind, c.watch)
		if e.State != c.state {
			t.Errorf("%s: state %q (%s), want %q", c.name, e.State, e.Seen, c.state)
		}
		has(t, c.name, e.Seen, c.says)
	}
}
