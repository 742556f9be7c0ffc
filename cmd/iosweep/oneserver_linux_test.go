package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What of the kernel's FUSE protocol (version 7.31) one file of zeros needs.
const (
	fuseForget, fuseGetattr, fuseOpen, fuseRead = 2, 3, 14, 15
	fuseRelease, fuseInit, fuseInterrupt        = 18, 26, 36
	fuseForgetMany                              = 42

	fuseAsyncRead, fuseAsyncDirect = 1 << 0, 1 << 15 // of the init flags
	fuseDirect                     = 1               // of the open flags
	fuseRoot                       = 1               // the only file's node
)

// oneServer serves the reads of a block device one by one, first come first
// served, in times that service draws. The device is a loop device over a file
// that this process serves through FUSE, so what iosweep measures on it passes
// the whole block layer.
type oneServer struct {
	// fuse is a bare descriptor: for an os.File the runtime's poller would ask a
	// file that is served here whether it is ready, and hold itself up so.
	fuse    int
	size    int64
	service func() time.Duration
	// waiting are the reads that have come, in their order; the first one is
	// served, since begun and until due.
	waiting          []arrival
	begun, due, last time.Time

	mu   sync.Mutex
	seen servedReads
}

// arrival is a read that waits for the server.
type arrival struct {
	unique uint64
	length uint32
	at     time.Time
}

// servedReads sums up what the server did, in seconds.
type servedReads struct {
	n int
	// service is from when the read had come and the one before was done, so
	// that the host's delays are part of it; squares are of it; sojourn is the
	// whole time here.
	service, squares, sojourn float64
}

// serveDevice makes a device of a server and returns its path.
func serveDevice(t *testing.T, size int64, service func() time.Duration) (*oneServer, string) {
	t.Helper()
	needsRoot(t)
	fuse, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("needs FUSE: %v", err)
	}
	file := filepath.Join(t.TempDir(), "served")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=100000,user_id=0,group_id=0", fuse)
	if err := unix.Mount("iosweep-test", file, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		unix.Close(fuse)
		t.Fatalf("mount on %s: %v", file, err)
	}
	s := &oneServer{fuse: fuse, size: size, service: service}
	var ended sync.WaitGroup
	ended.Go(s.work)
	t.Cleanup(func() { // after the loop device is gone: cleanups run last first
		if err := unix.Unmount(file, unix.MNT_DETACH|unix.MNT_FORCE); err != nil {
			t.Errorf("unmount %s: %v", file, err)
		}
		ended.Wait()
		unix.Close(fuse)
	})
	return s, loopOver(t, file)
}

// loopOver makes a loop device over a file that exists.
func loopOver(t *testing.T, file string) string {
	t.Helper()
	f, err := unix.Open(file, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("open %s: %v", file, err)
	}
	defer unix.Close(f)
	n := addLoop(t)
	t.Cleanup(func() { removeLoop(t, n) })
	path := fmt.Sprintf("/dev/loop%d", n)
	dev, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	config := unix.LoopConfig{Fd: uint32(f), Size: 512}
	config.Info.Flags = unix.LO_FLAGS_DIRECT_IO | unix.LO_FLAGS_READ_ONLY
	if err := unix.IoctlLoopConfigure(int(dev.Fd()), &config); err != nil {
		t.Fatalf("make %s over %s: %v", path, file, err)
	}
	return path
}

// urgent lets the goroutine's thread, and the processes that it starts, go
// before what else the machine does, where that is allowed: what is slow to wake
// up would be slow beside the service times.
func urgent() {
	runtime.LockOSThread()
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}, 0)
}

// work is the server, on a thread of its own until the mount is gone.
func (s *oneServer) work() {
	urgent()
	buf := make([]byte, 64<<10)
	for {
		var limit *unix.Timespec
		if len(s.waiting) > 0 {
			left := unix.NsecToTimespec(max(0, time.Until(s.due).Nanoseconds()))
			limit = &left
		}
		n, err := unix.Ppoll([]unix.PollFd{{Fd: int32(s.fuse), Events: unix.POLLIN}}, limit, nil)
		if n > 0 && !s.receive(buf) || err != nil && err != unix.EINTR {
			return
		}
		if len(s.waiting) > 0 && !time.Now().Before(s.due) {
			s.finish()
		}
	}
}

