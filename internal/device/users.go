package device

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxProcesses bounds how many processes are looked at: enough for a busy host,
// and an end for one that forks without end.
const maxProcesses = 16384

// inUse is what the system says about devices in use, read once and asked for
// many nodes.
type inUse struct {
	tree   tree
	mounts []mount
	swaps  []string
	// others has, by kernel name, the users that sysfs lists apart from the
	// device.
	others map[string][]string
	loops  map[string]string // kernel name of a loop device to its backing path
	nodes  map[string]node   // by path, so that each is resolved once
}

// maxMountBytes bounds how much of all mount tables is read, where a user may
// not see which processes share one.
const maxMountBytes = 64 << 20

func (t tree) inUse() *inUse {
	u := &inUse{tree: t, others: map[string][]string{}, loops: map[string]string{}, nodes: map[string]node{}}
	u.mounts = t.mounts()
	swaps, _ := t.file(tableBytes, "proc/swaps")
	u.swaps = parseSwaps(swaps)
	for _, fs := range t.names("sys/fs/btrfs") {
		for _, name := range t.names("sys/fs/btrfs", fs, "devices") {
			u.others[name] = append(u.others[name], "member of a mounted btrfs ("+fs+")")
		}
	}
	u.exports()
	u.openers()
	for _, d := range t.disks() {
		if back := t.backingFile(d); back != "" {
			u.loops[d.name] = back
		}
	}
	return u
}

// exports adds the devices that the kernel serves to other hosts as NVMe
// namespaces: it opens them shared, so an exclusive open would not notice.
func (u *inUse) exports() {
	const subsystems = "sys/kernel/config/nvmet/subsystems"
	for _, sub := range u.tree.names(subsystems) {
		for _, ns := range u.tree.names(subsystems, sub, "namespaces") {
			dir := filepath.Join(subsystems, sub, "namespaces", ns)
			if u.tree.text(dir, "enable") != "1" {
				continue
			}
			if n, ok := u.tree.byPath(u.tree.text(dir, "device_path")); ok {
				u.others[n.name] = append(u.others[n.name], "exported as NVMe namespace "+ns+" of "+sub)
			}
		}
	}
}

// mounts reads the mount tables of this process and of each other mount
// namespace that may be read. Mounts seen twice are kept once.
func (t tree) mounts() []mount {
	seen := map[mount]bool{}
	spaces := map[string]bool{}
	var all []mount
	budget := maxMountBytes
	add := func(pid string) {
		text, _ := t.file(tableBytes, "proc", pid, "mountinfo")
		budget -= len(text)
		for _, m := range parseMountinfo(text) {
			if !seen[m] {
				seen[m] = true
				all = append(all, m)
			}
		}
	}
	add("self")
	for _, pid := range t.processes() {
		if budget < 0 {
			break
		}
		space := t.link("proc", pid, "ns/mnt")
		if space != "" && spaces[space] {
			continue
		}
		spaces[space] = true
		add(pid)
	}
	return all
}

// processes lists the process ids, as text.
func (t tree) processes() []string {
	ids := slices.DeleteFunc(t.names("proc"), func(name string) bool {
		_, err := strconv.ParseUint(name, 10, 32)
		return err != nil
	})
	return ids[:min(len(ids), maxProcesses)]
}

// openers adds the processes that have a device open for writing.
func (u *inUse) openers() {
	writers := u.tree.writers(func(path string) bool { return strings.HasPrefix(path, "/dev/") })
	for path, who := range writers {
		if n, ok := u.resolve(path); ok {
			u.others[n.name] = append(u.others[n.name], who...)
		}
	}
}

// writers lists the processes that have a matching path open for writing, such
// as a virtual machine: a shared open keeps nobody from an exclusive one. This
// process is left out.
func (t tree) writers(match func(path string) bool) map[string][]string {
	self := strconv.Itoa(os.Getpid())
	found := map[string][]string{}
	for _, pid := range t.processes() {
		if pid == self {
			continue
		}
		for _, fd := range t.names("proc", pid, "fd") {
			path := t.link("proc", pid, "fd", fd)
			if !match(path) || !parseWriting(t.text("proc", pid, "fdinfo", fd)) {
				continue
			}
			who := fmt.Sprintf("open for writing by %s (process %s)", cleanText(t.text("proc", pid, "comm")), pid)
			if !slices.Contains(found[path], who) {
				found[path] = append(found[path], who)
			}
		}
	}
	return found
}

