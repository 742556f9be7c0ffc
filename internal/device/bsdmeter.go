package device

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/iosweep/iosweep/results"
)

// collectConsumers is the bit of kern.geom.collectstats by which GEOM counts for
// each consumer as well as for each provider (sys/geom/geom_int.h).
const collectConsumers = 2

// devstatWraps is where devstat's count of one request's bytes starts anew: it
// is handed over in 32 bits (devstat_end_transaction).
const devstatWraps = 1 << 32

// kindMD is a memory disk, whose driver counts reads and writes only.
const kindMD = "md"

// counters reads what was counted of a device. A disk's driver counts the
// requests that reached it, after GEOM cut them; of what stands on others, such
// as a mirror, GEOM itself counts.
func (b bsd) counters(i Info) (results.Counters, error) {
	if err := b.checkDevstat(); err != nil {
		return results.Counters{}, err
	}
	disk := i.Name
	if i.Disk != "" {
		disk = i.Disk
	}
	c, err := b.untorn(i.Path, func() (results.Counters, bool, error) {
		raw, err := b.kernel.Sysctl("kern.devstat.all")
		if err != nil {
			return results.Counters{}, !errors.Is(err, fs.ErrNotExist), err // EBUSY: a device came or went meanwhile
		}
		return parseDevstat(raw, disk)
	})
	switch {
	case errors.Is(err, errNoEntry):
		return b.counted(i)
	case err == nil && i.Kind == kindMD && b.countsConsumers():
		asked, err := b.counted(i)
		c.Delete = asked.Delete
		c.Source = asked.Source
		return c, err
	}
	c.Source = "kern.devstat.all " + disk
	return c, err
}

// counted reads GEOM's own counts of a provider or of who asks it.
func (b bsd) counted(i Info) (results.Counters, error) {
	c, err := b.untorn(i.Path, func() (results.Counters, bool, error) {
		raw, err := b.pages()
		if err != nil {
			return results.Counters{}, false, err
		}
		return parseStatPages(raw, b.pageBytes, i.counterID)
	})
	c.Source = fmt.Sprintf("/dev/devstat %#x (%s)", i.counterID, i.Name)
	return c, err
}

// untorn reads again while the kernel is changing the list or the entry.
func (b bsd) untorn(path string, read func() (c results.Counters, torn bool, err error)) (results.Counters, error) {
	const tries, pause = 20, time.Millisecond
	var last error
	for range tries {
		c, torn, err := read()
		switch {
		case !torn && errors.Is(err, fs.ErrNotExist):
			return c, fmt.Errorf("read counters of %s: %w: this kernel does not have them (%w)", path, ErrUnsupported, err)
		case !torn && err != nil:
			return c, fmt.Errorf("read counters of %s: %w", path, err)
		case !torn:
			return c, nil
		case err != nil:
			last = err
		default:
			last = errors.New("the kernel kept changing the entry")
		}
		time.Sleep(pause)
	}
	return results.Counters{}, fmt.Errorf("read counters of %s: %w", path, last)
}

// checkDevstat refuses a kernel whose layout is another.
func (b bsd) checkDevstat() error {
	raw, err := b.kernel.Sysctl("kern.devstat.version")
	if err != nil {
		return fmt.Errorf("read kern.devstat.version: %w", err)
	}
	want := binary.LittleEndian.AppendUint32(nil, devstatVersion)
	if !bytes.Equal(raw, want) {
		return fmt.Errorf("read counters: %w: kern.devstat.version is % x, and iosweep knows %d", ErrUnsupported, raw, devstatVersion)
	}
	return nil
}

func (b bsd) countsConsumers() bool {
	n, ok := b.int32("kern.geom.collectstats")
	return ok && n&collectConsumers != 0
}

// int32 reads a sysctl of four bytes.
func (b bsd) int32(name string) (int32, bool) {
	raw, err := b.kernel.Sysctl(name)
	if err != nil || len(raw) != 4 {
		return 0, false
	}
	return int32(binary.LittleEndian.Uint32(raw)), true
}

// deleteLimits says why deletes of a device are not counted, if they are not.
func (b bsd) deleteLimits(i Info) (uncounted string, wraps int64) {
	if i.Kind == kindMD && !b.countsConsumers() {
		uncounted = "FreeBSD's md driver counts no deletes; to have GEOM count them for it, set sysctl kern.geom.collectstats=3 and run again"
	}
	return uncounted, devstatWraps
}
