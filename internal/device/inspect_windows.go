package device

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/windows"
)

// The controls of winioctl.h that are used, and the properties asked for.
const (
	ioctlQueryProperty = 0x2d1400
	ioctlGeometry      = 0x700a0 // IOCTL_DISK_GET_DRIVE_GEOMETRY_EX
	ioctlPerformance   = 0x70020
	ioctlExtents       = 0x560000

	propertyDevice    = 0
	propertyAdapter   = 1
	propertyAlignment = 6
	propertySeek      = 7
	propertyTrim      = 8

	answerBytes = 4096
	maxDrives   = 64
)

func isDisk(fs.FileMode) bool { return false } // disks have names, not files

func isDeviceName(path string) bool {
	_, ok := driveNumber(path)
	return ok
}

// list tries the disks by number.
func list(ctx context.Context, _ tree) ([]Info, error) {
	var all []Info
	volumes, err := volumesByDisk()
	if err != nil {
		return nil, fmt.Errorf("list devices: %w", err)
	}
	for n := range maxDrives {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		path := fmt.Sprint(drivePrefix, n)
		f, err := openDrive(path, 0)
		if err != nil {
			continue // there is none of this number
		}
		all = append(all, describeDrive(f, path, volumes[n]))
		f.Close()
	}
	return markTwins(all), nil
}

func inspectBlock(_ tree, path string) (Info, error) {
	n, _ := driveNumber(path)
	path = fmt.Sprint(drivePrefix, n)
	f, err := openDrive(path, 0)
	if err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w: there is no such disk, or it cannot be opened (%w); `iosweep devices` lists devices", path, ErrRefused, err)
	}
	defer f.Close()
	volumes, err := volumesByDisk()
	if err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w", path, err)
	}
	return describeDrive(f, path, volumes[n]), nil
}

// describeDrive asks an open disk. A volume on it is a use: iosweep does not
// take a file system away under anybody.
func describeDrive(f *os.File, path string, volumes []string) Info {
	i := Info{Name: strings.TrimPrefix(path, `\\.\`), Path: path, Kind: "disk", Users: volumes}
	if raw, err := property(f, propertyDevice); err == nil {
		_ = parseDrive(raw, &i) // what it does not say stays unknown
	}
	if raw, err := property(f, propertyAdapter); err == nil {
		i.Settings, _ = parseAdapter(raw)
	}
	raw, _ := property(f, propertyAlignment)
	i.LogicalBlockBytes, i.PhysicalBlockBytes = parseAlignment(raw)
	raw, _ = property(f, propertySeek)
	i.Rotational = parseFlag(raw)
	raw, _ = control(f, ioctlGeometry, nil, answerBytes)
	var sector int64
	if sector, i.SizeBytes = parseGeometry(raw); i.LogicalBlockBytes == 0 {
		i.LogicalBlockBytes, i.PhysicalBlockBytes = sector, sector
	}
	if raw, _ = property(f, propertyTrim); parseFlag(raw) {
		i.DeleteGranularityBytes, i.DeleteMaxBytes = i.LogicalBlockBytes, i.SizeBytes
	}
	if id := cleanID(i.Serial); !saysNothing(id) {
		i.ID, i.lockID = id, id
	} else {
		i.blocked = append(i.blocked, "has no serial that would tell it from another disk of its number")
	}
	if i.SizeBytes <= 0 || i.LogicalBlockBytes <= 0 {
		i.blocked = append(i.blocked, "has no usable capacity (no medium, or not ready)")
	}
	i.sign()
	i.judge()
	return i
}

// property asks for one property by STORAGE_PROPERTY_QUERY: its number, and 0
// for the standard query.
func property(f *os.File, id uint32) ([]byte, error) {
	query := make([]byte, 12)
	binary.LittleEndian.PutUint32(query, id)
	return control(f, ioctlQueryProperty, query, answerBytes)
}

// volumesByDisk says which volumes are on each disk.
func volumesByDisk() (map[int][]string, error) {
	name := make([]uint16, windows.MAX_PATH)
	find, err := windows.FindFirstVolume(&name[0], uint32(len(name)))
	if err != nil {
		return nil, fmt.Errorf("list volumes: %w", err)
	}
	defer windows.FindVolumeClose(find)
	on := map[int][]string{}
	for {
		volume := windows.UTF16ToString(name)
		text := "volume " + volumePaths(volume) + " is on it (delete it in Disk Management or with diskpart first: iosweep takes no volume away)"
		for _, disk := range volumeDisks(volume) {
			if !slices.Contains(on[disk], text) {
				on[disk] = append(on[disk], text)
			}
		}
		err := windows.FindNextVolume(find, &name[0], uint32(len(name)))
		if err == windows.ERROR_NO_MORE_FILES {
			return on, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list volumes: %w", err)
		}
	}
}

func volumeDisks(volume string) []int {
	f, err := openDrive(strings.TrimSuffix(volume, `\`), 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	raw, _ := control(f, ioctlExtents, nil, answerBytes)
	return parseExtents(raw)
}

// volumePaths is where a volume is mounted, or its own name.
func volumePaths(volume string) string {
	name, err := windows.UTF16PtrFromString(volume)
	if err != nil {
		return volume
	}
	buf := make([]uint16, answerBytes)
	var n uint32
	if windows.GetVolumePathNamesForVolumeName(name, &buf[0], uint32(len(buf)), &n) != nil {
		return volume
	}
	if path := windows.UTF16ToString(buf); path != "" {
		return path
	}
	return volume
}

func openProbe(path string) (*os.File, error) {
	if isDeviceName(path) {
		return openDrive(path, windows.GENERIC_READ)
	}
	return os.Open(path)
}

func inspectOpen(t tree, f *os.File, i Info, _ bool) (Info, error) {
	if i.IsFile() {
		return reinspectFile(t, f, i)
	}
	n, _ := driveNumber(i.Path)
	volumes, err := volumesByDisk()
	if err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w", i.Path, err)
	}
	again := describeDrive(f, i.Path, volumes[n])
	again.Signatures, again.blocked = i.Signatures, i.blocked // the claim keeps others, and so a second look, out
	again.judge()
	return again, nil
}