// of lists what uses a node: itself, for a whole disk its partitions, for a
// partition its disk as a whole, and whatever stands on them.
func (u *inUse) of(n node) []string {
	users := u.direct(n, map[string]bool{})
	for _, p := range u.tree.partitions(n) {
		for _, s := range u.direct(p, map[string]bool{}) {
			users = append(users, "partition "+p.name+": "+s)
		}
	}
	if n.disk != "" {
		for _, s := range u.direct(n.whole(), map[string]bool{}) {
			users = append(users, "its disk "+n.disk+": "+s)
		}
	}
	return users
}

// direct lists what uses exactly this node, and for each holder what uses that.
func (u *inUse) direct(n node, visited map[string]bool) []string {
	if visited[n.name] {
		return nil
	}
	visited[n.name] = true
	users := append(u.mounted(n), u.swapped(n)...)
	users = append(users, u.others[n.name]...)
	users = append(users, u.backs(n)...)
	for _, h := range u.tree.names(n.dir(), "holders") {
		users = append(users, u.held(h, visited)...)
	}
	return users
}

func (u *inUse) held(holder string, visited map[string]bool) []string {
	text := "held by " + holder
	if name := u.tree.text("sys/block", holder, "dm/name"); name != "" {
		text += " (" + name + ")"
	}
	users := []string{text}
	h := node{name: holder}
	for _, s := range u.direct(h, visited) {
		users = append(users, holder+": "+s)
	}
	for _, p := range u.tree.partitions(h) {
		for _, s := range u.direct(p, visited) {
			users = append(users, p.name+": "+s)
		}
	}
	return users
}

// mounted matches by device number, and by source for file systems that show a
// number of their own, such as btrfs.
func (u *inUse) mounted(n node) []string {
	devNum := u.tree.text(n.dir(), "dev")
	var users []string
	for _, m := range u.mounts {
		if m.devNum != devNum && !u.same(m.source, n) {
			continue
		}
		text := fmt.Sprintf("mounted at %s (%s)", m.point, m.fsType)
		if !slices.Contains(users, text) {
			users = append(users, text)
		}
	}
	return users
}

func (u *inUse) swapped(n node) []string {
	for _, path := range u.swaps {
		if u.same(path, n) {
			return []string{"swap space"}
		}
	}
	return nil
}

// backs lists the loop devices that stand on a node.
func (u *inUse) backs(n node) []string {
	var users []string
	for loop, back := range u.loops {
		if loop != n.name && u.same(back, n) {
			users = append(users, "backs "+loop)
		}
	}
	slices.Sort(users)
	return users
}

// same says that a path under /dev is the node.
func (u *inUse) same(path string, n node) bool {
	found, ok := u.resolve(path)
	return ok && found == n
}

// resolve finds the node of a path under /dev, and remembers it.
func (u *inUse) resolve(path string) (node, bool) {
	if !strings.HasPrefix(path, "/dev/") {
		return node{}, false
	}
	n, ok := u.nodes[path]
	if !ok {
		n, _ = u.tree.byPath(path)
		u.nodes[path] = n
	}
	return n, n.name != ""
}

// ofFile lists what uses a regular file: loop devices, swap and other processes
// that write to it.
func (u *inUse) ofFile(path string, same func(other string) bool) []string {
	var users []string
	for loop, back := range u.loops {
		if back == path || same(back) {
			users = append(users, "backs "+loop)
		}
	}
	for _, swap := range u.swaps {
		if swap == path || same(swap) {
			users = append(users, "swap space")
		}
	}
	slices.Sort(users)
	writers := u.tree.writers(func(open string) bool { return open == path })
	return append(users, writers[path]...)
}

// backingFile is a loop device's backing file as the kernel shows it, or empty.
func (t tree) backingFile(n node) string {
	s, _ := t.file(valueBytes, n.whole().dir(), "loop/backing_file")
	return strings.TrimSuffix(s, "\n")
}
