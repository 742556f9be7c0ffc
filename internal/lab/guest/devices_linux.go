package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// makeDevices finds the devices that the host made and makes those that the
// kernel can make by itself.
func (g *guest) makeDevices() error {
	g.disks = map[string]string{}
	if _, err := os.Stat("/sys/module/scsi_mod"); err == nil {
		time.Sleep(time.Second) // SCSI is scanned in the background
	}
	entries, err := os.ReadDir("/sys/block")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if label := serialOf(e.Name()); label != "" {
			g.disks[label] = "/dev/" + e.Name()
		}
	}
	if err := g.makeNullBlocks(); err != nil {
		return err
	}
	if under := g.disks["under"]; under != "" {
		if g.disks["dmdelay"], err = delayed(under, 1); err != nil {
			return fmt.Errorf("make the dm-delay device: %w", err)
		}
	}
	if member := g.disks["member"]; member != "" {
		if err := mirror(member); err != nil {
			return fmt.Errorf("make the md device: %w", err)
		}
	}
	return nil
}

func (g *guest) makeNullBlocks() (err error) {
	if _, err := os.Stat("/sys/module/null_blk"); err != nil {
		return nil // a machine without
	}
	for i, d := range []struct {
		label   string
		options map[string]string
	}{
		{"nullmem", map[string]string{"size": "16", "memory_backed": "1", "discard": "1"}},
		{"nullbare", map[string]string{"size": "16", "memory_backed": "1", "discard": "0"}},
		{"nullzone", map[string]string{"size": "16", "memory_backed": "1", "zoned": "1", "zone_size": "4"}},
	} {
		// The kernel's own names: by another, a disk without a serial has no id.
		if g.disks[d.label], err = nullBlock(fmt.Sprintf("nullb%d", i), d.options); err != nil {
			return fmt.Errorf("make %s: %w", d.label, err)
		}
	}
	return nil
}

// serialOf is the label by which a disk is told from others.
func serialOf(name string) string {
	dir := filepath.Join("/sys/block", name)
	if hidden, _ := os.ReadFile(filepath.Join(dir, "hidden")); strings.TrimSpace(string(hidden)) == "1" {
		return "" // one path of several to an NVMe disk
	}
	model, _ := os.ReadFile(filepath.Join(dir, "device/model"))
	if label := strings.TrimSpace(string(model)); label == "scsi_debug" {
		return label // its serial is a number
	}
	for _, file := range []string{"serial", "device/serial"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	if page, err := os.ReadFile(filepath.Join(dir, "device/vpd_pg80")); err == nil && len(page) > 4 {
		return strings.TrimSpace(string(page[4:]))
	}
	return ""
}

// nullBlock makes a null_blk device by configfs.
func nullBlock(name string, options map[string]string) (string, error) {
	dir := filepath.Join("/sys/kernel/config/nullb", name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	for option, value := range options {
		if err := os.WriteFile(filepath.Join(dir, option), []byte(value), 0); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "power"), []byte("1"), 0); err != nil {
		return "", err
	}
	if _, err := os.Stat("/sys/block/" + name); err == nil {
		return "/dev/" + name, nil // kernels from 6.1 on name it after the folder
	}
	index, err := os.ReadFile(filepath.Join(dir, "index"))
	if err != nil {
		return "", err
	}
	return "/dev/nullb" + strings.TrimSpace(string(index)), nil
}

func sizeOf(path string) (sectors uint64, err error) {
	text, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(path), "size"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &sectors)
	}
	return sectors, err
}

// The md driver's ioctls.
const (
	mdSetArray, mdAddDisk, mdRun = 0x40480923, 0x40140921, 0x400c0930
)

// mirror makes a disk the only member of a RAID 1 without metadata.
func mirror(member string) error {
	if err := os.WriteFile("/sys/module/md_mod/parameters/new_array", []byte("md_lab"), 0); err != nil {
		return err
	}
	md, err := os.OpenFile("/dev/md_lab", os.O_RDWR, 0)
	if err != nil {
		entries, _ := filepath.Glob("/sys/block/md*")
		if len(entries) == 0 {
			return err
		}
		if md, err = os.OpenFile("/dev/"+filepath.Base(entries[0]), os.O_RDWR, 0); err != nil {
			return err
		}
	}
	defer md.Close()
	var st unix.Stat_t
	if err := unix.Stat(member, &st); err != nil {
		return err
	}
	const level, disks, raidDisks, notPersistent = 4, 6, 7, 9 // words of mdu_array_info_t
	array := [18]uint32{level: 1, disks: 1, raidDisks: 1, notPersistent: 1}
	disk := [5]uint32{0, unix.Major(st.Rdev), unix.Minor(st.Rdev), 0, 6}
	for _, step := range []struct {
		command uintptr
		arg     unsafe.Pointer
	}{{mdSetArray, unsafe.Pointer(&array)}, {mdAddDisk, unsafe.Pointer(&disk)}, {mdRun, nil}} {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, md.Fd(), step.command, uintptr(step.arg)); errno != 0 {
			return fmt.Errorf("md command %x: %w", step.command&0xff, errno)
		}
	}
	return nil
}

// mountState mounts the disk that keeps journals and results over the reset,
// and the partition that no run may touch: read-only, so that whatever changes
// there is a run's doing.
func (g *guest) mountState() error {
	if err := mount(g.disks["state"], "/state", 0, ""); err != nil {
		return err
	}
	if g.disks["mounted"] == "" {
		return nil
	}
	return mount(g.disks["mounted"]+"1", "/mounted", unix.MS_RDONLY, "noload")
}

func mount(device, dir string, flags uintptr, options string) error {
	os.MkdirAll(dir, 0o755)
	var err error
	for range 20 {
		if err = unix.Mount(device, dir, "ext4", flags, options); !errors.Is(err, unix.ENOENT) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("mount %s on %s: %w", device, dir, err)
	}
	return nil
}
