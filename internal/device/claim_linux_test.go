package device

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

// mustRefuse asks for writing and wants a refusal that says each of the words.
func mustRefuse(t *testing.T, path string, o OpenOptions, words ...string) {
	t.Helper()
	o.Write = true
	c, err := Open(path, o)
	if err == nil {
		c.Close()
		t.Fatalf("open %s for writing was granted", path)
	}
	if !errors.Is(err, ErrRefused) {
		t.Errorf("err = %v, which does not wrap ErrRefused", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("err = %v, which does not say %q", err, w)
		}
	}
}

func mustGrant(t *testing.T, path string, o OpenOptions) *Claim {
	t.Helper()
	o.Write = true
	c, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestEmptyLoopIsGrantedByItsBackingFile(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	mustRefuse(t, path, OpenOptions{}, "--destroy")
	mustRefuse(t, path, OpenOptions{Destroy: "/dev/vda"}, "/dev/vda", "`iosweep devices`")
	mustRefuse(t, path, OpenOptions{Destroy: path}, "`iosweep devices`")
	c := mustGrant(t, path, OpenOptions{Destroy: backing, Direct: true, StateDir: t.TempDir()})
	if c.Info.SizeBytes != 16*mib || c.Info.Kind != "loop" {
		t.Errorf("claimed %d bytes of kind %s", c.Info.SizeBytes, c.Info.Kind)
	}
	if flags, err := unix.FcntlInt(c.File.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_DIRECT == 0 {
		t.Errorf("flags are %x, err %v: not direct", flags, err)
	}
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "in use")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	mustGrant(t, path, OpenOptions{Destroy: backing})
}

func TestMountedIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	runTool(t, "mkfs.ext4", "-q", path)
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "ext", "--overwrite")
	dir := mountAt(t, path, "ext4")
	mustRefuse(t, path, OpenOptions{Destroy: backing, Overwrite: true}, "mounted at "+dir)
	c, err := Open(path, OpenOptions{})
	if err != nil {
		t.Fatalf("reading a mounted device was refused: %v", err)
	}
	c.Close()
}

func TestSignatureNeedsOverwrite(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	runTool(t, "mkswap", path)
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "carries swap", "--overwrite")
	mustGrant(t, path, OpenOptions{Destroy: backing, Overwrite: true})
}

func TestSwapIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	runTool(t, "mkswap", path)
	runTool(t, "swapon", path)
	t.Cleanup(func() { runTool(t, "swapoff", path) })
	mustRefuse(t, path, OpenOptions{Destroy: backing, Overwrite: true}, "swap space")
}

func TestMountedPartitionIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 32*mib, unix.LO_FLAGS_PARTSCAN)
	part := addPartition(t, path, 1, mib, 16*mib)
	free := addPartition(t, path, 2, 17*mib, 8*mib)
	runTool(t, "mkfs.ext4", "-q", part)
	mountAt(t, part, "ext4")
	mustRefuse(t, path, OpenOptions{Destroy: backing, Overwrite: true}, "partition "+filepath.Base(part)+": mounted at")
	mustRefuse(t, part, OpenOptions{Destroy: backing + "-part1", Overwrite: true}, "mounted at")
	c := mustGrant(t, free, OpenOptions{Destroy: backing + "-part2"})
	if c.Info.SizeBytes != 8*mib || c.Info.Disk != filepath.Base(path) {
		t.Errorf("partition has %d bytes on disk %q", c.Info.SizeBytes, c.Info.Disk)
	}
	mustRefuse(t, free, OpenOptions{Destroy: backing}, "is not this device's")
}

func TestStackedLoopIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	dev, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	upper := attachFile(t, dev, 0)
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "backs "+filepath.Base(upper))
	mustRefuse(t, backing, OpenOptions{Destroy: backing}, "backs "+filepath.Base(path))
}

func TestReadOnlyIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, unix.LO_FLAGS_READ_ONLY)
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "read-only")
}

func TestExclusiveUserIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_EXCL|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "in use")
}

// A virtual machine, say, opens its disk shared; the kernel would grant an
// exclusive open beside it.
func TestOpenForWritingElsewhereIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	file := filepath.Join(t.TempDir(), "disk.img")
	if err := os.WriteFile(file, make([]byte, mib), 0o600); err != nil {
		t.Fatal(err)
	}
	for target, id := range map[string]string{path: backing, file: file} {
		t.Run(filepath.Base(target), func(t *testing.T) { refusedWhileOpen(t, target, id) })
	}
}

func refusedWhileOpen(t *testing.T, path, id string) {
	cmd := exec.Command(needTool(t, "sh"), "-c", `exec 3<>"$0"; echo ready; read x`, path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, path, OpenOptions{Destroy: id}, "open for writing by sh (process "+strconv.Itoa(cmd.Process.Pid)+")")
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Logf("sh: %v", err) // read fails at the end of its input
	}
	mustGrant(t, path, OpenOptions{Destroy: id})
}

// A disk whose partitions only the kernel knows of is not empty.
func TestPartitionsNeedOverwrite(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, unix.LO_FLAGS_PARTSCAN)
	part := addPartition(t, path, 1, mib, 8*mib)
	mustRefuse(t, path, OpenOptions{Destroy: backing}, filepath.Base(part), "--overwrite")
	mustGrant(t, path, OpenOptions{Destroy: backing, Overwrite: true})
}

func TestTwoDevicesOnOneFileAreRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	f, err := os.OpenFile(backing, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	twin := attachFile(t, f, 0)
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "same id as "+filepath.Base(twin))
}

