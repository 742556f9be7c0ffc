package device

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Windows' answers to IOCTL_STORAGE_QUERY_PROPERTY and its relatives
// (winioctl.h), little endian; offsets in bytes.
const (
	driveRemovableAt = 10
	driveVendorAt    = 12 // each of these holds the offset of a string, or 0
	driveProductAt   = 16
	driveRevisionAt  = 20
	driveSerialAt    = 24
	driveBusAt       = 28
	driveBytes       = 36

	adapterTransferAt = 8
	adapterPagesAt    = 12
	alignLogicalAt    = 16
	alignPhysicalAt   = 20
	flagAt            = 8 // TrimEnabled, IncursSeekPenalty

	geometrySectorAt = 20
	geometrySizeAt   = 24

	extentsFirstAt = 8
	extentBytes    = 24

	performanceBytes = 88
)

// drivePrefix is how Windows names whole disks.
const drivePrefix = `\\.\PhysicalDrive`

// driveNumber is the N of \\.\PhysicalDriveN, in any case of letters.
func driveNumber(path string) (int, bool) {
	if len(path) <= len(drivePrefix) || !strings.EqualFold(path[:len(drivePrefix)], drivePrefix) {
		return 0, false
	}
	n, err := strconv.ParseUint(path[len(drivePrefix):], 10, 16)
	return int(n), err == nil
}

// parseDrive fills in what a STORAGE_DEVICE_DESCRIPTOR says.
func parseDrive(raw []byte, i *Info) error {
	if len(raw) < driveBytes {
		return fmt.Errorf("parse the device's descriptor: %d bytes are fewer than %d", len(raw), driveBytes)
	}
	vendor := stringAt(raw, driveVendorAt)
	i.Model = strings.TrimSpace(vendor + " " + stringAt(raw, driveProductAt))
	i.Firmware, i.Serial = stringAt(raw, driveRevisionAt), stringAt(raw, driveSerialAt)
	i.Removable = raw[driveRemovableAt] != 0
	i.Kind = busName(binary.LittleEndian.Uint32(raw[driveBusAt:]))
	return nil
}

// stringAt follows an offset to a string.
func stringAt(raw []byte, field int) string {
	at := binary.LittleEndian.Uint32(raw[field:])
	if at == 0 || int64(at) >= int64(len(raw)) {
		return ""
	}
	return cleanText(cString(raw[at:]))
}

// busName names a STORAGE_BUS_TYPE.
func busName(bus uint32) string {
	names := map[uint32]string{1: "scsi", 3: "ata", 7: "usb", 8: "raid", 9: "iscsi", 10: "sas", 11: "ata", 12: "sd", 13: "mmc", 14: "virtual", 15: "file-backed", 16: "spaces", 17: "nvme"}
	if name, ok := names[bus]; ok {
		return name
	}
	return "disk"
}

// parseAdapter is what a STORAGE_ADAPTER_DESCRIPTOR says of one transfer: its
// most bytes, and its most pages, one of which is kept for misalignment.
func parseAdapter(raw []byte) (map[string]string, error) {
	if len(raw) < adapterPagesAt+4 {
		return nil, fmt.Errorf("parse the adapter's descriptor: %d bytes are too few", len(raw))
	}
	word := func(at int) string { return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(raw[at:])), 10) }
	return map[string]string{"adapter/MaximumTransferLength": word(adapterTransferAt), "adapter/MaximumPhysicalPages": word(adapterPagesAt)}, nil
}

// parseAlignment is the logical and the physical sector of a
// STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR.
func parseAlignment(raw []byte) (logical, physical int64) {
	if len(raw) < alignPhysicalAt+4 {
		return 0, 0
	}
	return int64(binary.LittleEndian.Uint32(raw[alignLogicalAt:])), int64(binary.LittleEndian.Uint32(raw[alignPhysicalAt:]))
}

// parseGeometry is a sector and the whole of a DISK_GEOMETRY_EX. Unlike the disk's
// length it is told to whoever has the disk open for nothing.
func parseGeometry(raw []byte) (sector, size int64) {
	if len(raw) < geometrySizeAt+8 {
		return 0, 0
	}
	return int64(binary.LittleEndian.Uint32(raw[geometrySectorAt:])), int64(binary.LittleEndian.Uint64(raw[geometrySizeAt:]))
}

// parseFlag is the one byte of a descriptor that says yes or no.
func parseFlag(raw []byte) bool { return len(raw) > flagAt && raw[flagAt] != 0 }

// parseExtents lists the disks that a volume is on (VOLUME_DISK_EXTENTS).
func parseExtents(raw []byte) []int {
	var disks []int
	if len(raw) < extentsFirstAt {
		return nil
	}
	n := binary.LittleEndian.Uint32(raw)
	for at := extentsFirstAt; n > 0 && at+extentBytes <= len(raw); at += extentBytes {
		disks = append(disks, int(binary.LittleEndian.Uint32(raw[at:])))
		n--
	}
	return disks
}

// parsePerformance reads DISK_PERFORMANCE. Windows counts no deletes.
func parsePerformance(raw []byte) (results.Counters, error) {
	if len(raw) < performanceBytes {
		return results.Counters{}, fmt.Errorf("parse the disk's counters: %d bytes are fewer than %d", len(raw), performanceBytes)
	}
	bytes := func(at int) int64 { return int64(binary.LittleEndian.Uint64(raw[at:])) }
	count := func(at int) int64 { return int64(binary.LittleEndian.Uint32(raw[at:])) }
	return results.Counters{
		Source: "IOCTL_DISK_PERFORMANCE",
		Read:   results.CounterKind{Bytes: bytes(0), Requests: count(40)},
		Write:  results.CounterKind{Bytes: bytes(8), Requests: count(44)},
	}, nil
}
