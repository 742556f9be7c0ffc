package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The device mapper's ioctls, flags and the sizes of its header and of a target
// (linux/dm-ioctl.h).
const (
	dmCreate, dmLoad, dmSuspend = 0xc138fd03, 0xc138fd09, 0xc138fd06
	dmHeader, dmTarget          = 312, 40
	dmSuspended, dmNoFlush      = 1 << 1, 1 << 11
	dmName, dmUUID, dmDev       = 48, 176, 40
)

// mapped is a device of the device mapper.
type mapped struct{ name, path string }

// part of a mapped device: a target over some sectors.
type extent struct {
	start, sectors uint64
	kind, params   string
}

// newMapped makes a device with a table.
func newMapped(name string, table ...extent) (mapped, error) {
	m := mapped{name: name}
	answer, err := m.command(dmCreate, 0, nil)
	if err != nil {
		return m, err
	}
	number := binary.LittleEndian.Uint64(answer[dmDev:])
	m.path = fmt.Sprintf("/dev/dm-%d", unix.Minor(number))
	if err := m.load(table...); err != nil {
		return m, err
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err = os.Stat(m.path); err == nil {
			break
		}
	}
	return m, err
}

// load puts a table in the place of the one in force, once what is outstanding
// has ended.
func (m mapped) load(table ...extent) error {
	if _, err := m.command(dmLoad, 0, table); err != nil {
		return err
	}
	if err := m.suspend(0); err != nil {
		return err
	}
	return m.resume()
}

// suspend keeps back what comes from now on.
func (m mapped) suspend(flags uint32) error {
	_, err := m.command(dmSuspend, dmSuspended|flags, nil)
	return err
}

func (m mapped) resume() error {
	_, err := m.command(dmSuspend, 0, nil)
	return err
}

func (m mapped) command(command uint, flags uint32, table []extent) ([]byte, error) {
	control, err := os.OpenFile("/dev/mapper/control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	buf := make([]byte, 4096)
	le := binary.LittleEndian
	le.PutUint32(buf[0:], 4) // version 4.0.0
	le.PutUint32(buf[12:], uint32(len(buf)))
	le.PutUint32(buf[16:], dmHeader)
	le.PutUint32(buf[20:], uint32(len(table)))
	le.PutUint32(buf[28:], flags)
	copy(buf[dmName:], m.name)
	if command == dmCreate {
		copy(buf[dmUUID:], "LAB-"+m.name)
	}
	rest := buf[dmHeader:]
	for _, e := range table {
		size := (dmTarget + len(e.params) + 8) / 8 * 8
		le.PutUint64(rest[0:], e.start)
		le.PutUint64(rest[8:], e.sectors)
		le.PutUint32(rest[20:], uint32(size))
		copy(rest[24:], e.kind)
		copy(rest[dmTarget:], e.params)
		rest = rest[size:]
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, control.Fd(), uintptr(command), uintptr(unsafe.Pointer(&buf[0])))
	if errno != 0 {
		return nil, fmt.Errorf("device mapper command %x on %s: %w", command&0xff, m.name, errno)
	}
	return buf, nil
}

// delayed makes a device that passes everything on after so many milliseconds.
func delayed(under string, ms int) (string, error) {
	sectors, err := sizeOf(under)
	if err != nil {
		return "", err
	}
	m, err := newMapped("delayed", extent{0, sectors, "delay", fmt.Sprintf("%s 0 %d", under, ms)})
	return m.path, err
}
