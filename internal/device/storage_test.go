package device

import (
	"encoding/binary"
	"slices"
	"testing"
)

// driveDescriptor is a STORAGE_DEVICE_DESCRIPTOR with its strings behind it.
func driveDescriptor(bus uint32, texts ...string) []byte {
	raw := make([]byte, 36)
	raw[10] = 1
	binary.LittleEndian.PutUint32(raw[28:], bus)
	for k, text := range texts {
		if text != "" {
			binary.LittleEndian.PutUint32(raw[12+4*k:], uint32(len(raw)))
			raw = append(append(raw, text...), 0)
		}
	}
	return raw
}

func TestParseDrive(t *testing.T) {
	var i Info
	if err := parseDrive(driveDescriptor(17, "", "ACME SSD 480  ", "1.02", "  S3R1AL\x01"), &i); err != nil {
		t.Fatal(err)
	}
	if i.Model != "ACME SSD 480" || i.Firmware != "1.02" || i.Serial != "S3R1AL" || i.Kind != "nvme" || !i.Removable {
		t.Errorf("%+v", i)
	}
	wild := driveDescriptor(99)
	binary.LittleEndian.PutUint32(wild[24:], 1<<31)
	if err := parseDrive(wild, &i); err != nil || i.Serial != "" || i.Kind != "disk" {
		t.Errorf("offset out of bounds: %+v, %v", i, err)
	}
	if parseDrive(wild[:30], &i) == nil {
		t.Error("half a descriptor parses")
	}
}

func TestParseStorage(t *testing.T) {
	words := make([]byte, 88)
	for at := 0; at < len(words); at += 4 {
		binary.LittleEndian.PutUint32(words[at:], uint32(at))
	}
	limits, err := parseAdapter(words)
	if err != nil || limits["adapter/MaximumTransferLength"] != "8" || limits["adapter/MaximumPhysicalPages"] != "12" {
		t.Errorf("adapter: %v, %v", limits, err)
	}
	if logical, physical := parseAlignment(words); logical != 16 || physical != 20 {
		t.Errorf("alignment: %d, %d", logical, physical)
	}
	if !parseFlag(words) || parseFlag(make([]byte, 12)) || parseFlag(nil) {
		t.Error("flag is not the byte at 8")
	}
	c, err := parsePerformance(words)
	if err != nil || c.Read.Requests != 40 || c.Write.Requests != 44 || c.Read.Bytes != 4<<32 || c.Write.Bytes != 12<<32|8 {
		t.Errorf("counters: %+v, %v", c, err)
	}
	extents := make([]byte, 8+2*24)
	extents[0], extents[8], extents[32] = 9, 3, 5 // says nine, holds two
	if got := parseExtents(extents); !slices.Equal(got, []int{3, 5}) {
		t.Errorf("extents: %v", got)
	}
}

func TestDriveNumber(t *testing.T) {
	for path, want := range map[string]int{`\\.\PhysicalDrive0`: 0, `\\.\physicaldrive12`: 12, `\\.\PhysicalDrive`: -1, `\\.\PhysicalDrive1x`: -1, `C:\x`: -1, `\\.\PhysicalDrive-1`: -1} {
		if n, ok := driveNumber(path); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s: %d, %v", path, n, ok)
		}
	}
}

func FuzzParseStorage(f *testing.F) {
	f.Add(driveDescriptor(1, "a", "b", "c", "d"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var i Info
		_ = parseDrive(raw, &i)
		_, _ = parseAdapter(raw)
		parseAlignment(raw)
		if n := len(parseExtents(raw)); n > len(raw)/24 {
			t.Errorf("%d extents of %d bytes", n, len(raw))
		}
	})
}

// A disk open for no access tells its geometry: 24 bytes, then its size.
func TestParseGeometry(t *testing.T) {
	raw := le(uint64(60801), uint32(12), uint32(255), uint32(63), uint32(4096), uint64(500107862016), uint32(24))
	if sector, size := parseGeometry(raw); sector != 4096 || size != 500107862016 {
		t.Errorf("sector %d, size %d", sector, size)
	}
	if sector, size := parseGeometry(raw[:31]); sector != 0 || size != 0 {
		t.Errorf("of half the answer: sector %d, size %d", sector, size)
	}
}
