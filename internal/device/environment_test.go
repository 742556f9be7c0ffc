package device

import (
	"encoding/binary"
	"maps"
	"runtime"
	"testing"

	"github.com/iosweep/iosweep/results"
)

func TestCaptureRecordedHost(t *testing.T) {
	e := capture(tree{"testdata/host"})
	if e.Kernel != "6.12.9-test" || e.CPU != "Test CPU @ 2.00GHz" || e.Memory != 16318412<<10 {
		t.Errorf("got %+v", e)
	}
	if e.Governor != "performance, powersave" || e.Clock != "tsc" || e.Virtual != "QEMU Standard PC (Q35 + ICH9, 2009)" {
		t.Errorf("got %+v", e)
	}
}

func TestCaptureThisHost(t *testing.T) {
	e := CaptureEnvironment()
	if e.OS != runtime.GOOS || e.CPUs < 1 || e.Go == "" {
		t.Errorf("got %+v", e)
	}
	if runtime.GOOS == "linux" && (e.Kernel == "" || e.Memory == 0) {
		t.Errorf("got %+v", e)
	}
}

func TestCaptureOfNothing(t *testing.T) {
	if e := capture(tree{t.TempDir()}); e.CPU != "" || e.Memory != 0 || e.Virtual != "" {
		t.Errorf("got %+v", e)
	}
}

func TestToResultKeepsWhatTheResultDependsOn(t *testing.T) {
	i := Info{Name: "n", ID: "id", Kind: "loop", SizeBytes: 1, LogicalBlockBytes: 2, DeleteMaxBytes: 3, Backing: "b", Settings: map[string]string{"queue/x": "1"}}
	r := ToResult(i)
	if r.Name != "n" || r.ID != "id" || r.Kind != "loop" || r.SizeBytes != 1 || r.LogicalBlockBytes != 2 || r.DeleteMaxBytes != 3 || r.Backing != "b" || r.Settings["queue/x"] != "1" {
		t.Errorf("got %+v", r)
	}
}

func TestDescribeBSDHost(t *testing.T) {
	k := newFakeBSD(t)
	maps.Copy(k.sysctls, map[string][]byte{
		"hw.model": []byte("ACME CPU @ 2.00GHz \x00"), "hw.physmem": binary.LittleEndian.AppendUint64(nil, 4<<30),
		"kern.timecounter.hardware": []byte("TSC-low\x00"), "kern.vm_guest": []byte("kvm\x00"), "kern.osreldate": {0x5d, 0x15, 0x14, 0},
	})
	e := results.Environment{Kernel: "13.1-RELEASE"}
	k.bsd().describeHost(&e)
	if e.CPU != "ACME CPU @ 2.00GHz" || e.Memory != 4<<30 || e.Clock != "TSC-low" || e.Virtual != "kvm" || e.Kernel != "13.1-RELEASE (1316189)" {
		t.Errorf("got %+v", e)
	}
	k.sysctls["kern.vm_guest"] = []byte("none\x00")
	e = results.Environment{}
	if k.bsd().describeHost(&e); e.Virtual != "" {
		t.Errorf("bare metal is %q", e.Virtual)
	}
}
