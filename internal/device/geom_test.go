package device

import (
	"bytes"
	"slices"
	"syscall"
	"testing"
)

// A partition's label hides no device, whatever it holds.
func TestParseMeshOddLabels(t *testing.T) {
	for name, label := range map[string]string{"latin 1": "caf\xe9", "no character": "\ufffe\uffff", "control": "a\x01b"} {
		m, err := parseMesh([]byte("<mesh><class><name>PART</name><geom><name>ada0</name><provider id=\"0x1\"><mode>r0w0e0</mode><name>ada0p1</name>" +
			"<mediasize>512</mediasize><config><label>" + label + "</label><index>1</index></config></provider></geom></class></mesh>\x00"))
		if err != nil || len(m.providers) != 1 || m.providers[0].name != "ada0p1" || m.providers[0].config["index"] != "1" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// A file that backs a memory disk is in use, whether or not that is.
func TestDisksOnFile(t *testing.T) {
	k := newFakeBSD(t)
	k.sysctls["kern.geom.confxml"] = bytes.ReplaceAll(k.sysctls["kern.geom.confxml"], []byte("/disk.img"), []byte("/d&#xC3;&#xAF;sk.img"))
	for file, want := range map[string][]string{"/var/tmp/dïsk.img": {"backs md1"}, "/var/tmp/other.img": nil} {
		got, err := k.bsd().disksOnFile(func(path string) bool { return path == file })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", file, got, err, want)
		}
	}
	k.errs["kern.geom.confxml"] = []error{syscall.EIO}
	if _, err := k.bsd().disksOnFile(func(string) bool { return true }); err == nil {
		t.Error("a tree that cannot be read shows no user")
	}
}
