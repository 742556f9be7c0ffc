//go:build !linux

package device

import "os"

func createUnnamed(dir string) (*os.File, string, error) { return createNamed(dir) }

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
