// Package durabletest is a file system in memory that crashes on demand: what
// was not synced may then be gone, and any operation can be made to fail.
package durabletest

import (
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/iosweep/iosweep/internal/durable"
)

// Op is a step that the file system takes.
type Op struct {
	Name string // open, read, write, sync, rename, remove or syncdir
	Path string
}

// Loss is what a crash takes of the data that was not synced.
type Loss int

// The ways to crash. A killed process loses Nothing; a power cut may lose
// Everything that was not synced, or leave half of it.
const (
	Nothing Loss = iota
	Half
	Everything
)

// node is a file's content: what a reader sees, and what the disk holds.
type node struct{ live, disk []byte }

// FS is a file system in memory. It implements durable.FS and may be used by
// several goroutines. Directories need not be made.
type FS struct {
	// Fault, where it is set, is asked before each step; its error is the
	// step's result, and the step is not taken. For a write of several bytes,
	// half of them are written all the same.
	Fault func(Op) error

	mu sync.Mutex
	// live is what a process sees, disk which names a power cut leaves.
	live, disk map[string]*node
}

// New returns an empty file system.
func New() *FS {
	return &FS{live: map[string]*node{}, disk: map[string]*node{}}
}

// Crash loses what loss says and keeps the rest. Files that are open stay
// connected to what they were opened for, so do not use them any more.
func (fs *FS) Crash(loss Loss) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if loss == Everything {
		fs.live = map[string]*node{}
		for name, n := range fs.disk {
			fs.live[name] = n
		}
	}
	for _, n := range fs.live {
		n.lose(loss)
	}
	fs.disk = map[string]*node{}
	for name, n := range fs.live {
		fs.disk[name] = n
	}
}

// lose makes of live what a crash leaves. Data is only ever appended to or
// written into an empty file here, so disk is a prefix of live.
func (n *node) lose(loss Loss) {
	switch loss {
	case Everything:
		n.live = clone(n.disk)
	case Half:
		kept := min(len(n.disk), len(n.live))
		n.live = clone(n.live[:kept+(len(n.live)-kept)/2])
	}
	n.disk = clone(n.live)
}

// Text returns what a reader of name would see, and whether the file is there.
func (fs *FS) Text(name string) (string, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, ok := fs.live[name]
	if !ok {
		return "", false
	}
	return string(n.live), true
}

// Put makes name a file that holds text, durably.
func (fs *FS) Put(name, text string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := &node{live: []byte(text), disk: []byte(text)}
	fs.live[name], fs.disk[name] = n, n
}

func (fs *FS) fault(name, path string) error {
	if fs.Fault == nil {
		return nil
	}
	return fs.Fault(Op{name, path})
}

// Open implements durable.FS.
func (fs *FS) Open(name string, flag int, _ os.FileMode) (durable.File, error) {
	if err := fs.fault("open", name); err != nil {
		return nil, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, ok := fs.live[name]
	if !ok {
		if flag&os.O_CREATE == 0 {
			return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
		}
		n = &node{}
		fs.live[name] = n
	}
	if flag&os.O_TRUNC != 0 {
		n.live = nil
	}
	return &file{fs: fs, node: n, name: name}, nil
}

// Rename implements durable.FS.
func (fs *FS) Rename(from, to string) error {
	if err := fs.fault("rename", from); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n, ok := fs.live[from]
	if !ok {
		return &os.PathError{Op: "rename", Path: from, Err: os.ErrNotExist}
	}
	delete(fs.live, from)
	fs.live[to] = n
	return nil
}

// Remove implements durable.FS.
func (fs *FS) Remove(name string) error {
	if err := fs.fault("remove", name); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if _, ok := fs.live[name]; !ok {
		return &os.PathError{Op: "remove", Path: name, Err: os.ErrNotExist}
	}
	delete(fs.live, name)
	return nil
}

// SyncDir implements durable.FS.
func (fs *FS) SyncDir(dir string) error {
	if err := fs.fault("syncdir", dir); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for name := range fs.disk {
		if filepath.Dir(name) == filepath.Clean(dir) && fs.live[name] == nil {
			delete(fs.disk, name)
		}
	}
	for name, n := range fs.live {
		if filepath.Dir(name) == filepath.Clean(dir) {
			fs.disk[name] = n
		}
	}
	return nil
}

// file is an open file: it reads from the start and writes at the end.
type file struct {
	fs   *FS
	node *node
	name string
	read int
}

func (f *file) Read(p []byte) (int, error) {
	if err := f.fs.fault("read", f.name); err != nil {
		return 0, err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.read >= len(f.node.live) {
		return 0, io.EOF
	}
	n := copy(p, f.node.live[f.read:])
	f.read += n
	return n, nil
}

func (f *file) Write(p []byte) (int, error) {
	err := f.fs.fault("write", f.name)
	if err != nil {
		p = p[:len(p)/2]
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.live = append(f.node.live, p...)
	return len(p), err
}

func (f *file) Sync() error {
	if err := f.fs.fault("sync", f.name); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.disk = clone(f.node.live)
	return nil
}

func (f *file) Close() error { return nil }

func clone(b []byte) []byte { return append([]byte(nil), b...) }
