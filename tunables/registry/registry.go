// Package registry reads and writes values of Windows' registry below
// HKEY_LOCAL_MACHINE: DWORD, QWORD and SZ. Drivers read theirs when they start,
// so a change acts after a reboot. A value that is not there reads Absent, and
// writing Absent removes it again.
package registry

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Absent is the text of a value that does not exist.
const Absent = "absent"

// The types of value that are read and written (winnt.h).
const (
	typeSZ    = 1
	typeDWORD = 4
	typeQWORD = 11
)

// Keys is the registry below HKEY_LOCAL_MACHINE, in raw bytes. A key or value
// that is not there is fs.ErrNotExist.
type Keys interface {
	Get(key, value string) (kind uint32, raw []byte, err error)
	// Set makes the value, and keys on the way, where they are not there. The
	// registry is flushed to disk before it returns.
	Set(key, value string, kind uint32, raw []byte) error
	// Delete removes a value; one that is not there is no error.
	Delete(key, value string) error
	// Writable says whether the key could be written, and touches nothing.
	Writable(key string) error
}

// Store is the values by path, KEY\VALUE.
type Store struct{ keys Keys }

// New returns the values of a registry.
func New(k Keys) Store { return Store{k} }

// Read returns a number in decimal, a string, or Absent.
func (s Store) Read(_ context.Context, path string) (string, error) {
	key, value := split(path)
	kind, raw, err := s.keys.Get(key, value)
	if errors.Is(err, fs.ErrNotExist) {
		return Absent, nil
	}
	if err != nil {
		return "", fmt.Errorf("read registry value %s: %w", path, err)
	}
	text, err := decode(kind, raw)
	if err != nil {
		return "", fmt.Errorf("read registry value %s: %w", path, err)
	}
	return text, nil
}

// Write writes a value in the type that it has. A new one is a DWORD where that
// holds the number, else a QWORD, and a string where it is no number.
func (s Store) Write(_ context.Context, path, text string) error {
	key, value := split(path)
	if text == Absent {
		if err := s.keys.Delete(key, value); err != nil {
			return fmt.Errorf("remove registry value %s: %w", path, err)
		}
		return nil
	}
	kind, _, err := s.keys.Get(key, value)
	if errors.Is(err, fs.ErrNotExist) {
		kind, err = newKind(text), nil
	}
	if err != nil {
		return fmt.Errorf("read registry value %s: %w", path, err)
	}
	raw, err := encode(kind, text)
	if err == nil {
		err = s.keys.Set(key, value, kind, raw)
	}
	if err != nil {
		return fmt.Errorf("write registry value %s: %w", path, err)
	}
	return nil
}

// Probe says whether the value's key could be written.
func (s Store) Probe(path string) error {
	key, _ := split(path)
	if err := s.keys.Writable(key); err != nil {
		return fmt.Errorf("registry key %s: %w", key, err)
	}
	return nil
}

func split(path string) (key, value string) {
	at := strings.LastIndexByte(path, '\\')
	return path[:max(at, 0)], path[at+1:]
}

func newKind(text string) uint32 {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case err != nil:
		return typeSZ
	case n > 1<<32-1:
		return typeQWORD
	}
	return typeDWORD
}

func decode(kind uint32, raw []byte) (string, error) {
	switch {
	case kind == typeDWORD && len(raw) == 4:
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(raw)), 10), nil
	case kind == typeQWORD && len(raw) == 8:
		return strconv.FormatUint(binary.LittleEndian.Uint64(raw), 10), nil
	case kind == typeSZ && len(raw)%2 == 0:
		units := make([]uint16, len(raw)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(raw[2*i:])
		}
		return strings.TrimRight(string(utf16.Decode(units)), "\x00"), nil
	}
	return "", fmt.Errorf("type %d of %d bytes is none of DWORD, QWORD and SZ", kind, len(raw))
}

func encode(kind uint32, text string) ([]byte, error) {
	switch kind {
	case typeSZ:
		var raw []byte
		for _, unit := range append(utf16.Encode([]rune(text)), 0) {
			raw = binary.LittleEndian.AppendUint16(raw, unit)
		}
		return raw, nil
	case typeDWORD:
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q does not fit in a DWORD: %w", text, err)
		}
		return binary.LittleEndian.AppendUint32(nil, uint32(n)), nil
	case typeQWORD:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q does not fit in a QWORD: %w", text, err)
		}
		return binary.LittleEndian.AppendUint64(nil, n), nil
	}
	return nil, fmt.Errorf("type %d is none of DWORD, QWORD and SZ", kind)
}
