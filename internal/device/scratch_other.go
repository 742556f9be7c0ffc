//go:build !linux

package device

import (
	"context"
	"os"
	"runtime"
)

func newScratch(_ context.Context, sizeBytes int64, dir string) (*Scratch, error) {
	return newFileScratch(sizeBytes, dir, "loop devices are Linux's, this is "+runtime.GOOS)
}

func createUnnamed(dir string) (*os.File, string, error) { return createNamed(dir) }

// CleanStale has nothing to do: only Linux has loop devices that can be left.
func CleanStale() error { return nil }

// checkSpace leaves it to allocate to find that space is short.
func checkSpace(string, int64) error { return nil }

// allocate writes zeros: a file that is only made long would run out of space
// in the middle of a run.
func allocate(f *os.File, sizeBytes int64) error {
	zeros := make([]byte, scratchAlign)
	for at := int64(0); at < sizeBytes; at += scratchAlign {
		if _, err := f.WriteAt(zeros, at); err != nil {
			return err
		}
	}
	return f.Sync()
}

func openLimits(*os.File) limits { return fileLimits("") }
