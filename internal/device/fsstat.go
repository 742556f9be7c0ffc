package device

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// FreeBSD's struct statfs since 12.0 (sys/mount.h), in bytes: version at 0, the
// names in fixed arrays at the end.
const (
	statfsBytes    = 2344
	statfsVersion  = 0x20140518
	statfsTypeAt   = 280
	statfsFromAt   = 296
	statfsOnAt     = 1320
	maxStatfsCount = 65536
)

// parseFsstat reads what getfsstat(2) returns.
func parseFsstat(raw []byte) ([]mount, error) {
	if len(raw)%statfsBytes != 0 || len(raw) > maxStatfsCount*statfsBytes {
		return nil, fmt.Errorf("parse mounts: %d bytes are no multiple of %d", len(raw), statfsBytes)
	}
	var mounts []mount
	for ; len(raw) > 0; raw = raw[statfsBytes:] {
		if v := binary.LittleEndian.Uint32(raw); v != statfsVersion {
			return nil, fmt.Errorf("parse mounts: version %#x is not %#x", v, statfsVersion)
		}
		mounts = append(mounts, mount{
			fsType: cString(raw[statfsTypeAt:statfsFromAt]),
			source: cString(raw[statfsFromAt:statfsOnAt]),
			point:  cString(raw[statfsOnAt:statfsBytes]),
		})
	}
	return mounts, nil
}

// cString is a string up to its NUL.
func cString(b []byte) string {
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}
