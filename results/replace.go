package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// replaceFile makes name hold text, durably and whole or not at all. A symbolic
// link of that name is replaced, not followed.
func replaceFile(root *os.Root, name string, text []byte) error {
	temporary := name + ".tmp"
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s of an earlier attempt: %w", temporary, err)
	}
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", filepath.Join(root.Name(), temporary), err), root.Remove(temporary))
	}
	if err := root.Rename(temporary, name); err != nil {
		return err
	}
	return syncFolder(root.Name())
}

// syncFolder makes a folder's entries durable. Windows has no such call, and
// needs none: NTFS journals its entries.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
