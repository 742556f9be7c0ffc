package device

import (
	"encoding/binary"
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
	devstatNameAt       = 44
	devstatUnitAt       = 60
	devstatTransferAt   = 64
	devstatOperationsAt = 96
	devstatSequence1At  = 280
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
		kind := func(k int) results.CounterKind {
			return results.CounterKind{
				Requests: int64(binary.LittleEndian.Uint64(rest[devstatOperationsAt+8*k:])),
				Bytes:    int64(binary.LittleEndian.Uint64(rest[devstatTransferAt+8*k:])),
			}
		}
		c = results.Counters{Read: kind(devstatRead), Write: kind(devstatWrite), Delete: kind(devstatFree)}
		c.Flush.Requests = kind(devstatNoData).Requests
		first, second := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[devstatSequence1At:])
		return c, first != second, nil
	}
	return c, false, fmt.Errorf("parse kern.devstat.all: %s is not in it", disk)
}
