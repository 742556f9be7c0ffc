package device

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// fakeBSD answers as FreeBSD's kernel does. Its nodes are files in a directory.
type fakeBSD struct {
	t       *testing.T
	dir     string
	sysctls map[string][]byte
	errs    map[string][]error // given before a sysctl's value, in order
	mounts  []byte
	pages   []byte // of /dev/devstat
	// canDelete, size and serial answer ioctls by node.
	canDelete map[string]bool
	size      map[string]int64
	serial    map[string]string
}

func newFakeBSD(t *testing.T) *fakeBSD {
	xml, err := os.ReadFile("testdata/geom.xml")
	if err != nil {
		t.Fatal(err)
	}
	k := &fakeBSD{t: t, dir: t.TempDir(), sysctls: map[string][]byte{
		"kern.geom.confxml":            append(xml, 0),
		"kern.disks":                   []byte("cd0 nda0 da0 ada4 ada3 ada2 ada1 ada0 vtbd0 ada9\x00"),
		"kern.devstat.version":         binary.LittleEndian.AppendUint32(nil, 6),
		"kern.cam.ada.1.sort_io_queue": {0, 0, 0, 0},
		"kern.cam.da.0.sort_io_queue":  {255, 255, 255, 255},
		"kern.cam.sort_io_queues":      {1, 0, 0, 0},
		"kern.devstat.all":             devstatList(devstatEntry("ada", 0), devstatEntry("ada", 1)),
	}, errs: map[string][]error{}, canDelete: map[string]bool{"ada1": true, "md0": true}, size: map[string]int64{}, serial: map[string]string{}}
	m, err := parseMesh(k.sysctls["kern.geom.confxml"])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.providers {
		path := filepath.Join(k.dir, p.name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600), os.Truncate(path, min(p.sizeBytes, 1<<20))); err != nil {
			t.Fatal(err)
		}
		k.size[p.name], k.serial[p.name] = p.sizeBytes, p.config["ident"]
	}
	k.mounts = statfs("ufs", "/dev/ada0p2", "/")
	return k
}

func (k *fakeBSD) bsd() bsd {
	return bsd{kernel: k, dev: k.dir, pageBytes: 4096, pages: func() ([]byte, error) { return k.pages, nil }}
}

func (k *fakeBSD) Sysctl(name string) ([]byte, error) {
	if errs := k.errs[name]; len(errs) > 0 {
		k.errs[name] = errs[1:]
		return nil, errs[0]
	}
	v, ok := k.sysctls[name]
	if !ok {
		return nil, syscall.ENOENT
	}
	return v, nil
}

func (k *fakeBSD) Mounts() ([]byte, error) { return k.mounts, nil }

func (k *fakeBSD) Open(path string, write bool) (*os.File, error) {
	if write {
		return os.OpenFile(path, os.O_RDWR, 0)
	}
	return os.Open(path)
}

// Control checks what it is given as the kernel would: an attribute of another
// length is EINVAL.
func (k *fakeBSD) Control(f *os.File, request uint, arg []byte) error {
	name, _ := filepath.Rel(k.dir, f.Name())
	switch {
	case request == diocgMediaSize && len(arg) == 8:
		binary.LittleEndian.PutUint64(arg, uint64(k.size[name]))
		return nil
	case request == diocgIdent && len(arg) == 256:
		copy(arg, k.serial[name]+"\x00")
		return nil
	case request != diocgAttr || len(arg) != 328:
		return syscall.ENOTTY
	}
	length := binary.LittleEndian.Uint32(arg[64:])
	switch attr := cString(arg[:64]); {
	case attr == "GEOM::candelete" && length == 4:
		if k.canDelete[name] {
			binary.LittleEndian.PutUint32(arg[72:], 1)
		}
	case attr == "GEOM::rotation_rate" && length == 2:
		binary.LittleEndian.PutUint16(arg[72:], map[string]uint16{"da0": 7200}[name]+1)
	default:
		return syscall.EINVAL
	}
	return nil
}

func statfs(typ, from, on string) []byte {
	b := make([]byte, 2344)
	binary.LittleEndian.PutUint32(b, 0x20140518)
	copy(b[280:], typ)
	copy(b[296:], from)
	copy(b[1320:], on)
	return b
}

