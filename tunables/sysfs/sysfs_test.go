package sysfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseChoice(t *testing.T) {
	for _, c := range []struct {
		text, current string
		possible      []string
		ok            bool
	}{
		{"none [mq-deadline] kyber bfq \n", "mq-deadline", []string{"none", "mq-deadline", "kyber", "bfq"}, true},
		{"[none]", "none", []string{"none"}, true},
		{"none", "none", []string{"none"}, true}, // a device without request queue
		{"write back", "", nil, false},
		{"", "", nil, false},
		{"[a] [b]", "", nil, false},
		{"[]", "", nil, false},
		{"[a", "", nil, false},
		{"a] b", "", nil, false},
	} {
		current, possible, ok := ParseChoice(c.text)
		if current != c.current || ok != c.ok || !slices.Equal(possible, c.possible) {
			t.Errorf("ParseChoice(%q) = %q, %q, %v", c.text, current, possible, ok)
		}
	}
}

func FuzzParseChoice(f *testing.F) {
	f.Add("none [mq-deadline] kyber")
	f.Add("[[x]]")
	f.Fuzz(func(t *testing.T, text string) {
		current, possible, ok := ParseChoice(text)
		if ok && (!slices.Contains(possible, current) || strings.ContainsAny(current, "[] \n")) {
			t.Fatalf("ParseChoice(%q) = %q of %q", text, current, possible)
		}
	})
}

// tree is a sysfs of plain files with a disk, a partition of it, and a disk
// whose name begins with the other's.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"sys/devices/pci/nvme1n1/queue/scheduler":          "[none] mq-deadline\n",
		"sys/devices/pci/nvme1n1/queue/max_sectors_kb":     "1280\n",
		"sys/devices/pci/nvme1n1/queue/iosched/fifo_batch": "16\n",
		"sys/devices/pci/nvme1n1/nvme1n1p1/partition":      "1\n",
		"sys/devices/pci/nvme1n11/queue/max_sectors_kb":    "512\n",
		"sys/module/zfs/parameters/zfs_limit":              "7\n",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	readOnly := filepath.Join(root, "sys/devices/pci/nvme1n1/queue/iosched/stat")
	links := filepath.Join(root, "sys/dev/block")
	err := errors.Join(
		os.WriteFile(readOnly, []byte("1\n"), 0o444),
		os.MkdirAll(links, 0o755),
		os.Symlink("../../devices/pci/nvme1n1", filepath.Join(links, "259:1")),
		os.Symlink("../../devices/pci/nvme1n1/nvme1n1p1", filepath.Join(links, "259:2")))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestResolve(t *testing.T) {
	root := tree(t)
	disk := filepath.Join(root, "sys/devices/pci/nvme1n1")
	for _, c := range []struct{ devNum, dir, want string }{
		{"259:1", "", disk},
		{"259:2", "", disk}, // a partition's queue is its disk's
		{"", disk, disk},
		{"259:3", "", ""},
		{"", "", ""},
	} {
		got, err := Resolve(root, c.devNum, c.dir)
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Resolve(%q, %q) = %q, %v; want %q", c.devNum, c.dir, got, err, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	root, ctx := tree(t), context.Background()
	dir, err := Resolve(root, "259:1", "")
	if err != nil {
		t.Fatal(err)
	}
	files := Device(dir, nil)
	if err := files.Write(ctx, "queue/max_sectors_kb", "64"); err != nil {
		t.Fatal(err)
	}
	if got, err := files.Read(ctx, "queue/max_sectors_kb"); got != "64" || err != nil {
		t.Errorf("read back %q, %v", got, err)
	}
	if err := files.Write(ctx, "queue/nothing", "1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("write to a knob that is not there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "queue/nothing")); err == nil {
		t.Error("a file was made")
	}
	if _, err := files.Read(ctx, "../nvme1n11/queue/max_sectors_kb"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("path out of the tree: %v", err)
	}
	knobs, err := files.List("queue/iosched")
	if err != nil || !slices.Equal(knobs, []string{"queue/iosched/fifo_batch"}) {
		t.Errorf("List = %q, %v", knobs, err)
	}
	if knobs, err := files.List("queue/none"); len(knobs) != 0 || err != nil {
		t.Errorf("List of nothing = %q, %v", knobs, err)
	}
	if err := files.Probe("queue/iosched/stat"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Probe of a read-only knob = %v", err)
	}
}

func TestModules(t *testing.T) {
	got, err := Modules(tree(t)).Read(context.Background(), "zfs/zfs_limit")
	if got != "7" || err != nil {
		t.Errorf("Read = %q, %v", got, err)
	}
}

func TestMissingDevice(t *testing.T) {
	gone := errors.New("gone")
	files := Device("", gone)
	_, readErr := files.Read(context.Background(), "queue/scheduler")
	for _, err := range []error{readErr, files.Write(context.Background(), "queue/scheduler", "x"), files.Probe("queue/scheduler")} {
		if !errors.Is(err, gone) {
			t.Errorf("err = %v", err)
		}
	}
}
