// Package sysctl reads and writes FreeBSD's knobs of the whole machine. Each is
// written with the type and width that the kernel reports: four bytes to a quad
// are refused by the kernel, and eight bytes to an int are taken and mean
// nothing good.
package sysctl

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Kernel is the system call, one question a method. Errors are the kernel's;
// an unknown name is fs.ErrNotExist.
type Kernel interface {
	// OID finds a name's numbers.
	OID(name string) ([]int32, error)
	// Kind is the type and the flags of what the numbers name.
	Kind(oid []int32) (uint32, error)
	Get(oid []int32) ([]byte, error)
	Set(oid []int32, value []byte) error
}

// The kernel's types of value, sys/sysctl.h.
const (
	typeMask   = 0xf
	typeInt    = 2
	typeString = 3
	typeS64    = 4
	typeOpaque = 5
	typeUint   = 6
	typeLong   = 7
	typeUlong  = 8
	typeU64    = 9
	typeU8     = 10
	typeU16    = 11
	typeS8     = 12
	typeS16    = 13
	typeS32    = 14
	typeU32    = 15

	flagWrite = 0x40000000
)

// Tree is the kernel's knobs by name.
type Tree struct{ kernel Kernel }

// New returns the knobs of a kernel.
func New(k Kernel) *Tree { return &Tree{kernel: k} }

// Read returns a number in decimal, or a string.
func (t *Tree) Read(_ context.Context, name string) (string, error) {
	oid, kind, err := t.find(name)
	if err != nil {
		return "", err
	}
	raw, err := t.kernel.Get(oid)
	if err != nil {
		return "", fmt.Errorf("read sysctl %s: %w", name, err)
	}
	text, err := decode(kind, raw)
	if err != nil {
		return "", fmt.Errorf("read sysctl %s: %w", name, err)
	}
	return text, nil
}

// ReadOpaque returns a value that is neither a number nor a string, in
// hexadecimal digits.
func (t *Tree) ReadOpaque(name string) (string, error) {
	oid, kind, err := t.find(name)
	if err != nil {
		return "", err
	}
	if kind&typeMask != typeOpaque {
		return "", fmt.Errorf("read sysctl %s: it is of type %d, not opaque", name, kind&typeMask)
	}
	raw, err := t.kernel.Get(oid)
	if err != nil {
		return "", fmt.Errorf("read sysctl %s: %w", name, err)
	}
	return hex.EncodeToString(raw), nil
}

// Write writes a value in the width in which the kernel shows it.
func (t *Tree) Write(_ context.Context, name, value string) error {
	oid, kind, err := t.find(name)
	if err != nil {
		return err
	}
	raw, err := t.kernel.Get(oid)
	if err != nil {
		return fmt.Errorf("read sysctl %s: %w", name, err)
	}
	encoded, err := encode(kind, len(raw), value)
	if err != nil {
		return fmt.Errorf("write sysctl %s: %w", name, err)
	}
	if err := t.kernel.Set(oid, encoded); err != nil {
		return fmt.Errorf("write sysctl %s: %w", name, err)
	}
	return nil
}

// Probe says whether the kernel lets the knob be written, and writes nothing.
func (t *Tree) Probe(name string) error {
	_, kind, err := t.find(name)
	if err != nil {
		return err
	}
	if kind&flagWrite == 0 {
		return fmt.Errorf("sysctl %s is read-only while the system runs; some can be set in loader.conf: %w", name, fs.ErrPermission)
	}
	return nil
}

func (t *Tree) find(name string) ([]int32, uint32, error) {
	oid, err := t.kernel.OID(name)
	if err != nil {
		return nil, 0, fmt.Errorf("find sysctl %s: %w", name, err)
	}
	kind, err := t.kernel.Kind(oid)
	if err != nil {
		return nil, 0, fmt.Errorf("find the type of sysctl %s: %w", name, err)
	}
	return oid, kind, nil
}

func isSigned(kind uint32) bool {
	switch kind & typeMask {
	case typeInt, typeS64, typeLong, typeS8, typeS16, typeS32:
		return true
	}
	return false
}

func isNumber(kind uint32) bool {
	switch kind & typeMask {
	case typeUint, typeUlong, typeU64, typeU8, typeU16, typeU32:
		return true
	}
	return isSigned(kind)
}

func decode(kind uint32, raw []byte) (string, error) {
	if kind&typeMask == typeString {
		return strings.TrimRight(string(raw), "\x00"), nil
	}
	if !isNumber(kind) {
		return "", fmt.Errorf("it is of type %d, neither a number nor a string", kind&typeMask)
	}
	bits, err := unpack(raw)
	if err != nil {
		return "", err
	}
	if !isSigned(kind) {
		return strconv.FormatUint(bits, 10), nil
	}
	shift := 64 - 8*len(raw)
	return strconv.FormatInt(int64(bits<<shift)>>shift, 10), nil
}

func unpack(raw []byte) (uint64, error) {
	switch len(raw) {
	case 1:
		return uint64(raw[0]), nil
	case 2:
		return uint64(binary.NativeEndian.Uint16(raw)), nil
	case 4:
		return uint64(binary.NativeEndian.Uint32(raw)), nil
	case 8:
		return binary.NativeEndian.Uint64(raw), nil
	}
	return 0, fmt.Errorf("the kernel shows a number of %d bytes", len(raw))
}

// encode makes of a value what the kernel takes for a knob of width bytes.
func encode(kind uint32, width int, value string) ([]byte, error) {
	if kind&typeMask == typeString {
		return append([]byte(value), 0), nil
	}
	if !isNumber(kind) {
		return nil, fmt.Errorf("it is of type %d, neither a number nor a string", kind&typeMask)
	}
	bits, err := parse(kind, 8*width, value)
	if err != nil {
		return nil, fmt.Errorf("value %q does not fit in its %d bytes: %w", value, width, err)
	}
	return pack(bits, width)
}

func parse(kind uint32, bits int, value string) (uint64, error) {
	if isSigned(kind) {
		n, err := strconv.ParseInt(value, 10, bits)
		return uint64(n), err
	}
	return strconv.ParseUint(value, 10, bits)
}

func pack(bits uint64, width int) ([]byte, error) {
	raw := make([]byte, width)
	switch width {
	case 1:
		raw[0] = byte(bits)
	case 2:
		binary.NativeEndian.PutUint16(raw, uint16(bits))
	case 4:
		binary.NativeEndian.PutUint32(raw, uint32(bits))
	case 8:
		binary.NativeEndian.PutUint64(raw, bits)
	default:
		return nil, fmt.Errorf("the kernel shows a number of %d bytes", width)
	}
	return raw, nil
}
