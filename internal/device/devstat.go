package device

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/iosweep/iosweep/results"
)

// FreeBSD's struct devstat, version 6 (sys/devicestat.h), on 64-bit machines,
// in bytes. kern.devstat.all is a generation of 8 bytes and then one struct a
// device. Of each array of four, the elements are: no data, read, write, free.
const (
	devstatVersion      = 6
	devstatHeader       = 8
	devstatBytes        = 288
	devstatAllocatedAt  = 4
	devstatNameAt       = 44
	devstatUnitAt       = 60
	devstatTransferAt   = 64
	devstatOperationsAt = 96
	devstatIDAt         = 272
	devstatSequence1At  = 280

	// maxStatBytes bounds the pages of /dev/devstat: some 50,000 entries.
	maxStatBytes = 16 << 20
)

// The elements of devstat's arrays.
const (
	devstatNoData = iota
	devstatRead
	devstatWrite
	devstatFree
)

// parseDevstat finds a disk's counts by its driver's name and unit (ada0). A
// flush moves no data and is counted as such. Torn says that the kernel was
// changing the entry while it was copied.
func parseDevstat(raw []byte, disk string) (c results.Counters, torn bool, err error) {
	if len(raw) < devstatHeader || (len(raw)-devstatHeader)%devstatBytes != 0 {
		return c, false, fmt.Errorf("parse kern.devstat.all: %d bytes are not %d and a multiple of %d: another version of its layout", len(raw), devstatHeader, devstatBytes)
	}
	for rest := raw[devstatHeader:]; len(rest) > 0; rest = rest[devstatBytes:] {
		unit := int32(binary.LittleEndian.Uint32(rest[devstatUnitAt:]))
		if fmt.Sprint(cString(rest[devstatNameAt:devstatUnitAt]), unit) != disk {
			continue
		}
		c, torn = countsOf(rest)
		return c, torn, nil
	}
	return c, false, fmt.Errorf("parse kern.devstat.all: %w: %s", errNoEntry, disk)
}

// errNoEntry: nothing is counted under the name or number that was looked for.
var errNoEntry = errors.New("it is not counted there")

// countsOf reads one struct.
func countsOf(entry []byte) (c results.Counters, torn bool) {
	kind := func(k int) results.CounterKind {
		return results.CounterKind{
			Requests: int64(binary.LittleEndian.Uint64(entry[devstatOperationsAt+8*k:])),
			Bytes:    int64(binary.LittleEndian.Uint64(entry[devstatTransferAt+8*k:])),
		}
	}
	c = results.Counters{Read: kind(devstatRead), Write: kind(devstatWrite), Delete: kind(devstatFree)}
	c.Flush.Requests = kind(devstatNoData).Requests
	first, second := binary.LittleEndian.Uint32(entry), binary.LittleEndian.Uint32(entry[devstatSequence1At:])
	return c, first != second
}

// growPages copies as many pages as there are. FreeBSD before 13.1 does not say
// how many those are, but refuses to map one more.
func growPages(pageBytes int, firstBytes func(n int) ([]byte, error)) (raw []byte, err error) {
	for n := pageBytes; n <= maxStatBytes; n += pageBytes {
		more, err := firstBytes(n)
		if err != nil && raw == nil {
			return nil, err
		}
		if err != nil {
			break
		}
		raw = more
	}
	return raw, nil
}

// parseStatPages finds the counts with an id in the pages of /dev/devstat: each
// begins with as many structs as it has room for, of which some are allocated
// (sys/kern/subr_devstat.c).
func parseStatPages(raw []byte, pageBytes int, id uint64) (c results.Counters, torn bool, err error) {
	if pageBytes < devstatBytes || len(raw)%pageBytes != 0 {
		return c, false, fmt.Errorf("parse /dev/devstat: %d bytes are no multiple of its pages of %d", len(raw), pageBytes)
	}
	for page := raw; len(page) > 0 && id != 0; page = page[pageBytes:] {
		for entry := page[:pageBytes]; len(entry) >= devstatBytes; entry = entry[devstatBytes:] {
			allocated := binary.LittleEndian.Uint32(entry[devstatAllocatedAt:]) != 0
			if allocated && binary.LittleEndian.Uint64(entry[devstatIDAt:]) == id {
				c, torn = countsOf(entry)
				return c, torn, nil
			}
		}
	}
	return c, false, fmt.Errorf("parse /dev/devstat: %w: %#x", errNoEntry, id)
}
