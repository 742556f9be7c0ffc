//go:build linux

// Package winetest runs Windows binaries under Wine, for tests.
//
// A Go program needs bcryptprimitives.dll for one function, which Wine has only
// from 9 on; for older ones a library is made that forwards it to the function
// of advapi32 that does the same.
package winetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// ErrMissing means that this machine has no Wine.
var ErrMissing = errors.New("wine is missing")

// Wine is a Windows of its own in a folder.
type Wine struct {
	program, prefix string
	server          *exec.Cmd
}

// New makes a Windows in dir, which takes some seconds. The error wraps
// ErrMissing where there is no Wine.
func New(ctx context.Context, dir string) (*Wine, error) {
	w := &Wine{prefix: dir}
	for _, program := range []string{"wine64", "wine", "/usr/lib/wine/wine64"} {
		if path, err := exec.LookPath(program); err == nil {
			w.program = path
			break
		}
	}
	if w.program == "" {
		return nil, fmt.Errorf("%w: install wine64", ErrMissing)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a Windows: %w", err)
	}
	if err := w.serve(); err != nil {
		return nil, fmt.Errorf("serve a Windows in %s: %w", dir, err)
	}
	if out, err := w.Run(ctx, "wineboot", "--init"); err != nil {
		return nil, fmt.Errorf("make a Windows in %s: %w: %s", dir, err, out)
	}
	dll := filepath.Join(dir, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(dll); !errors.Is(err, fs.ErrNotExist) {
		return w, err
	}
	return w, os.WriteFile(dll, forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"), 0o644)
}

// command is a Windows program in this Windows. When ctx ends, so does what it
// started.
func (w *Wine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Env = append(os.Environ(), "WINEPREFIX="+w.prefix, "WINEDEBUG=-all", "HOME="+w.prefix)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// Run runs a Windows program and returns what it printed. It goes through a
// file: Wine's own processes, which stay, would keep a pipe open.
func (w *Wine) Run(ctx context.Context, args ...string) (string, error) {
	f, err := os.CreateTemp("", "wine-output-")
	if err != nil {
		return "", err
	}
	defer func() { f.Close(); os.Remove(f.Name()) }()
	cmd := w.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = f, f
	err = cmd.Run()
	out, readErr := os.ReadFile(f.Name())
	return string(out), errors.Join(err, readErr)
}

// serve starts Wine's server, which stays until Close. It keeps the registry from
// one program to the next; otherwise each program may meet a new server, and one
// that begins while the last is still writing reads what was before.
func (w *Wine) serve() error {
	for _, program := range []string{"wineserver", "/usr/lib/wine/wineserver"} {
		path, err := exec.LookPath(program)
		if err != nil {
			continue
		}
		w.server = exec.Command(path, "--foreground", "--persistent")
		w.server.Env = append(os.Environ(), "WINEPREFIX="+w.prefix, "HOME="+w.prefix)
		return w.server.Start()
	}
	return fmt.Errorf("%w: there is no wineserver: install wine64", ErrMissing)
}

// Path is a Linux path as this Windows names it.
func Path(path string) string { return `Z:` + filepath.ToSlash(path) }

// Close ends this Windows: interrupted, its server ends every program first.
func (w *Wine) Close() error {
	if err := w.server.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	_ = w.server.Wait() // it ends by the signal
	return nil
}

// The parts of a library without code (PE32+): headers, and one section that
// holds the export table. Sizes and addresses in bytes.
const (
	peAt          = 0x40
	optionalAt    = peAt + 24
	optionalBytes = 240
	sectionAt     = optionalAt + optionalBytes
	headerBytes   = 0x200
	sectionBytes  = 0x200
	sectionVA     = 0x1000
)

// forwarder is a library with one function that is another library's.
func forwarder(name, function, target string) []byte {
	b := make([]byte, headerBytes+sectionBytes)
	word := func(at int, v uint16) { binary.LittleEndian.PutUint16(b[at:], v) }
	long := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	copy(b, "MZ")
	long(0x3c, peAt)
	copy(b[peAt:], "PE\x00\x00")
	word(peAt+4, 0x8664)         // amd64
	word(peAt+6, 1)              // sections
	word(peAt+20, optionalBytes) //
	word(peAt+22, 0x2022)        // a library, for large addresses
	word(optionalAt, 0x20b)      // PE32+
	long(optionalAt+24, 0x80000000)
	long(optionalAt+28, 1) // loaded at 0x180000000
	long(optionalAt+32, sectionVA)
	long(optionalAt+36, headerBytes)
	word(optionalAt+40, 6) // for Windows Vista and later
	word(optionalAt+48, 6)
	long(optionalAt+56, 2*sectionVA)
	long(optionalAt+60, headerBytes)
	word(optionalAt+68, 3)     // console
	word(optionalAt+70, 0x140) // may be moved, and has no code in data
	long(optionalAt+108, 16)
	long(optionalAt+112, sectionVA) // the export table
	long(optionalAt+116, sectionBytes)
	copy(b[sectionAt:], ".edata")
	for i, v := range []uint32{sectionBytes, sectionVA, sectionBytes, headerBytes} {
		long(sectionAt+8+4*i, v)
	}
	long(sectionAt+36, 0x40000040) // initialised, readable
	exportTable(b[headerBytes:], name, function, target)
	return b
}

// exportTable lays out the directory (40 bytes), the one-element tables of
// addresses, names and ordinals, and the strings. An address that lies in the
// table itself is that of a forwarder.
func exportTable(b []byte, name, function, target string) {
	const addresses, names, ordinals, texts = 40, 44, 48, 52
	at := texts
	text := func(s string) uint32 {
		copy(b[at:], s)
		at += len(s) + 1
		return uint32(sectionVA + at - len(s) - 1)
	}
	long := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	long(12, text(name))
	for i, v := range []uint32{1, 1, 1, sectionVA + addresses, sectionVA + names, sectionVA + ordinals} {
		long(16+4*i, v)
	}
	long(addresses, text(target))
	long(names, text(function))
}
