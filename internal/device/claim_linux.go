package device

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openTarget opens what was inspected, without following a link that came since
// and without O_CREAT: a node that vanished must not become a file.
func openTarget(i Info, o OpenOptions) (*os.File, error) {
	flags := unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW
	if o.Write {
		flags = flags&^unix.O_RDONLY | unix.O_RDWR
		if !i.IsFile() {
			flags |= unix.O_EXCL
		}
	}
	if o.Direct {
		flags |= unix.O_DIRECT
	}
	fd, err := unix.Open(i.Path, flags, 0)
	if err != nil {
		return nil, explainOpen(i, o, err)
	}
	return os.NewFile(uintptr(fd), i.Path), nil
}

func explainOpen(i Info, o OpenOptions, err error) error {
	switch {
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("open %s: %w: the kernel says that it is in use (%w), though nothing shows by what: a ZFS pool, an export or another exclusive user; stop it", i.Path, ErrRefused, err)
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV), errors.Is(err, unix.ELOOP):
		return fmt.Errorf("open %s: %w: the device went away or was replaced since it was looked at (%w)", i.Path, ErrRefused, err)
	case errors.Is(err, unix.EROFS):
		return fmt.Errorf("open %s: %w: it is read-only (%w)", i.Path, ErrRefused, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open %s: %w: this user may not open it so (%w); run as root, or change the node's owner or mode", i.Path, ErrRefused, err)
	case errors.Is(err, unix.EINVAL) && o.Direct:
		return fmt.Errorf("open %s: %w: direct I/O does not work there (%w); choose a target on another file system", i.Path, ErrUnsupported, err)
	}
	return fmt.Errorf("open %s: %w", i.Path, err)
}

// inspectOpen inspects again, by the number of the file that is open and not by
// a name.
func inspectOpen(t tree, f *os.File, i Info, _ bool) (Info, error) {
	if i.IsFile() {
		return reinspectFile(t, f, i)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w", i.Path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return Info{}, fmt.Errorf("open %s: %w: it was a block device and is none any more", i.Path, ErrRefused)
	}
	n, ok := t.byNumber(formatNumber(st.Rdev))
	if !ok {
		return Info{}, fmt.Errorf("open %s: %w: the device went away", i.Path, ErrRefused)
	}
	again := t.examine(n, t.inUse(), i.Path)
	t.blockTwins(&again, n)
	return again, nil
}
