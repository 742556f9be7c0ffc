package registry

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// System is this machine's registry.
func System() (Store, error) { return New(machine{}), nil }

type machine struct{}

func (machine) Get(key, value string) (uint32, []byte, error) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE)
	if err != nil {
		return 0, nil, err
	}
	defer k.Close()
	n, _, err := k.GetValue(value, nil)
	if err != nil {
		return 0, nil, err
	}
	raw := make([]byte, n)
	n, kind, err := k.GetValue(value, raw)
	if err != nil {
		return 0, nil, err
	}
	return kind, raw[:n], nil
}

func (machine) Set(key, value string, kind uint32, raw []byte) error {
	k, _, err := registry.CreateKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE|registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer k.Close()
	if err := setRaw(k, value, kind, raw); err != nil {
		return err
	}
	return flush(k)
}

// setRaw sets by type, as x/sys has no way to set bytes of any type.
func setRaw(k registry.Key, value string, kind uint32, raw []byte) error {
	text, err := decode(kind, raw)
	if err != nil {
		return err
	}
	if kind == typeSZ {
		return k.SetStringValue(value, text)
	}
	var n uint64
	if _, err := fmt.Sscan(text, &n); err != nil {
		return err
	}
	if kind == typeDWORD {
		return k.SetDWordValue(value, uint32(n))
	}
	return k.SetQWordValue(value, n)
}

// flush puts the key on the disk: the journal counts on what was written.
func flush(k registry.Key) error {
	proc := windows.NewLazySystemDLL("advapi32.dll").NewProc("RegFlushKey")
	if code, _, _ := proc.Call(uintptr(k)); code != 0 {
		return windows.Errno(code)
	}
	return nil
}

func (machine) Delete(key, value string) error {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE|registry.SET_VALUE)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer k.Close()
	if err := k.DeleteValue(value); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return flush(k)
}

func (machine) Writable(key string) error {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE|registry.SET_VALUE)
	if err != nil {
		return err
	}
	return k.Close()
}
