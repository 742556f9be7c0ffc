package main

import (
	"testing"

	"github.com/iosweep/iosweep/internal/device"
)

// A self-test changes no knob of a disk that was not named.
func TestOtherDisk(t *testing.T) {
	for _, c := range []struct{ address, name, disk, want string }{
		{"sysctl:kern.cam.da.0.delete_max", "md7", "", "da0"},
		{"sysctl:kern.cam.da.0.delete_max", "da0", "", ""},
		{"sysctl:kern.cam.da.0.delete_max", "da0p2", "da0", ""},
		{"sysctl:kern.cam.ada.0.delete_method", "da0", "", "ada0"},
		{"sysctl:kern.cam.nda.max_trim", "md7", "", ""},
		{"sysctl:debug.bioq_batchsize", "md7", "", ""},
		{"sysfs:queue/scheduler", "loop0", "", ""},
	} {
		claim := &device.Claim{Info: device.Info{Name: c.name, Disk: c.disk}}
		if got := otherDisk(c.address, claim); got != c.want {
			t.Errorf("%s with %s claimed: %q, want %q", c.address, c.name, got, c.want)
		}
	}
	if got := otherDisk("sysctl:kern.cam.da.0.delete_max", nil); got != "" {
		t.Errorf("without a claim: %q", got)
	}
}
