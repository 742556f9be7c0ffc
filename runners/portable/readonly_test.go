package portable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
)

// A delete of what was not opened for writing never reaches the kernel, which
// may carry it out all the same.
func TestDeleteNeedsWritable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // the descriptor would allow it
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	target := runners.Target{File: f, Name: "f", SizeBytes: 8192, BlockBytes: 4096, DeleteBytes: 4096}
	q, err := Engine{}.Open(context.Background(), target, runners.Options{Depth: 1, MaxLen: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if n, err := q.Submit([]workloads.Op{{Kind: workloads.Delete, Len: 4096}}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	var c [1]runners.Completion
	if n, err := q.Reap(c[:], 1, 0); n != 1 || err != nil || !errors.Is(c[0].Err, syscall.EBADF) {
		t.Errorf("%d, %v: the delete ended with %v", n, err, c[0].Err)
	}
}
