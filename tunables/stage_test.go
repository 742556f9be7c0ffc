package tunables

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// bootRoot is a Linux machine whose module takes its parameter from modprobe.d
// when it is loaded.
func bootRoot(t *testing.T, value string) string {
	root := t.TempDir()
	for path, text := range map[string]string{"etc/modprobe.d/iosweep.conf": "options demo other=1\n", "sys/module/demo/parameters/limit": value + "\n"} {
		path = filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func stageHost(t *testing.T, root, boot string, o HostOptions) *Host {
	o.Root, o.StateDir, o.BootID, o.Hostname, o.OS = root, filepath.Join(root, "state"), boot, "h", "linux"
	o.Device = Identity{ID: "staged:run", Name: "staged"}
	h, err := NewHost(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func TestStage(t *testing.T) {
	ctx := context.Background()
	root := bootRoot(t, "16")
	def, _ := Lookup("modprobe:demo/limit")
	setting := Setting{Tunable: def, Value: "32"}
	if !setting.NeedsBoot("linux") || setting.NeedsBoot("windows") {
		t.Fatal("a module's parameter needs no boot on Linux")
	}
	live := stageHost(t, root, "one", HostOptions{})
	if _, err := live.Apply(ctx, []Setting{setting}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a live sweep of it: %v", err)
	}
	live.Close()
	first := stageHost(t, root, "one", HostOptions{Stage: true})
	staged, err := first.Stage(ctx, []Setting{setting})
	if err != nil || len(staged) != 1 || staged[0].Before != "absent" || staged[0].Address != "modprobe:demo/limit" {
		t.Fatalf("staged %+v, %v", staged, err)
	}
	first.Close()
	conf := filepath.Join(root, "etc/modprobe.d/iosweep.conf")
	if text, _ := os.ReadFile(conf); string(text) != "options demo other=1\noptions demo limit=32\n" {
		t.Errorf("modprobe.d has %q", text)
	}

	// The boot takes the value; a run reads it and does not write.
	os.WriteFile(filepath.Join(root, "sys/module/demo/parameters/limit"), []byte("30\n"), 0o644)
	o := HostOptions{Booted: staged}
	second := stageHost(t, root, "two", o)
	second.o.Device = Identity{ID: "disk"}
	lease, err := second.Apply(ctx, []Setting{setting})
	if err != nil || lease.Settings()[0].Observed != "30" || lease.Settings()[0].Before != "absent" {
		t.Fatalf("after the boot: %+v, %v", lease, err)
	}
	if err := lease.Restore(ctx); err != nil {
		t.Fatal(err)
	}
	second.Close()

	// In another boot the file is put back all the same.
	third := stageHost(t, root, "three", HostOptions{})
	recovery, err := third.Recover(ctx)
	if err != nil || len(recovery.Restored) != 1 || len(recovery.Skipped) != 0 {
		t.Fatalf("recovery %+v, %v", recovery, err)
	}
	if text, _ := os.ReadFile(conf); string(text) != "options demo other=1\n" {
		t.Errorf("modprobe.d is left with %q", text)
	}
}
