package tunables

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plainTree is a root with one disk whose knobs are plain files.
func plainTree(t *testing.T) (root, disk string) {
	t.Helper()
	root = t.TempDir()
	disk = filepath.Join(root, "sys/devices/x/sda")
	links := filepath.Join(root, "sys/dev/block")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(disk, "queue"), 0o755),
		os.MkdirAll(links, 0o755),
		os.WriteFile(filepath.Join(disk, "queue/nomerges"), []byte("0\n"), 0o644),
		os.WriteFile(filepath.Join(disk, "diskseq"), []byte("7\n"), 0o444),
		os.Symlink("../../devices/x/sda", filepath.Join(links, "8:0")),
		os.Symlink("../../devices/x/sda", filepath.Join(links, "7:3")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return root, disk
}

func treeOptions(root string) HostOptions {
	return HostOptions{Root: root, StateDir: filepath.Join(root, "state"), OS: "linux", BootID: "b", Hostname: "lab",
		Device: Identity{ID: "serial", Name: "sda", DevNum: "8:0"}}
}

// applied returns a host and a lease that has set nomerges to 2 in the tree.
func applied(t *testing.T, root string) (*Host, *Lease) {
	t.Helper()
	h, err := NewHost(treeOptions(root))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	lease, err := h.Apply(context.Background(), settings(t, "nomerges", "2"))
	if err != nil {
		t.Fatal(err)
	}
	return h, lease
}

// The settings of a disk that is unplugged go with it: nothing is to be done,
// and nothing is made where it was.
func TestDeviceGone(t *testing.T) {
	for _, how := range []string{"restore", "recover"} {
		root, disk := plainTree(t)
		h, lease := applied(t, root)
		if err := errors.Join(os.RemoveAll(disk), os.Remove(filepath.Join(root, "sys/dev/block/8:0"))); err != nil {
			t.Fatal(err)
		}
		var err error
		if how == "restore" {
			err = lease.Restore(context.Background())
		} else {
			h.Close()
			_, err = Recover(context.Background(), treeOptions(root))
		}
		if err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if left, err := Journals(filepath.Join(root, "state")); len(left) != 0 || err != nil {
			t.Errorf("%s: journals left: %v, %v", how, left, err)
		}
		if _, err := os.Stat(disk); err == nil {
			t.Errorf("%s: something was made at %s", how, disk)
		}
	}
}

// A disk that took the place of ours is not written. Ours took its settings with
// it; of a loop device that is not certain, so the operator must look.
func TestDeviceReplaced(t *testing.T) {
	for devNum, wantErr := range map[string]string{"8:0": "", "7:3": "another one was attached"} {
		root, disk := plainTree(t)
		o := treeOptions(root)
		o.Device.DevNum = devNum
		h, err := NewHost(o)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		lease, err := h.Apply(context.Background(), settings(t, "nomerges", "2"))
		if err != nil {
			t.Fatal(err)
		}
		replaceDisk(t, disk)
		err = lease.Restore(context.Background())
		if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s: Restore = %v, want %q", devNum, err, wantErr)
		}
		if text, _ := os.ReadFile(filepath.Join(disk, "queue/nomerges")); string(text) != "2" {
			t.Errorf("%s: the other disk's knob is %q", devNum, text)
		}
	}
}

func replaceDisk(t *testing.T, disk string) {
	t.Helper()
	seq := filepath.Join(disk, "diskseq")
	if err := errors.Join(os.Remove(seq), os.WriteFile(seq, []byte("8\n"), 0o444)); err != nil {
		t.Fatal(err)
	}
}

// Another disk under the number of ours, as soon as the caller does not find
// ours any more, means that ours is gone; the other one is left alone.
func TestDeviceGoneAndNumberReused(t *testing.T) {
	root, disk := plainTree(t)
	h, _ := applied(t, root)
	h.Close()
	replaceDisk(t, disk)
	o := treeOptions(root)
	o.Device.DevNum = ""
	r, err := Recover(context.Background(), o)
	if err != nil || len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "gone") {
		t.Errorf("Recover = %+v, %v", r, err)
	}
	if text, _ := os.ReadFile(filepath.Join(disk, "queue/nomerges")); string(text) != "2" {
		t.Errorf("the other disk's knob is %q", text)
	}
}

// The caller who cannot find the device does not lose its settings.
func TestDeviceNotFoundByCaller(t *testing.T) {
	root, disk := plainTree(t)
	h, _ := applied(t, root)
	h.Close()
	o := treeOptions(root)
	o.Device.DevNum = ""
	if _, err := Recover(context.Background(), o); err == nil {
		t.Error("Recover succeeds without its device")
	}
	if left, _ := Journals(o.StateDir); len(left) != 1 {
		t.Errorf("journals left: %v", left)
	}
	if _, err := Recover(context.Background(), treeOptions(root)); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(disk, "queue/nomerges")); string(text) != "0" {
		t.Errorf("knob is %q", text)
	}
}

// A knob of the whole machine that another device's journal holds is not
// changed: what it holds now is not its own value.
func TestWholeMachineKnobOfAnotherJournal(t *testing.T) {
	root, _ := plainTree(t)
	parameters := filepath.Join(root, "sys/module/zfs/parameters")
	limit := filepath.Join(parameters, "zfs_vdev_aggregation_limit")
	if err := errors.Join(os.MkdirAll(parameters, 0o755), os.WriteFile(limit, []byte("1048576\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	first, err := NewHost(treeOptions(root))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Apply(context.Background(), settings(t, "zfs_vdev_aggregation_limit", "131072")); err != nil {
		t.Fatal(err)
	}
	o := treeOptions(root)
	o.Device = Identity{ID: "other", Name: "sdb"}
	second, err := NewHost(o)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	change := settings(t, "module:zfs/zfs_vdev_aggregation_limit", "65536")
	if _, err := second.Apply(context.Background(), change); !errors.Is(err, ErrBusy) {
		t.Errorf("while the first lives: %v", err)
	}
	first.Close()
	if _, err := second.Apply(context.Background(), change); !errors.Is(err, ErrPending) {
		t.Errorf("after the first died: %v", err)
	}
	if text, _ := os.ReadFile(limit); string(text) != "131072" {
		t.Errorf("knob is %q", text)
	}
	second.Close()
	if _, err := Recover(context.Background(), treeOptions(root)); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(limit); string(text) != "1048576" {
		t.Errorf("knob is %q", text)
	}
}
