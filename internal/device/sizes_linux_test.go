package device

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/results"
)

// traced does some I/O on a scratch device and returns what was counted.
func traced(t *testing.T, prepare func(Info), work func(*os.File)) (results.Counters, SizeCounts) {
	t.Helper()
	needRoot(t)
	s, err := NewScratch(t.Context(), 32*mib, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	prepare(s.Info)
	sizes, err := StartSizes(s.Info)
	if errors.Is(err, ErrUnsupported) {
		t.Skipf("needs tracing in the kernel: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m := NewMeter(s.Info)
	defer sizes.Close()
	work(s.File) // outside the window: must not count
	before, err := m.Read()
	must(t, err)
	must(t, sizes.Begin())
	work(s.File)
	must(t, sizes.End())
	after, err := m.Read()
	must(t, err)
	work(s.File)
	counts, err := sizes.Counts()
	must(t, err)
	if again, err := sizes.Counts(); err != nil || len(again.Read)+len(again.Write)+len(again.Delete) > 0 || again.Unseen != 0 {
		t.Errorf("counted twice: %+v, err %v", again, err)
	}
	must(t, sizes.Close())
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return Sub(after, before), counts
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// aligned is a buffer for direct I/O.
func aligned(t *testing.T, size int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

func TestRequestsHaveTheSizeThatTheKnobAllows(t *testing.T) {
	const writes, size = 32, 128 << 10
	buf := aligned(t, size)
	c, sizes := traced(t, func(i Info) {
		if err := os.WriteFile(filepath.Join(i.SysDir, "queue/max_sectors_kb"), []byte("64"), 0); err != nil {
			t.Fatal(err)
		}
	}, func(f *os.File) {
		for n := range int64(writes) {
			if _, err := f.WriteAt(buf, n*size); err != nil {
				t.Fatal(err)
			}
		}
	})
	if c.Write.Requests != 2*writes || c.Write.Bytes != writes*size {
		t.Errorf("counted %+v, want %d requests of %d bytes together", c.Write, 2*writes, writes*size)
	}
	if mean := c.Write.MeanBytes(); mean.V != 64<<10 {
		t.Errorf("mean size is %v", mean)
	}
	if len(sizes.Write) != 1 || sizes.Write[64<<10] != 2*writes || sizes.Unseen != 0 {
		t.Errorf("traced %+v, want %d of 65536 bytes", sizes, 2*writes)
	}
	sizes.Fill(&c)
	if c.Write.Sizes[64<<10] != 2*writes {
		t.Errorf("filled %+v", c.Write)
	}
}

func TestDeletesAreSeen(t *testing.T) {
	c, sizes := traced(t, func(Info) {}, func(f *os.File) {
		for n := range uint64(4) {
			span := [2]uint64{n * 4 * mib, 4 * mib}
			if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.BLKDISCARD, uintptr(unsafe.Pointer(&span))); errno != 0 {
				t.Fatal(errno)
			}
		}
	})
	if c.Delete.Requests != 4 || c.Delete.Bytes != 16*mib || sizes.Delete[4*mib] != 4 {
		t.Errorf("counted %+v, traced %+v, want 4 deletes of 4 MiB", c.Delete, sizes)
	}
}

// A full buffer ends the record, not the trace's honesty.
func TestTraceSaysWhatItDidNotSee(t *testing.T) {
	const reads = 80000
	buf := aligned(t, 512)
	c, sizes := traced(t, func(Info) {}, func(f *os.File) {
		for range reads {
			if _, err := f.ReadAt(buf, 0); err != nil {
				t.Fatal(err)
			}
		}
	})
	if seen := sizes.Read[512]; seen+sizes.Unseen != c.Read.Requests || sizes.Unseen == 0 || sizes.Note() == "" {
		t.Errorf("saw %d, unseen %d, of %d; note %q", seen, sizes.Unseen, c.Read.Requests, sizes.Note())
	}
}

func TestTraceInstanceIsRemoved(t *testing.T) {
	traced(t, func(Info) {}, func(*os.File) {})
	mount, err := mountTracing()
	if err != nil {
		t.Fatal(err)
	}
	defer mount.Close()
	instances := filepath.Join((&Sizes{mount: mount}).root(), "instances")
	stale := filepath.Join(instances, instancePrefix+"4194305-0") // above the kernel's largest process id
	if err := os.Mkdir(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	removeStaleInstances(instances)
	mine := instancePrefix + strconv.Itoa(os.Getpid()) + "-"
	for _, left := range (tree{instances}).names() {
		if left == filepath.Base(stale) || strings.HasPrefix(left, mine) {
			t.Errorf("instance %s is left", left)
		}
	}
}

func TestSizesOfAFileAreUnsupported(t *testing.T) {
	if _, err := StartSizes(Info{Path: "x", Kind: kindFile}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("err = %v", err)
	}
}
