package device

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bsdKernel is what FreeBSD's kernel is asked through.
type bsdKernel interface {
	// Sysctl reads a value as the kernel lays it out.
	Sysctl(name string) ([]byte, error)
	// Mounts is what getfsstat(2) returns.
	Mounts() ([]byte, error)
	// Open opens a node of a disk, without creating or following anything.
	Open(path string, write bool) (*os.File, error)
	// Control is ioctl(2) with an argument in memory.
	Control(f *os.File, request uint, arg []byte) error
}

// The requests of sys/disk.h on 64-bit machines, and the sizes of their
// arguments in bytes.
const (
	diocgMediaSize = 0x40086481 // off_t
	diocgIdent     = 0x41006489 // char[256]
	diocgAttr      = 0xc148648e // struct diocgattr_arg: name[64], int length, value at 72

	identBytes    = 256
	attrBytes     = 328
	attrLengthAt  = 64
	attrValueAt   = 72
	attrNameBytes = 64
)

// bsd looks at the devices of a FreeBSD kernel. Its nodes are below dev. pages
// returns what is mapped at /dev/devstat, and pageBytes is the size of one.
type bsd struct {
	kernel    bsdKernel
	dev       string
	pages     func() ([]byte, error)
	pageBytes int
}

// look reads the tree and the mounts once, for many devices.
func (b bsd) look() (*mesh, meshUsers, error) {
	raw, err := b.kernel.Sysctl("kern.geom.confxml")
	if err != nil {
		return nil, meshUsers{}, fmt.Errorf("read kern.geom.confxml: %w", err)
	}
	m, err := parseMesh(raw)
	if err != nil {
		return nil, meshUsers{}, err
	}
	raw, err = b.kernel.Mounts()
	if err != nil {
		return nil, meshUsers{}, fmt.Errorf("list mounts: %w", err)
	}
	mounts, err := parseFsstat(raw)
	return m, meshUsers{mounts: mounts}, err
}

