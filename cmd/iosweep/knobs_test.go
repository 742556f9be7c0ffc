package main

import (
	"testing"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/tunables"
)

// What cannot act on a disk is told before the run, where the kernel's knob is
// meant and the disk does not sort, or direct I/O passes it by.
func TestNoEffect(t *testing.T) {
	bioq, _ := tunables.Lookup("bioq_batchsize")
	address, _ := tunables.Lookup("sysctl:debug.bioq_batchsize")
	chunk, _ := tunables.Lookup("delete_max_sectors")
	ahead, _ := tunables.Lookup("read_ahead_kb")
	aheadAddress, _ := tunables.Lookup("sysfs:queue/read_ahead_kb")
	for _, c := range []struct {
		sorts string
		knob  tunables.Tunable
		via   tunables.Via
		told  bool
	}{
		{"no", bioq, tunables.Kernel, true},
		{"no", bioq, tunables.Stack, false},
		{"no", address, tunables.Kernel, true},
		{"yes", bioq, tunables.Kernel, false},
		{"unknown", bioq, tunables.Kernel, false},
		{"no", chunk, tunables.Kernel, false},
		{"unknown", ahead, tunables.Kernel, true},
		{"unknown", aheadAddress, tunables.Kernel, true},
	} {
		plan := &profiles.Plan{Variants: []profiles.Variant{{Settings: []tunables.Setting{{Tunable: c.knob, Value: "1", Via: c.via}}}}}
		if got := noEffect(plan, map[string]string{device.SortsSetting: c.sorts}); (got != "") != c.told {
			t.Errorf("%s via %s on a disk that sorts: %s: %q", c.knob.Name, c.via, c.sorts, got)
		}
	}
}