// devstatEntry is a struct devstat in which each number says what it is.
func devstatEntry(name string, unit int32) []byte {
	b := make([]byte, 288)
	copy(b[44:60], name)
	binary.LittleEndian.PutUint32(b[60:], uint32(unit))
	for kind := range 4 {
		binary.LittleEndian.PutUint64(b[64+8*kind:], uint64(1000*(kind+1)))
		binary.LittleEndian.PutUint64(b[96+8*kind:], uint64(kind+1))
	}
	return b
}

// devstatPage is a page of /dev/devstat with an entry that is not allocated any
// more before each of ids.
func devstatPage(ids ...uint64) []byte {
	page := make([]byte, 0, 4096)
	for n, id := range ids {
		for _, allocated := range []uint32{0, 1} {
			e := devstatEntry("", -1)
			binary.LittleEndian.PutUint32(e[4:], allocated)
			binary.LittleEndian.PutUint64(e[272:], id)
			e[96+24] = byte(40*int(allocated) + n) // requests to delete
			page = append(page, e...)
		}
	}
	return page[:4096]
}

func devstatList(entries ...[]byte) []byte {
	return slices.Concat(append([][]byte{{7, 0, 0, 0, 0, 0, 0, 0}}, entries...)...)
}

func TestBSDList(t *testing.T) {
	all, err := newFakeBSD(t).bsd().list(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Info{}
	for _, i := range all {
		got[i.Name] = i
	}
	for _, c := range []struct{ name, id, reason string }{
		{"ada0", "lunid.5000000000000001", "ada0p2: mounted at / (ufs); ada0p3: swap space"},
		{"ada0p2", "lunid.5000000000000001-part2", "mounted at / (ufs)"},
		{"ada0p1", "lunid.5000000000000001-part1", ""},
		{"ada1", "lunid.5000000000000002", "carries partitions (ada1p1)"},
		{"ada1p1", "lunid.5000000000000002-part1", ""},
		{"ada2", "lunid.5000000000000003", "open for writing through /dev/ada2 (r1w1e0)"},
		{"ada3", "S3", "held by mirror gm0"},
		{"mirror/gm0", "mirror:mirror/gm0", ""},
		{"ada4", "S4", "ada4p1: member of a ZFS pool"},
		{"da0", "lunid.6000000000000001", "member of a ZFS pool"},
		{"nda0", "N0", ""},
		{"vtbd0", "", "no serial or WWN"},
		{"cd0", "C0", "no usable capacity"},
		{"md0", "virtual:md0:1073741824", ""},
		{"md1", "/var/tmp/disk.img", "is read-only"},
		{"ada9", "", "is not in GEOM's tree"},
	} {
		i, ok := got[c.name]
		if !ok || i.ID != c.id || !strings.Contains(i.Reason, c.reason) || i.Writable != (c.reason == "") {
			t.Errorf("%s (%v): id %q, writable %v, reason %q; want id %q and %q", c.name, ok, i.ID, i.Writable, i.Reason, c.id, c.reason)
		}
	}
	if _, listed := got["gpt/spare"]; listed {
		t.Error("a label is listed beside what it names")
	}
	if i := got["ada1"]; i.PhysicalBlockBytes != 4096 || !i.CanDelete() || i.Rotational || i.Model != "ACME SSD 480's" || i.Kind != "ata" {
		t.Errorf("ada1 is %+v", i)
	}
	if i := got["da0"]; !i.Rotational || i.CanDelete() || i.LogicalBlockBytes != 4096 {
		t.Errorf("da0 is %+v", i)
	}
	for name, want := range map[string]string{"ada1": "no", "ada1p1": "no", "da0": "yes", "nda0": "no", "vtbd0": "no", "md0": "yes", "ada0": "unknown", "mirror/gm0": "unknown"} {
		if s := got[name].Settings[SortsSetting]; s != want {
			t.Errorf("%s sorts: %q, want %q", name, s, want)
		}
	}
	if i := got["ada1p1"]; i.Disk != "ada1" {
		t.Errorf("ada1p1 is on %q", i.Disk)
	}
}

func TestBSDInspect(t *testing.T) {
	b := newFakeBSD(t).bsd()
	for name, want := range map[string]string{"gpt/spare": "it is a label", "nothing": "no such disk", "../etc/passwd": "no such disk"} {
		if _, err := b.inspect(filepath.Join(b.dev, name)); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	if i, err := b.inspect(filepath.Join(b.dev, "nda0")); err != nil || !i.Writable || i.SizeBytes != 16<<30 {
		t.Errorf("nda0: %+v, %v", i, err)
	}
}

// After the open, this process's own access is no use by another; anything
// beyond it is.
func TestBSDInspectOpen(t *testing.T) {
	k := newFakeBSD(t)
	b := k.bsd()
	open := func(name string) (*os.File, Info) {
		i, err := b.inspect(filepath.Join(b.dev, name))
		f, ferr := k.Open(i.Path, true)
		if err = errors.Join(err, ferr); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f, i
	}
	f, before := open("ada2") // open r1w1e0 in the tree: as if by this process
	again, err := b.inspectOpen(f, before, true)
	if err != nil || len(again.Users) != 0 || again.SizeBytes != before.SizeBytes {
		t.Errorf("own open: users %q, size %d, %v", again.Users, again.SizeBytes, err)
	}
	k.sysctls["kern.geom.confxml"] = []byte(strings.ReplaceAll(string(k.sysctls["kern.geom.confxml"]), "r1w1e0</mode>", "r2w2e0</mode>"))
	if again, err = b.inspectOpen(f, before, true); err != nil || len(again.Users) != 1 {
		t.Errorf("another writer: users %q, %v", again.Users, err)
	}
	f, before = open("nda0")
	k.size["nda0"] = 512
	if again, err = b.inspectOpen(f, before, true); err != nil || sameTarget(before, again) == nil {
		t.Errorf("another size: %v", err)
	}
	k.serial["nda0"] = "OTHER"
	if _, err = b.inspectOpen(f, before, true); !errors.Is(err, ErrRefused) {
		t.Errorf("another serial: %v", err)
	}
}

func TestBSDCounters(t *testing.T) {
	k := newFakeBSD(t)
	k.errs["kern.devstat.all"] = []error{syscall.EBUSY, syscall.EBUSY} // the list changed meanwhile
	for _, i := range []Info{{Name: "ada1", Path: "ada1"}, {Name: "ada1p1", Path: "ada1p1", Disk: "ada1"}} {
		c, err := k.bsd().counters(i)
		if err != nil || c.Read.Requests != 2 || c.Read.Bytes != 2000 || c.Write.Requests != 3 || c.Delete.Requests != 4 || c.Delete.Bytes != 4000 || c.Flush.Requests != 1 {
			t.Errorf("%s: %+v, %v", i.Name, c, err)
		}
	}
	torn := devstatEntry("ada", 1)
	torn[0] = 9
	k.sysctls["kern.devstat.all"] = devstatList(torn)
	if _, err := k.bsd().counters(Info{Name: "ada1"}); err == nil || !strings.Contains(err.Error(), "changing") {
		t.Errorf("torn entry: %v", err)
	}
	k.sysctls["kern.devstat.version"] = binary.LittleEndian.AppendUint32(nil, 7)
	if _, err := k.bsd().counters(Info{Name: "ada1"}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("unknown version: %v", err)
	}
	k.errs["kern.devstat.version"] = []error{fs.ErrPermission}
	if _, err := k.bsd().counters(Info{Name: "ada1"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("no permission: %v", err)
	}
}

// GEOM counts of what has no driver that does; the driver of memory disks
// counts no deletes, which GEOM does where it is told to.
func TestBSDCountersOfGEOM(t *testing.T) {
	k := newFakeBSD(t)
	b := k.bsd()
	inspect := func(name string) Info {
		i, err := b.inspect(filepath.Join(b.dev, name))
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	mirror, md := inspect("mirror/gm0"), inspect("md0")
	k.pages = slices.Concat(devstatPage(1, 2), devstatPage(mirror.counterID, md.counterID))
	k.sysctls["kern.devstat.all"] = devstatList(devstatEntry("md", 0))
	if c, err := b.counters(mirror); err != nil || c.Delete.Requests != 40 || c.Read.Requests != 2 {
		t.Errorf("mirror: %+v, %v", c, err)
	}
	if uncounted, wraps := b.deleteLimits(md); !strings.Contains(uncounted, "kern.geom.collectstats=3") || wraps != 1<<32 {
		t.Errorf("md: %q, %d", uncounted, wraps)
	}
	if c, err := b.counters(md); err != nil || c.Delete.Requests != 4 || c.Source != "kern.devstat.all md0" {
		t.Errorf("md: %+v, %v", c, err)
	}
	k.sysctls["kern.geom.collectstats"] = []byte{3, 0, 0, 0}
	if uncounted, _ := b.deleteLimits(md); uncounted != "" {
		t.Errorf("md: %q", uncounted)
	}
	if c, err := b.counters(md); err != nil || c.Delete.Requests != 41 || c.Read.Requests != 2 {
		t.Errorf("md, counted at its consumer: %+v, %v", c, err)
	}
	k.pages = k.pages[:4096]
	if _, err := b.counters(mirror); !errors.Is(err, errNoEntry) {
		t.Errorf("no entry: %v", err)
	}
	k.pages = k.pages[:100]
	if _, err := b.counters(mirror); err == nil {
		t.Error("part of a page is read")
	}
}

// A kernel that does not tell how many pages there are refuses to map more.
func TestGrowPages(t *testing.T) {
	all := slices.Concat(devstatPage(1), devstatPage(2), devstatPage(3))
	first := func(n int) ([]byte, error) {
		if n > len(all) {
			return nil, syscall.EINVAL
		}
		return all[:n], nil
	}
	if raw, err := growPages(4096, first); err != nil || !bytes.Equal(raw, all) {
		t.Errorf("%d bytes of %d, %v", len(raw), len(all), err)
	}
	if _, err := growPages(1<<16, first); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("no page can be mapped: %v", err)
	}
	endless := func(n int) ([]byte, error) { return make([]byte, n), nil }
	if raw, err := growPages(maxStatBytes/4, endless); err != nil || len(raw) != maxStatBytes {
		t.Errorf("pages without end: %d bytes, %v", len(raw), err)
	}
}

func TestParseFsstat(t *testing.T) {
	raw := append(statfs("ufs", "/dev/ada0p2", "/"), statfs("zfs", "tank/home", "/home of all")...)
	got, err := parseFsstat(raw)
	if err != nil || len(got) != 2 || got[0] != (mount{source: "/dev/ada0p2", point: "/", fsType: "ufs"}) || got[1].point != "/home of all" {
		t.Errorf("%v, %v", got, err)
	}
	raw[0]++
	for _, bad := range [][]byte{raw, raw[:100]} {
		if _, err := parseFsstat(bad); err == nil {
			t.Errorf("%d bytes with version %x parse", len(bad), bad[0])
		}
	}
}

func FuzzParseMesh(f *testing.F) {
	xml, err := os.ReadFile("testdata/geom.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(xml)
	f.Add([]byte(`<mesh><class><name>PART</name><geom><consumer><provider ref="1"/><mode>r1w1e1</mode></consumer><provider id="1"><name>a</name></provider></geom></class></mesh>`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseMesh(raw)
		if err != nil {
			return
		}
		for _, p := range m.providers { // a tree in a ring must end too
			_ = fmt.Sprint(meshUsers{}.of(p), bsd{}.identify(p), bsdKind(p.disk()))
		}
	})
}

func FuzzParseDevstat(f *testing.F) {
	f.Add(devstatList(devstatEntry("ada", 0)), "ada0")
	f.Add([]byte{1, 2, 3}, "x")
	f.Fuzz(func(t *testing.T, raw []byte, disk string) {
		if c, _, err := parseDevstat(raw, disk); err != nil && c.Read.Requests != 0 {
			t.Error("counts beside an error")
		}
	})
}

func FuzzParseStatPages(f *testing.F) {
	f.Add(devstatPage(1, 2), uint64(2))
	f.Fuzz(func(t *testing.T, raw []byte, id uint64) {
		if c, _, err := parseStatPages(raw, 4096, id); err != nil && c.Read.Requests != 0 {
			t.Error("counts beside an error")
		}
	})
}

func FuzzParseFsstat(f *testing.F) {
	f.Add(statfs("ufs", "/dev/a", "/"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, err := parseFsstat(raw); err == nil && len(m) != len(raw)/2344 {
			t.Errorf("%d mounts of %d bytes", len(m), len(raw))
		}
	})
}
