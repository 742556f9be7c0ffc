package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder is laid out as FreeBSD's package is.
func folder(t *testing.T) string {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"usr/local/bin/iosweep": 0o755, "usr/local/etc/rc.d/iosweep_restore": 0o555} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), mode)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pack runs twice and expects the same bytes.
func pack(t *testing.T, kind, dir string, more ...string) []byte {
	var made [2][]byte
	for i := range made {
		path := filepath.Join(t.TempDir(), "x")
		if err := run(append([]string{kind, path, dir}, more...), "1700000000"); err != nil {
			t.Fatal(err)
		}
		made[i], _ = os.ReadFile(path)
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the same files give other bytes")
	}
	return made[0]
}

func TestPkg(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(pack(t, "pkg", folder(t), "1.2-3-gabc", "arm64")))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	var names []string
	var m manifest
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if data, _ := io.ReadAll(r); h.Name == "+MANIFEST" && json.Unmarshal(data, &m) != nil {
			t.Errorf("the manifest is %s", data)
		}
		if h.ModTime.Unix() != 1700000000 || h.Uname != "root" || strings.Contains(h.Name, "rc.d") && h.Mode != 0o555 {
			t.Errorf("%s: %+v", h.Name, h)
		}
	}
	want := []string{"+COMPACT_MANIFEST", "+MANIFEST", "/usr/local/bin/iosweep", "/usr/local/etc/rc.d/iosweep_restore"}
	if !slices.Equal(names, want) || m.ABI != "FreeBSD:*:aarch64" || m.Version != "1.2.3.gabc" || len(m.Files) != 2 || m.FlatSize != 21+34 {
		t.Errorf("%q, %+v", names, m)
	}
	if sum := m.Files["/usr/local/bin/iosweep"]; len(sum) != 66 || !strings.HasPrefix(sum, "1$") {
		t.Errorf("sum %q", sum)
	}
}

func TestZip(t *testing.T) {
	made := pack(t, "zip", folder(t))
	z, err := zip.NewReader(bytes.NewReader(made), int64(len(made)))
	if err != nil || len(z.File) != 2 || z.File[0].Name != "usr/local/bin/iosweep" || z.File[0].Modified.Unix() != 1700000000 {
		t.Errorf("%v, %v", z, err)
	}
}

func TestRefusals(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x")
	for _, args := range [][]string{nil, {"zip", out}, {"pkg", out, folder(t), "1", "sparc64"}, {"zip", out, filepath.Join(out, "none")}} {
		if run(args, "1") == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	if run([]string{"zip", out, folder(t)}, "today") == nil {
		t.Error("a time that is no number is accepted")
	}
}
