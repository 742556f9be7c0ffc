package device

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Sizes traces the sizes of requests as a driver gets them, in a trace instance
// of its own, so that other users of tracing are not disturbed.
//
// Begin and End enclose a window and are cheap (one small write each); Counts,
// which is not, comes after. A window records up to a fixed number of events and
// then only counts, which bounds cost and memory whatever the rate; it needs no
// kernel with histogram triggers, which many leave out.
type Sizes struct {
	mount    *os.File // a mount of tracefs that has no name
	instance string
	device   string
}

// instancePrefix and a process id name an instance, so that one that a killed
// process left is known.
const instancePrefix = "iosweep-"

// traceBufferKiB is the most that all processors' buffers hold together.
const traceBufferKiB = 4096

// StartSizes prepares to trace a device for as many windows as wanted. It wraps ErrUnsupported, with the
// reason, where that cannot be done: not root, no tracefs, or a device that has
// no requests because a layer below it makes them.
func StartSizes(i Info) (*Sizes, error) {
	if i.SysDir == "" {
		return nil, fmt.Errorf("trace request sizes of %s: %w: only block devices have requests", i.Path, ErrUnsupported)
	}
	t := tree{i.SysDir}
	if !t.has("mq") {
		return nil, fmt.Errorf("trace request sizes of %s: %w: the device passes on what it gets and has no requests of its own", i.Path, ErrUnsupported)
	}
	mount, err := mountTracing()
	if err != nil {
		return nil, fmt.Errorf("trace request sizes of %s: %w: tracefs cannot be mounted (%w); run as root", i.Path, ErrUnsupported, err)
	}
	s := &Sizes{mount: mount, device: strings.Replace(t.text("dev"), ":", ",", 1)}
	if err := s.start(); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w (%s): %w", ErrUnsupported, i.Path, err)
	}
	return s, nil
}

// mountTracing makes a mount of tracefs that is attached nowhere and ends with
// its last file.
func mountTracing() (*os.File, error) {
	fs, err := unix.Fsopen("tracefs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return nil, err
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "tracefs"), nil
}

// root is a path into the mount.
func (s *Sizes) root() string { return fmt.Sprintf("/proc/self/fd/%d", s.mount.Fd()) }

func (s *Sizes) start() error {
	instances := filepath.Join(s.root(), "instances")
	removeStaleInstances(instances)
	dir, err := makeInstance(instances)
	if err != nil {
		return err
	}
	s.instance = dir
	number, err := kernelNumber(s.device)
	if err != nil {
		return err
	}
	perCPU := max(traceBufferKiB/runtime.NumCPU(), 64)
	for _, set := range [...]struct{ file, value string }{
		{"tracing_on", "0"},
		{"options/overwrite", "0"},
		{"buffer_size_kb", strconv.Itoa(perCPU)},
		{"events/block/block_rq_issue/filter", fmt.Sprintf("dev == %d", number)},
		{"events/block/block_rq_issue/enable", "1"},
	} {
		if err := s.set(set.file, set.value); err != nil {
			return err
		}
	}
	return nil
}

// makeInstance makes a trace instance with a free name.
func makeInstance(instances string) (string, error) {
	for n := 0; ; n++ {
		dir := filepath.Join(instances, fmt.Sprintf("%s%d-%d", instancePrefix, os.Getpid(), n))
		err := os.Mkdir(dir, 0o700)
		if err == nil || !errors.Is(err, unix.EEXIST) || n >= 64 {
			return dir, err
		}
	}
}

// removeStaleInstances removes those whose process is gone. What cannot be
// removed costs some memory and nothing else.
func removeStaleInstances(instances string) {
	for _, name := range (tree{instances}).names() {
		id, ok := strings.CutPrefix(name, instancePrefix)
		pid, _, _ := strings.Cut(id, "-")
		if !ok {
			continue
		}
		if _, err := os.Stat(filepath.Join("/proc", pid)); errors.Is(err, unix.ENOENT) {
			unix.Rmdir(filepath.Join(instances, name))
		}
	}
}

// kernelNumber is a device number as the kernel keeps it: 12 bits of major, 20
// of minor.
func kernelNumber(device string) (uint64, error) {
	major, minor, _ := strings.Cut(device, ",")
	a, err := strconv.ParseUint(major, 10, 12)
	if err != nil {
		return 0, fmt.Errorf("device number %q: %w", device, err)
	}
	b, err := strconv.ParseUint(minor, 10, 20)
	if err != nil {
		return 0, fmt.Errorf("device number %q: %w", device, err)
	}
	return a<<20 | b, nil
}

// Begin opens a window.
func (s *Sizes) Begin() error { return s.set("tracing_on", "1") }

// End closes the window.
func (s *Sizes) End() error { return s.set("tracing_on", "0") }

// Counts returns what the windows since the last call saw, and empties the
// buffer for the next.
func (s *Sizes) Counts() (SizeCounts, error) {
	if s.mount == nil {
		return SizeCounts{}, fmt.Errorf("trace request sizes: %w", os.ErrClosed)
	}
	text, err := os.ReadFile(filepath.Join(s.instance, "trace"))
	if err != nil {
		return SizeCounts{}, fmt.Errorf("trace request sizes: %w", err)
	}
	counts := parseTrace(string(text), s.device)
	t := tree{s.instance}
	for _, cpu := range t.names("per_cpu") {
		counts.Unseen += parseDropped(t.text("per_cpu", cpu, "stats"))
	}
	return counts, s.set("trace", "") // opening it to be cut short empties the buffer
}

func (s *Sizes) set(file, value string) error {
	if s.mount == nil {
		return fmt.Errorf("trace request sizes: %w", os.ErrClosed)
	}
	if err := os.WriteFile(filepath.Join(s.instance, file), []byte(value), 0); err != nil {
		return fmt.Errorf("trace request sizes: %w", err)
	}
	return nil
}

// Close removes the trace instance. It is safe to call twice.
func (s *Sizes) Close() error {
	if s.mount == nil {
		return nil
	}
	var err error
	if s.instance != "" {
		os.WriteFile(filepath.Join(s.instance, "events/enable"), []byte("0"), 0)
		err = unix.Rmdir(s.instance)
	}
	s.mount.Close()
	s.mount = nil
	return wrapNil("remove trace instance", err)
}
