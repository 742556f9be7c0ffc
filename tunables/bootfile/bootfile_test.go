package bootfile

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/internal/durable"
)

func TestFiles(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		open              func(durable.FS, string) File
		file, name        string
		before, set, want string
	}{
		{Loader, "boot/loader.conf.local", "kern.maxphys", "", "1048576", "kern.maxphys=\"1048576\"\n"},
		{Loader, "boot/loader.conf.local", "kern.maxphys", "# mine\nkern.maxphys=\"1\"\nkern.maxphysx=2", "4", "# mine\nkern.maxphysx=2\nkern.maxphys=\"4\"\n"},
		{Modprobe, "etc/modprobe.d/iosweep.conf", "zfs/zfs_arc_max", "", "7", "options zfs zfs_arc_max=7\n"},
	} {
		root := t.TempDir()
		path := filepath.Join(root, c.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if c.before != "" {
			os.WriteFile(path, []byte(c.before), 0o644)
		}
		f := c.open(durable.OS{}, root)
		old, err := f.Read(ctx, c.name)
		if err != nil || (c.before == "") != (old == Absent) {
			t.Errorf("%s before: %q, %v", c.name, old, err)
		}
		if err := f.Write(ctx, c.name, c.set); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(path)
		if got, err := f.Read(ctx, c.name); string(text) != c.want || got != c.set || err != nil {
			t.Errorf("%s: file %q reads %q, %v; want %q", c.name, text, got, err, c.want)
		}
		if err := f.Write(ctx, c.name, Absent); err != nil {
			t.Fatal(err)
		}
		if got, _ := f.Read(ctx, c.name); got != Absent {
			t.Errorf("%s after: %q", c.name, got)
		}
		if _, err := os.Stat(path); c.before == "" && !os.IsNotExist(err) {
			t.Errorf("%s: an empty file is left", c.name)
		}
		if f.Write(ctx, c.name, "1\noptions evil x=1") == nil {
			t.Error("a value with a line break is written")
		}
	}
}
