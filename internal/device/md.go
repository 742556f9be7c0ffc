package device

import "unsafe"

// FreeBSD's requests to /dev/mdctl (sys/mdioctl.h) on 64-bit machines. Each
// carries the whole struct, so their numbers hold its size of 448 bytes.
const (
	mdAttach = 0xc0000000 | unsafe.Sizeof(mdRequest{})<<16 | 'm'<<8
	mdDetach = mdAttach | 1
)

// mdRequest is struct md_ioctl, version 0.
type mdRequest struct {
	Version, Unit, Type    uint32
	File                   *byte
	MediaBytes             int64
	SectorBytes, Options   uint32
	Base                   uint64
	FirmHeads, FirmSectors int32
	Label                  *byte
	_                      [96]int32
}
