package registry

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"golang.org/x/sys/windows/registry"
)

// The machine's own registry, in a key of this test's.
func TestMachine(t *testing.T) {
	ctx := context.Background()
	const key = `SOFTWARE\iosweep-registry-test`
	t.Cleanup(func() { registry.DeleteKey(registry.LOCAL_MACHINE, key) })
	s, err := System()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(key + `\x`); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that is not there: %v", err)
	}
	for name, values := range map[string][2]string{"d": {"17", "255"}, "q": {"4294967296", "3"}, "s": {"on", "é off"}} {
		path := key + `\` + name
		if got, err := s.Read(ctx, path); got != Absent || err != nil {
			t.Fatalf("%s before: %q, %v", name, got, err)
		}
		for _, v := range values {
			if err := errors.Join(s.Write(ctx, path, v), s.Probe(path)); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Read(ctx, path); got != v || err != nil {
				t.Errorf("%s: wrote %q, read %q, %v", name, v, got, err)
			}
		}
		if err := s.Write(ctx, path, Absent); err != nil {
			t.Error(err)
		}
		if got, _ := s.Read(ctx, path); got != Absent {
			t.Errorf("%s after: %q", name, got)
		}
	}
}