// list describes the disks and what stands on them; labels are other names and
// are left out. A disk of kern.disks that GEOM does not show is listed as not
// usable.
func (b bsd) list(ctx context.Context) ([]Info, error) {
	m, users, err := b.look()
	if err != nil {
		return nil, fmt.Errorf("list devices: %w", err)
	}
	var all []Info
	for _, p := range m.providers {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		if p.geom.class != classLabel {
			all = append(all, b.examine(p, users))
		}
	}
	disks, err := b.kernel.Sysctl("kern.disks")
	if err != nil {
		return nil, fmt.Errorf("list devices: read kern.disks: %w", err)
	}
	for _, name := range strings.Fields(cString(disks)) {
		if m.byName[name] == nil {
			i := Info{Name: name, Path: filepath.Join(b.dev, name), Kind: "disk", blocked: []string{"is not in GEOM's tree: it is coming or going"}}
			i.judge()
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(x, y Info) int { return strings.Compare(x.Name, y.Name) })
	return markTwins(all), nil
}

// inspect describes the device of a node.
func (b bsd) inspect(path string) (Info, error) {
	return b.inspectAs(path, nil)
}

// inspectAs describes the device of a node that this process may have open.
func (b bsd) inspectAs(path string, mine *access) (Info, error) {
	m, users, err := b.look()
	if err != nil {
		return Info{}, fmt.Errorf("inspect %s: %w", path, err)
	}
	name, err := filepath.Rel(b.dev, path)
	p := m.byName[filepath.ToSlash(name)]
	if err != nil || p == nil {
		return Info{}, fmt.Errorf("inspect %s: %w: GEOM has no such disk; `iosweep devices` lists devices", path, ErrRefused)
	}
	if mine != nil {
		users.mine = map[string]access{p.name: *mine}
	}
	if p != p.unlabelled() {
		return Info{}, fmt.Errorf("inspect %s: %w: it is a label; name what it labels, %s", path, ErrRefused, filepath.Join(b.dev, p.unlabelled().name))
	}
	i := b.examine(p, users)
	for _, other := range m.providers {
		if other != p && i.ID != "" && b.identify(other) == i.ID && other.geom.class != classLabel {
			i.blocked = append(i.blocked, "has the same id as "+other.name)
		}
	}
	i.judge()
	return i, nil
}

// examine describes a provider with its users and signatures.
func (b bsd) examine(p *provider, users meshUsers) Info {
	i := b.describe(p)
	i.Users = users.of(p)
	i.sign()
	var parts []string
	for _, c := range p.consumers {
		if c.geom.class == classPart {
			for _, part := range c.geom.providers {
				parts = append(parts, part.name)
			}
		}
	}
	if len(parts) > 0 {
		i.Signatures = append(i.Signatures, "partitions ("+strings.Join(parts, ", ")+")")
	}
	i.judge()
	return i
}

func (b bsd) describe(p *provider) Info {
	disk := p.disk()
	i := Info{
		Name: p.name, Path: filepath.Join(b.dev, p.name), Kind: bsdKind(disk),
		Model: cleanText(disk.config["descr"]), Serial: cleanText(disk.config["ident"]), WWN: cleanID(disk.config["lunid"]),
		SizeBytes: p.sizeBytes, LogicalBlockBytes: p.sectorBytes, PhysicalBlockBytes: max(p.sectorBytes, p.stripeBytes),
		ReadOnly: disk.config["access"] == "read-only", DevSeq: p.id, Backing: disk.config["file"],
		ID: b.identify(p), lockID: b.identify(disk), counterID: p.counterID(),
	}
	if disk != p {
		i.Disk = disk.name
	}
	i.Settings = map[string]string{SortsSetting: b.sorts(disk)}
	b.ask(&i)
	if i.SizeBytes <= 0 || i.LogicalBlockBytes <= 0 {
		i.blocked = append(i.blocked, "has no usable capacity (no medium, or not set up)")
	}
	if i.ReadOnly {
		i.blocked = append(i.blocked, "is read-only")
	}
	if i.ID == "" {
		i.blocked = append(i.blocked, "has no serial or WWN that would tell it from another device of its name")
	}
	return i
}

// ask adds what only the open device tells. Without permission it stays
// unknown, and signing says so.
func (b bsd) ask(i *Info) {
	f, err := b.kernel.Open(i.Path, false)
	if err != nil {
		return
	}
	defer f.Close()
	// A delete on a device that cannot is EOPNOTSUPP, so it is asked first.
	if raw, err := b.attribute(f, "GEOM::candelete", 4); err == nil && binary.LittleEndian.Uint32(raw) != 0 {
		i.DeleteGranularityBytes, i.DeleteMaxBytes = i.LogicalBlockBytes, i.SizeBytes
	}
	// 1 is a device without rotation, 0 an unknown one, others turns a minute.
	if raw, err := b.attribute(f, "GEOM::rotation_rate", 2); err == nil {
		i.Rotational = binary.LittleEndian.Uint16(raw) > 1
	}
}

func (b bsd) attribute(f *os.File, name string, length uint32) ([]byte, error) {
	arg := make([]byte, attrBytes)
	copy(arg[:attrNameBytes-1], name)
	binary.LittleEndian.PutUint32(arg[attrLengthAt:], length)
	if err := b.kernel.Control(f, diocgAttr, arg); err != nil {
		return nil, fmt.Errorf("ask for %s: %w", name, err)
	}
	return arg[attrValueAt : attrValueAt+int(length)], nil
}

// identify chooses the id that an operator types: the WWN (lunid) of a disk,
// else its serial; a memory disk's backing file, or its name and size; what
// stands on others by its class and the name that is written on them. A
// partition's is its disk's with "-part" and its number.
func (b bsd) identify(p *provider) string {
	p = p.unlabelled()
	switch p.geom.class {
	case classPart:
		disk := p.disk()
		if disk.geom.class == classPart {
			return "" // on several disks, or none
		}
		id := b.identify(disk)
		if id == "" || p.config["index"] == "" {
			return ""
		}
		return id + "-part" + cleanID(p.config["index"])
	case classMD:
		if file := p.config["file"]; file != "" {
			return file
		}
		return fmt.Sprintf("virtual:%s:%d", p.name, p.sizeBytes)
	case classDisk:
		if id := cleanID(p.config["lunid"]); !saysNothing(id) {
			return "lunid." + id
		}
		if id := cleanID(p.config["ident"]); !saysNothing(id) {
			return id
		}
		return ""
	}
	return strings.ToLower(p.geom.class) + ":" + cleanID(p.name)
}

// SortsSetting is the setting of an Info that says whether the driver orders
// the requests that wait: yes, no, or unknown. FreeBSD's debug.bioq_batchsize
// acts only where it does.
const SortsSetting = "driver/sorts"

// sorts asks CAM about its disks (-1 leaves it to kern.cam.sort_io_queues). NVMe
// and virtio disks are first in, first out; memory disks sort.
func (b bsd) sorts(disk *provider) string {
	driver := strings.TrimRight(disk.name, "0123456789")
	switch driver {
	case "nvd", "nda", "vtbd":
		return "no"
	case "md", "mmcsd", "cd":
		return "yes"
	case "ada", "da":
	default:
		return "unknown"
	}
	n, ok := b.int32("kern.cam." + driver + "." + strings.TrimPrefix(disk.name, driver) + ".sort_io_queue")
	if ok && n == -1 {
		n, ok = b.int32("kern.cam.sort_io_queues")
	}
	switch {
	case !ok:
		return "unknown"
	case n == 0:
		return "no"
	}
	return "yes"
}

// bsdKind tells devices apart for people.
func bsdKind(disk *provider) string {
	if disk.geom.class != classDisk {
		return strings.ToLower(disk.geom.class)
	}
	for _, k := range [...]struct{ prefix, kind string }{
		{"nda", "nvme"}, {"nvd", "nvme"}, {"ada", "ata"}, {"da", "scsi"}, {"vtbd", "virtio"},
		{"mmcsd", "mmc"}, {"cd", "optical"}, {"xbd", "xen"},
	} {
		if strings.HasPrefix(disk.name, k.prefix) {
			return k.kind
		}
	}
	return "disk"
}

// inspectOpen inspects again what is open as f: nobody else may have it open
// for writing, and the node must lead to the device that was looked at.
func (b bsd) inspectOpen(f *os.File, i Info, write bool) (Info, error) {
	mine := access{read: 1}
	if write {
		mine.write = 1
	}
	again, err := b.inspectAs(i.Path, &mine)
	if err != nil {
		return Info{}, err
	}
	size := make([]byte, 8)
	if err := b.kernel.Control(f, diocgMediaSize, size); err != nil {
		return Info{}, fmt.Errorf("ask for the size of %s: %w", i.Path, err)
	}
	again.SizeBytes = int64(binary.LittleEndian.Uint64(size))
	return again, b.sameSerial(f, i)
}

// sameSerial compares the serial of what is open with the tree's.
func (b bsd) sameSerial(f *os.File, i Info) error {
	if i.Serial == "" || i.Disk != "" {
		return nil
	}
	raw := make([]byte, identBytes)
	if err := b.kernel.Control(f, diocgIdent, raw); err != nil {
		return fmt.Errorf("ask for the serial of %s: %w", i.Path, err)
	}
	if serial := cleanText(cString(raw)); serial != i.Serial {
		return fmt.Errorf("open %s: %w: it has serial %q and was seen with %q: another device took its name; try again", i.Path, ErrRefused, serial, i.Serial)
	}
	return nil
}