// receive takes a request from the kernel; false when the mount is gone. A read
// joins the queue, the rest is answered at once.
func (s *oneServer) receive(buf []byte) bool {
	n, err := unix.Read(s.fuse, buf)
	if err != nil {
		return err == unix.EAGAIN || err == unix.EINTR || err == unix.ENOENT // ENOENT: the request was withdrawn
	}
	unique := binary.NativeEndian.Uint64(buf[8:])
	switch op := binary.NativeEndian.Uint32(buf[4:]); op {
	case fuseRead:
		s.waiting = append(s.waiting, arrival{unique, binary.NativeEndian.Uint32(buf[40+16:]), time.Now()})
		if len(s.waiting) == 1 {
			s.begin()
		}
	case fuseForget, fuseForgetMany, fuseInterrupt: // have no answer
	default:
		s.answer(unique, op, buf[:n])
	}
	return true
}

// answer gives what is not a read its reply.
func (s *oneServer) answer(unique uint64, op uint32, request []byte) {
	le := binary.NativeEndian
	switch op {
	case fuseInit:
		out := make([]byte, 64)
		le.PutUint32(out[0:], 7)
		le.PutUint32(out[4:], 31)
		le.PutUint32(out[12:], le.Uint32(request[40+12:])&(fuseAsyncRead|fuseAsyncDirect))
		le.PutUint16(out[16:], 1024) // in the background at once
		le.PutUint16(out[18:], 1024) // before it counts as congested
		le.PutUint32(out[20:], 4096) // longest write
		s.reply(unique, 0, out)
	case fuseGetattr:
		out := make([]byte, 104)
		le.PutUint64(out[0:], 3600) // seconds that this is good for
		le.PutUint64(out[16:], fuseRoot)
		le.PutUint64(out[24:], uint64(s.size))
		le.PutUint32(out[76:], unix.S_IFREG|0o400)
		le.PutUint32(out[80:], 1)
		le.PutUint32(out[96:], 4096)
		s.reply(unique, 0, out)
	case fuseOpen:
		out := make([]byte, 16)
		le.PutUint32(out[8:], fuseDirect)
		s.reply(unique, 0, out)
	case fuseRelease:
		s.reply(unique, 0, nil)
	default:
		s.reply(unique, unix.ENOSYS, nil)
	}
}

func (s *oneServer) reply(unique uint64, failure unix.Errno, body []byte) {
	out := make([]byte, 16, 16+len(body))
	binary.NativeEndian.PutUint32(out, uint32(16+len(body)))
	binary.NativeEndian.PutUint32(out[4:], uint32(-int32(failure)))
	binary.NativeEndian.PutUint64(out[8:], unique)
	unix.Write(s.fuse, append(out, body...)) // fails once the mount is gone, which receive sees
}

// begin starts on the first that waits.
func (s *oneServer) begin() {
	s.begun = s.waiting[0].at
	if s.last.After(s.begun) {
		s.begun = s.last
	}
	s.due = s.begun.Add(s.service())
}

// finish answers the first that waits.
func (s *oneServer) finish() {
	a := s.waiting[0]
	s.reply(a.unique, 0, make([]byte, a.length))
	s.waiting, s.last = s.waiting[1:], time.Now()
	took := s.last.Sub(s.begun).Seconds()
	s.mu.Lock()
	s.seen.n++
	s.seen.service, s.seen.squares = s.seen.service+took, s.seen.squares+took*took
	s.seen.sojourn += s.last.Sub(a.at).Seconds()
	s.mu.Unlock()
	if len(s.waiting) > 0 {
		s.begin()
	}
}

// served returns what was served since it was asked last.
func (s *oneServer) served() servedReads {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.seen
	s.seen = servedReads{}
	return out
}
