//go:build lab

package lab

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// least is what every machine loads; what modules need comes before them.
func least() []string {
	return []string{"virtio_pci", "virtio_blk", "ext4", "mq-deadline", "crc32c_generic"}
}

// drivers are for every kind of device, with their options.
func drivers() []string {
	return append(least(), "nvme", "ahci", "sd_mod", "virtio_scsi", "loop",
		"scsi_debug dev_size_mb=16 lbpu=1 unmap_max_blocks=4096 unmap_granularity=8 unmap_max_desc=1 delay=0 ndelay=20000",
		"null_blk nr_devices=0", "dm-delay", "dm-flakey", "dm-multipath", "dm-round-robin", "raid1")
}

// kernelFolder is where .ci/setup puts Debian's kernel and its modules.
func kernelFolder() (string, error) {
	if dir := os.Getenv("IOSWEEP_LAB_KERNEL"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "iosweep-lab"), err
}

// kernel finds the kernel image and the folder of its modules.
func kernel(dir string) (image, mods string, err error) {
	images, _ := filepath.Glob(filepath.Join(dir, "boot", "vmlinuz-*"))
	folders, _ := filepath.Glob(filepath.Join(dir, "lib", "modules", "*"))
	if len(images) == 0 || len(folders) == 0 {
		return "", "", fmt.Errorf("no kernel in %s", dir)
	}
	return images[0], folders[0], nil
}

// modInfo reads the values of a key in a module's own description.
func modInfo(path, key string) ([]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := f.Section(".modinfo")
	if s == nil {
		return nil, errors.New("no .modinfo in " + path)
	}
	data, err := s.Data()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, line := range strings.Split(string(data), "\x00") {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			out = append(out, value)
		}
	}
	return out, nil
}

// unpacked is the kernel without its decompressor, which takes ten seconds of
// an emulated boot: QEMU starts it by its PVH note. The image's header says where
// the packed kernel lies (Linux, Documentation/x86/boot.rst).
func unpacked(t *testing.T, dir, image string) string {
	t.Helper()
	data, err := os.ReadFile(image)
	if err != nil || len(data) < 0x250 {
		t.Fatalf("read %s: %v", image, err)
	}
	start := (int(data[0x1f1])+1)*512 + int(binary.LittleEndian.Uint32(data[0x248:]))
	length := int(binary.LittleEndian.Uint32(data[0x24c:])) - 4 // its length follows it
	if start+length > len(data) || length < 0 {
		t.Fatalf("%s has no packed kernel", image)
	}
	var out bytes.Buffer
	cmd := exec.Command("xz", "-dc", "--single-stream")
	cmd.Stdin, cmd.Stdout = bytes.NewReader(data[start:start+length]), &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("unpack %s: %v", image, err)
	}
	path := filepath.Join(dir, "vmlinux")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// closure orders modules so that each comes after those that it needs. It
// returns lines of a file name and options, and the files.
func closure(t *testing.T, dir string, modules []string) (order []string, files map[string]string) {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(filepath.Base(path), ".ko"); ok {
			found[strings.ReplaceAll(name, "-", "_")] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	var add func(module string)
	add = func(module string) {
		name, options, _ := strings.Cut(module, " ")
		name = strings.ReplaceAll(name, "-", "_")
		path, there := found[name]
		if _, done := files[name+".ko"]; done || !there {
			return // built into the kernel, or there already
		}
		files[name+".ko"] = path
		for _, key := range []string{"depends", "softdep"} {
			values, err := modInfo(path, key)
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range values {
				for _, need := range strings.FieldsFunc(strings.TrimPrefix(value, "pre:"), func(r rune) bool { return r == ',' || r == ' ' }) {
					add(need)
				}
			}
		}
		order = append(order, strings.TrimSpace(name+".ko "+options))
	}
	for _, m := range modules {
		add(m)
	}
	return order, files
}

// archive is an initramfs in the newc format.
type archive struct{ bytes.Buffer }

// entry adds a file or, with the mode of one, a folder.
func (a *archive) entry(name string, mode int, data []byte) {
	fmt.Fprintf(a, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name)+1, 0)
	a.WriteString(name)
	a.WriteByte(0)
	a.pad()
	a.Write(data)
	a.pad()
}

func (a *archive) pad() {
	for a.Len()%4 != 0 {
		a.WriteByte(0)
	}
}

const folder, program = 0o40755, 0o100755

// initramfs packs the guest program, iosweep and the modules.
func initramfs(t *testing.T, mods string, modules []string, programs map[string]string) []byte {
	t.Helper()
	a := &archive{}
	for _, dir := range []string{"dev", "proc", "sys", "tmp", "bin", "modules", "state", "mounted"} {
		a.entry(dir, folder, nil)
	}
	add := func(name, path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a.entry(name, program, data)
	}
	for name, path := range programs {
		add(name, path)
	}
	order, files := closure(t, mods, modules)
	for name, path := range files {
		add("modules/"+name, path)
	}
	a.entry("modules/order", 0o100644, []byte(strings.Join(order, "\n")+"\n"))
	a.entry("TRAILER!!!", 0, nil)
	return a.Bytes()
}
