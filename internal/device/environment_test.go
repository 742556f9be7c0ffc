package device

import (
	"runtime"
	"testing"
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
