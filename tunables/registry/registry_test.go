package registry

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"testing"
)

type entry struct {
	kind uint32
	raw  []byte
}

// fakeKeys holds values by key and name; the key "locked" cannot be written.
type fakeKeys map[string]entry

func (k fakeKeys) Get(key, value string) (uint32, []byte, error) {
	e, ok := k[key+"|"+value]
	if !ok {
		return 0, nil, fs.ErrNotExist
	}
	return e.kind, e.raw, nil
}

func (k fakeKeys) Set(key, value string, kind uint32, raw []byte) error {
	if err := k.Writable(key); err != nil {
		return err
	}
	k[key+"|"+value] = entry{kind, bytes.Clone(raw)}
	return nil
}

func (k fakeKeys) Delete(key, value string) error {
	delete(k, key+"|"+value)
	return nil
}

func (k fakeKeys) Writable(key string) error {
	if key == "locked" {
		return fs.ErrPermission
	}
	return nil
}

func TestReadAndWrite(t *testing.T) {
	ctx := context.Background()
	keys := fakeKeys{
		`A\B|D`: {typeDWORD, []byte{17, 0, 0, 0}},
		`A\B|Q`: {typeQWORD, []byte{1, 0, 0, 0, 1, 0, 0, 0}},
		`A\B|S`: {typeSZ, []byte{'x', 0, 0xe9, 0, 0, 0}},
	}
	for _, c := range []struct {
		path, before, after string
		kind                uint32
	}{
		{`A\B\D`, "17", "255", typeDWORD},
		{`A\B\Q`, "4294967297", "3", typeQWORD}, // the type stays
		{`A\B\S`, "xé", "7", typeSZ},
		{`A\New`, Absent, "4294967295", typeDWORD},
		{`A\Big`, Absent, "4294967296", typeQWORD},
		{`A\Text`, Absent, "on", typeSZ},
	} {
		s := New(keys)
		if got, err := s.Read(ctx, c.path); got != c.before || err != nil {
			t.Errorf("%s: read %q, %v; want %q", c.path, got, err, c.before)
		}
		if err := errors.Join(s.Probe(c.path), s.Write(ctx, c.path, c.after)); err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		key, value := split(c.path)
		if got, err := s.Read(ctx, c.path); got != c.after || err != nil || keys[key+"|"+value].kind != c.kind {
			t.Errorf("%s: read back %q of type %d, %v", c.path, got, keys[key+"|"+value].kind, err)
		}
		if err := s.Write(ctx, c.path, Absent); err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		if _, there := keys[key+"|"+value]; there {
			t.Errorf("%s is still there", c.path)
		}
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	s := New(fakeKeys{"A|D": {typeDWORD, make([]byte, 4)}, "A|Bin": {3, []byte{1}}})
	for path, value := range map[string]string{`A\D`: "4294967296", `A\Bin`: "1", `locked\x`: "1"} {
		if err := s.Write(ctx, path, value); err == nil {
			t.Errorf("%s = %s is accepted", path, value)
		}
	}
	if _, err := s.Read(ctx, `A\Bin`); err == nil {
		t.Error("a binary value is read")
	}
	if err := s.Probe(`locked\x`); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Probe = %v", err)
	}
}

// What decodes encodes to the same value.
func FuzzDecode(f *testing.F) {
	f.Add(uint32(typeDWORD), []byte{1, 2, 3, 4})
	f.Add(uint32(typeQWORD), make([]byte, 8))
	f.Add(uint32(typeSZ), []byte{'a', 0, 0, 0})
	f.Fuzz(func(t *testing.T, kind uint32, raw []byte) {
		text, err := decode(kind, raw)
		if err != nil {
			return
		}
		again, err := encode(kind, text)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decode(kind, again); back != text || err != nil {
			t.Errorf("%q became %q, %v", text, back, err)
		}
	})
}
