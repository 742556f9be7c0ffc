package command

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// knob returns a command knob that keeps its value in a file.
func knob(t *testing.T) (path, file string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test's programs are for Unix")
	}
	dir := t.TempDir()
	file = filepath.Join(dir, "value")
	set := filepath.Join(dir, "set")
	script := "#!/bin/sh\nprintf '%s\\n' \"$1\" > " + file + "\n"
	if err := errors.Join(os.WriteFile(file, []byte("before\n"), 0o600), os.WriteFile(set, []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
	return spec(t, []string{"/bin/cat", file}, []string{set}), file
}

func spec(t *testing.T, get, set []string) string {
	t.Helper()
	text, err := json.Marshal(Spec{Get: get, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadAndWrite(t *testing.T) {
	path, _ := knob(t)
	r, ctx := Runner{Allowed: true}, context.Background()
	if err := r.Probe(path); err != nil {
		t.Fatal(err)
	}
	const hostile = "$(touch /tmp/x); `id` 'a b'"
	if err := r.Write(ctx, path, hostile); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Read(ctx, path); got != hostile || err != nil {
		t.Errorf("Read = %q, %v", got, err)
	}
}

func TestNotAllowed(t *testing.T) {
	path, file := knob(t)
	var r Runner
	_, readErr := r.Read(context.Background(), path)
	for _, err := range []error{readErr, r.Write(context.Background(), path, "x"), r.Probe(path)} {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "--allow-commands") {
			t.Errorf("err = %v", err)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != "before\n" {
		t.Errorf("the value became %q", text)
	}
}

func TestEnvironmentIsClean(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE")
	t.Setenv("IOSWEEP_SECRET", "x")
	path := spec(t, []string{"/bin/sh", "-c", "echo $LC_ALL:$IOSWEEP_SECRET:$PWD"}, []string{"/bin/true"})
	got, err := Runner{Allowed: true}.Read(context.Background(), path)
	if got != "C::/" || err != nil {
		t.Errorf("environment is %q, %v", got, err)
	}
}

func TestTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		get  []string
		want string
	}{
		"slow":     {[]string{"/bin/sleep", "60"}, "took longer"},
		"fails":    {[]string{"/bin/sh", "-c", "echo no such pool >&2; exit 3"}, "no such pool"},
		"floods":   {[]string{"/bin/sh", "-c", "head -c 100000 /dev/zero"}, "more than 4096"},
		"lines":    {[]string{"/bin/printf", "a\\nb\\n"}, "more than one line"},
		"is away":  {[]string{"/no/such/program"}, "no such file"},
		"relative": {[]string{"cat"}, "absolute"},
	} {
		r := Runner{Allowed: true, Limit: 200 * time.Millisecond}
		_, err := r.Read(context.Background(), spec(t, c.get, []string{"/bin/true"}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"get":["/a"],"set":["/b"]}`)
	f.Add(`{"get":["a"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err == nil && (!filepath.IsAbs(s.Get[0]) || !filepath.IsAbs(s.Set[0])) {
			t.Fatalf("%q was accepted", text)
		}
	})
}
