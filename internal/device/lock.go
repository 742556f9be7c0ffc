package device

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// errLocked: another process holds the lock.
var errLocked = errors.New("locked")

// lockPatience is how long a lock that is taken is tried again: udev takes one
// for an instant whenever a device changes.
const lockPatience = time.Second

// lockIdentity takes the lock file that is named after the whole disk's id.
func (c *Claim) lockIdentity(stateDir string) error {
	if stateDir == "" || c.Info.lockID == "" {
		return nil
	}
	if err := os.MkdirAll(stateDir, 0o755); err != nil {
		return fmt.Errorf("lock %s: make the state directory: %w; give another with --state-dir", c.Info.Path, err)
	}
	sum := sha256.Sum256([]byte(c.Info.lockID))
	path := filepath.Join(stateDir, "device-"+hex.EncodeToString(sum[:8])+".lock")
	f, err := openLock(path)
	if err != nil {
		return fmt.Errorf("lock %s: %w", c.Info.Path, err)
	}
	if err := lockTarget(f, c.Info.Path); err != nil {
		f.Close()
		return err
	}
	c.locks = append(c.locks, f)
	return nil
}

// lockDisk locks the whole disk's own node, unless it is the target's: runs with
// different state directories meet there, by whatever node or partition they
// came. Where this user cannot open it, the other locks must do.
func (c *Claim) lockDisk() error {
	if c.Info.diskNode == "" {
		return nil
	}
	f, err := os.Open(c.Info.diskNode)
	if err != nil {
		return nil
	}
	if sameNode(f, c.File) {
		return f.Close()
	}
	if err := lockTarget(f, c.Info.diskNode); err != nil {
		f.Close()
		return err
	}
	c.locks = append(c.locks, f)
	return nil
}

func sameNode(a, b *os.File) bool {
	x, errX := a.Stat()
	y, errY := b.Stat()
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// lockTarget locks an open file against other processes, or says who to wait
// for. The lock ends with the process, however that ends.
func lockTarget(f *os.File, path string) error {
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := tryLock(f)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errLocked) {
			return fmt.Errorf("lock %s: %w", path, err)
		}
		if time.Since(begin) > lockPatience {
			return fmt.Errorf("open %s: %w: another iosweep (or another program that locks it) is using this device; wait for it to end", path, ErrRefused)
		}
	}
}
