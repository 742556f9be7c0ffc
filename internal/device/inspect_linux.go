package device

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// list describes all disks and partitions of a tree.
func list(ctx context.Context, t tree) ([]Info, error) {
	if !t.has("sys/block") {
		return nil, fmt.Errorf("list devices: %w: /sys/block is not there; mount sysfs", ErrUnsupported)
	}
	users := t.inUse()
	var all []Info
	for _, d := range t.disks() {
		for _, n := range append([]node{d}, t.partitions(d)...) {
			if err := ctx.Err(); err != nil {
				return all, err
			}
			all = append(all, t.examine(n, users, t.path(devPath(n.name))))
		}
	}
	return markTwins(all), nil
}

// examine describes a node with its users and signatures. Path is where its
// node was found.
func (t tree) examine(n node, users *inUse, path string) Info {
	i := t.describe(n)
	i.Path = path
	i.Users = users.of(n)
	i.sign()
	if parts := t.partitions(n); len(parts) > 0 {
		names := make([]string, len(parts))
		for k, p := range parts {
			names[k] = p.name
		}
		i.Signatures = append(i.Signatures, "partitions ("+strings.Join(names, ", ")+")")
	}
	i.judge()
	return i
}

// isDisk says that a node may be a disk's: a block device.
func isDisk(mode fs.FileMode) bool { return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0 }

// isDeviceName says that a path means a device though no file is there.
func isDeviceName(string) bool { return false }

func inspectBlock(t tree, path string) (Info, error) {
	number, ok := deviceNumber(path)
	if !ok {
		return Info{}, fmt.Errorf("inspect %s: %w: its device number cannot be read", path, ErrRefused)
	}
	n, ok := t.byNumber(number)
	if !ok {
		return Info{}, fmt.Errorf("inspect %s: %w: no device %s is in /sys/block: the node is a leftover, or the device a hidden path of a multipath one; `iosweep devices` lists devices", path, ErrRefused, number)
	}
	i := t.examine(n, t.inUse(), path)
	t.blockTwins(&i, n)
	return i, nil
}

// blockTwins looks for another disk with the same id.
func (t tree) blockTwins(i *Info, n node) {
	for _, d := range t.disks() {
		if d.name != n.whole().name && i.lockID != "" && t.identify(d) == i.lockID {
			i.blocked = append(i.blocked, "has the same id as "+d.name)
		}
	}
	i.judge()
}

// deviceNumber is major:minor of a block device's node.
func deviceNumber(path string) (string, bool) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return "", false
	}
	return formatNumber(st.Rdev), true
}

func formatNumber(rdev uint64) string {
	return fmt.Sprintf("%d:%d", unix.Major(rdev), unix.Minor(rdev))
}

// openProbe opens a target to look at it. O_NONBLOCK keeps an optical drive
// from pulling its tray in.
func openProbe(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// limits of a regular file: the unit of direct I/O and of deletes (holes).
type limits struct{ directBytes, deleteBytes int64 }

// fileLimits asks statx for the direct I/O alignment (Linux 6.1 and a file
// system that knows); else it takes the file system's block, which always
// works.
func fileLimits(path string) limits {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_SYNC_AS_STAT, unix.STATX_BASIC_STATS|unix.STATX_DIOALIGN, &st)
	if err != nil || st.Blksize == 0 {
		return limits{directBytes: pageBytes}
	}
	l := limits{directBytes: pageBytes, deleteBytes: pageBytes}
	if st.Mask&unix.STATX_DIOALIGN != 0 && st.Dio_offset_align > 0 {
		l.directBytes = max(int64(st.Dio_offset_align), sectorBytes)
	}
	return l
}

// pageBytes is the block size of nearly every file system, and the unit of
// holes on all of them.
const pageBytes = 4096