func TestSymlinkIsResolvedAndIdDecides(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	other, _ := attachLoop(t, 16*mib, 0)
	link := filepath.Join(t.TempDir(), "disk")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	c := mustGrant(t, link, OpenOptions{Destroy: backing})
	if c.Info.Path != path {
		t.Errorf("path is %s, want %s", c.Info.Path, path)
	}
	c.Close()
	os.Remove(link)
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, link, OpenOptions{Destroy: backing}, "is not this device's")
}

// What is opened is compared with what was inspected: here the name comes to
// mean another device in between.
func TestNameThatSwapsBetweenInspectAndOpenIsRefused(t *testing.T) {
	needRoot(t)
	first, backing := attachLoop(t, 16*mib, 0)
	second, _ := attachLoop(t, 16*mib, 0)
	name := filepath.Join(t.TempDir(), "sdx")
	makeNode := func(of string) {
		t.Helper()
		var st unix.Stat_t
		if err := unix.Stat(of, &st); err != nil {
			t.Fatal(err)
		}
		os.Remove(name)
		if err := unix.Mknod(name, unix.S_IFBLK|0o600, int(st.Rdev)); err != nil {
			t.Fatal(err)
		}
	}
	makeNode(first)
	i, err := Inspect(name)
	if err != nil {
		t.Fatal(err)
	}
	o := OpenOptions{Write: true, Destroy: backing}
	if err := permit(i, o); err != nil {
		t.Fatal(err)
	}
	makeNode(second)
	_, err = acquire(tree{hostRoot}, i, o)
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "changed while it was opened") {
		t.Errorf("swapped node: err = %v", err)
	}
	os.Remove(name)
	if err := os.Symlink(first, name); err != nil {
		t.Fatal(err)
	}
	if _, err = acquire(tree{hostRoot}, i, o); !errors.Is(err, ErrRefused) {
		t.Errorf("node replaced by a link: err = %v", err)
	}
	os.Remove(name)
	if _, err = acquire(tree{hostRoot}, i, o); !errors.Is(err, ErrRefused) {
		t.Errorf("node gone: err = %v", err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was created under the name of a device that went away")
	}
}

func TestMissingPathIsRefusedAndNotCreated(t *testing.T) {
	for _, path := range []string{"/dev/iosweep-no-such-device", filepath.Join(t.TempDir(), "none")} {
		mustRefuse(t, path, OpenOptions{Destroy: path}, "no such device or file", "`iosweep devices`")
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was created", path)
		}
	}
}

func TestOtherThingsAreRefused(t *testing.T) {
	for path, word := range map[string]string{"/dev/null": "character device", t.TempDir(): "directory"} {
		mustRefuse(t, path, OpenOptions{Destroy: path}, word)
	}
}

// More than 2^32 blocks, and sectors of 4096 bytes with a signature at the end.
func TestLargeDeviceOfLargeSectors(t *testing.T) {
	needRoot(t)
	const size = 3 << 40
	backing := filepath.Join(t.TempDir(), "backing")
	f, err := os.OpenFile(backing, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Skipf("needs a file system that takes a sparse file of 3 TiB: %v", err)
	}
	path := attachBlocks(t, f, 0, 4096)
	c := mustGrant(t, path, OpenOptions{Destroy: backing, Direct: true})
	if c.Info.SizeBytes != size || c.Info.LogicalBlockBytes != 4096 {
		t.Errorf("%d bytes in blocks of %d", c.Info.SizeBytes, c.Info.LogicalBlockBytes)
	}
	block := aligned(t, 4096)
	copy(block, "EFI PART")
	if _, err := c.File.WriteAt(block, size-4096); err != nil {
		t.Fatal(err)
	}
	c.Close()
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "GPT backup")
}

func TestPermissionIsExplained(t *testing.T) {
	err := explainOpen(Info{Path: "/dev/x"}, OpenOptions{}, unix.EACCES)
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "run as root") {
		t.Errorf("err = %v", err)
	}
}

// The root file system's disk must be refused on any machine.
func TestDiskOfRootIsRefused(t *testing.T) {
	tr := tree{hostRoot}
	m, ok := holding(parseMountinfo(tr.selfMounts()), "/")
	n, found := tr.byNumber(m.devNum)
	if !ok || !found {
		t.Skipf("the root file system (%s) is on no block device", m.fsType)
	}
	i, err := Inspect(devPath(n.name))
	if err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, i.Path, OpenOptions{Destroy: i.ID, Overwrite: true}, "mounted at")
}

func TestHolderIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	needTool(t, "dmsetup")
	if misc, err := os.ReadFile("/proc/misc"); err != nil || !strings.Contains(string(misc), "device-mapper") {
		t.Skip("needs device mapper in the kernel: /proc/misc does not list it")
	}
	runTool(t, "dmsetup", "create", "iosweep-test", "--table", "0 2048 linear "+path+" 0")
	t.Cleanup(func() { runTool(t, "dmsetup", "remove", "iosweep-test") })
	mustRefuse(t, path, OpenOptions{Destroy: backing}, "held by", "iosweep-test")
}

func TestMountInAnotherNamespaceIsRefused(t *testing.T) {
	path, backing := attachLoop(t, 16*mib, 0)
	runTool(t, "mkfs.ext4", "-q", path)
	inNamespace(t, path)
	mustRefuse(t, path, OpenOptions{Destroy: backing, Overwrite: true}, "mounted at")
}
