package device

import (
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Bounds of what is read from one file: sysfs values are a page, a mount table
// of a large host some hundred KiB.
const (
	valueBytes = 64 << 10
	tableBytes = 8 << 20
)

// tree reads sysfs, proc and dev below a root that tests replace. A file that
// cannot be read is an absent value: kernels differ in which they have.
type tree struct{ root string }

func (t tree) path(elem ...string) string {
	return filepath.Join(append([]string{t.root}, elem...)...)
}

// file returns at most limit bytes of a file, and whether it could be read.
func (t tree) file(limit int64, elem ...string) (string, bool) {
	f, err := os.Open(t.path(elem...))
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	return string(b), err == nil
}

// text is a value without the blanks around it, empty where there is none.
func (t tree) text(elem ...string) string {
	s, _ := t.file(valueBytes, elem...)
	return strings.TrimSpace(s)
}

// number is a decimal value, 0 where there is none.
func (t tree) number(elem ...string) int64 {
	n, err := strconv.ParseInt(t.text(elem...), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (t tree) has(elem ...string) bool {
	_, err := os.Lstat(t.path(elem...))
	return err == nil
}

// link is what a symbolic link says, empty where there is none.
func (t tree) link(elem ...string) string {
	s, err := os.Readlink(t.path(elem...))
	if err != nil {
		return ""
	}
	return s
}

// names lists a directory, sorted; empty where there is none.
func (t tree) names(elem ...string) []string {
	entries, err := os.ReadDir(t.path(elem...))
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	sort.Strings(names)
	return names
}

// node is a block device in sysfs: a whole disk, or a partition of one.
type node struct {
	name string
	disk string // the whole disk's name; empty for a whole disk
}

// dir is the node's own directory below the root.
func (n node) dir() string {
	if n.disk == "" {
		return filepath.Join("sys/block", n.name)
	}
	return filepath.Join("sys/block", n.disk, n.name)
}

// whole is the disk that the node is, or is a part of.
func (n node) whole() node {
	if n.disk == "" {
		return n
	}
	return node{name: n.disk}
}

// disks lists the whole disks that have a node under /dev. A path of a
// multipath NVMe is hidden: its head is what people use, and what is counted.
func (t tree) disks() []node {
	var disks []node
	for _, name := range t.names("sys/block") {
		if t.text("sys/block", name, "hidden") != "1" {
			disks = append(disks, node{name: name})
		}
	}
	return disks
}

// partitions lists the partitions of a whole disk, by the attribute that only
// partitions have and never by their names.
func (t tree) partitions(disk node) []node {
	if disk.disk != "" {
		return nil
	}
	var parts []node
	for _, name := range t.names(disk.dir()) {
		if t.has(disk.dir(), name, "partition") {
			parts = append(parts, node{name: name, disk: disk.name})
		}
	}
	return parts
}

// byNumber finds the node of a device number.
func (t tree) byNumber(devNum string) (node, bool) {
	return t.find(func(n node) bool { return t.text(n.dir(), "dev") == devNum })
}

// byName finds the node of a kernel name, in sysfs's spelling.
func (t tree) byName(name string) (node, bool) {
	return t.find(func(n node) bool { return n.name == name })
}

func (t tree) find(match func(node) bool) (node, bool) {
	for _, d := range t.disks() {
		if match(d) {
			return d, true
		}
		for _, p := range t.partitions(d) {
			if match(p) {
				return p, true
			}
		}
	}
	return node{}, false
}

// byPath finds the node of a path under /dev, following links such as
// /dev/mapper/root. A '!' in sysfs stands for a '/' under /dev.
func (t tree) byPath(path string) (node, bool) {
	dev := t.path("dev")
	resolved, err := filepath.EvalSymlinks(t.path(path))
	if err != nil {
		resolved = t.path(path)
	}
	if number, ok := deviceNumber(resolved); ok {
		return t.byNumber(number)
	}
	rel, err := filepath.Rel(dev, resolved)
	if err != nil || strings.HasPrefix(rel, "..") {
		return node{}, false
	}
	return t.byName(strings.ReplaceAll(filepath.ToSlash(rel), "/", "!"))
}

// devPath is where a kernel name has its node.
func devPath(name string) string { return "/dev/" + strings.ReplaceAll(name, "!", "/") }
