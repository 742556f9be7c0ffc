package sysctl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

// fakeKernel answers as FreeBSD's does: a write of the wrong width is EINVAL
// for a quad, and spoils an int.
type fakeKernel struct {
	names []string
	kinds []uint32
	raw   [][]byte
}

func newFake() *fakeKernel {
	quad := binary.NativeEndian.AppendUint64(nil, 262144)
	batch := binary.NativeEndian.AppendUint32(nil, 128)
	return &fakeKernel{
		// The first is a uint64 inside, and declared by SYSCTL_QUAD, which is signed.
		names: []string{"kern.geom.dev.delete_max_sectors", "debug.bioq_batchsize", "kern.cam.ada.0.delete_method", "kern.maxphys", "kern", "hw.small", "kern.boot_id", "vfs.zfs.dirty_data_max"},
		kinds: []uint32{typeS64 | flagWrite, typeInt | flagWrite, typeString | flagWrite, typeUlong, 1, typeS8 | flagWrite, typeOpaque, typeU64 | flagWrite},
		raw:   [][]byte{quad, batch, []byte("DSM_TRIM\x00"), binary.NativeEndian.AppendUint64(nil, 1<<20), nil, {0xff}, {0xab, 0, 1}, binary.NativeEndian.AppendUint64(nil, 1<<32)},
	}
}

func (k *fakeKernel) OID(name string) ([]int32, error) {
	for i, n := range k.names {
		if n == name {
			return []int32{int32(i)}, nil
		}
	}
	return nil, syscall.ENOENT
}

func (k *fakeKernel) Kind(oid []int32) (uint32, error) { return k.kinds[oid[0]], nil }

func (k *fakeKernel) Get(oid []int32) ([]byte, error) { return k.raw[oid[0]], nil }

func (k *fakeKernel) Set(oid []int32, value []byte) error {
	if k.kinds[oid[0]]&typeMask != typeString && len(value) != len(k.raw[oid[0]]) {
		return syscall.EINVAL
	}
	k.raw[oid[0]] = bytes.Clone(value)
	return nil
}

func TestReadAndWrite(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ name, before, after string }{
		{"kern.geom.dev.delete_max_sectors", "262144", "-1"},
		{"kern.geom.dev.delete_max_sectors", "262144", "0"},
		{"debug.bioq_batchsize", "128", "-1"},
		{"kern.cam.ada.0.delete_method", "DSM_TRIM", "DISABLE"},
		{"hw.small", "-1", "127"},
		{"vfs.zfs.dirty_data_max", "4294967296", "18446744073709551615"},
	} {
		tree := New(newFake())
		if got, err := tree.Read(ctx, c.name); got != c.before || err != nil {
			t.Errorf("%s: read %q, %v; want %q", c.name, got, err, c.before)
		}
		if err := errors.Join(tree.Probe(c.name), tree.Write(ctx, c.name, c.after)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got, err := tree.Read(ctx, c.name); got != c.after || err != nil {
			t.Errorf("%s: read back %q, %v; want %q", c.name, got, err, c.after)
		}
	}
}

func TestReadOpaque(t *testing.T) {
	tree := New(newFake())
	if got, err := tree.ReadOpaque("kern.boot_id"); got != "ab0001" || err != nil {
		t.Errorf("kern.boot_id: %q, %v", got, err)
	}
	for _, name := range []string{"kern.maxphys", "no.such"} {
		if got, err := tree.ReadOpaque(name); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got, err := tree.Read(context.Background(), "kern.boot_id"); err == nil {
		t.Errorf("kern.boot_id as a value: %q", got)
	}
}

func TestRefusals(t *testing.T) {
	ctx, tree := context.Background(), New(newFake())
	for _, c := range []struct{ name, value string }{
		{"debug.bioq_batchsize", "2147483648"}, // would need eight bytes
		{"kern.geom.dev.delete_max_sectors", "18446744073709551615"},
		{"kern.geom.dev.delete_max_sectors", "1.5"},
		{"vfs.zfs.dirty_data_max", "-1"},
		{"hw.small", "128"},
		{"kern", "1"}, // a node
	} {
		if err := tree.Write(ctx, c.name, c.value); err == nil {
			t.Errorf("%s = %s is accepted", c.name, c.value)
		}
	}
	if err := tree.Probe("kern.maxphys"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Probe of a read-only knob = %v", err)
	}
	if _, err := tree.Read(ctx, "no.such"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of nothing = %v", err)
	}
}

// What decodes encodes to the same bytes.
func FuzzDecode(f *testing.F) {
	f.Add(uint32(typeU64), []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint32(typeInt), []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(uint32(typeString), []byte("x\x00"))
	f.Fuzz(func(t *testing.T, kind uint32, raw []byte) {
		text, err := decode(kind, raw)
		if err != nil || kind&typeMask == typeString {
			return
		}
		again, err := encode(kind, len(raw), text)
		if err != nil || !bytes.Equal(again, raw) {
			t.Fatalf("%v of kind %d became %q and then %v, %v", raw, kind, text, again, err)
		}
	})
}
