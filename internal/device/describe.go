package device

import (
	"fmt"
	"path/filepath"
	"strings"
)

// describe reads all that sysfs says of a node. Users and signatures are added
// by others.
func (t tree) describe(n node) Info {
	disk := n.whole().dir()
	i := Info{
		Name: n.name, Path: devPath(n.name), Disk: n.disk, Kind: t.kind(n.whole()),
		Model:              t.model(disk),
		Firmware:           t.first(disk, "device/firmware_rev", "device/rev", "device/fwrev"),
		Serial:             t.serial(disk),
		WWN:                t.wwn(disk),
		SizeBytes:          t.number(n.dir(), "size") * sectorBytes,
		LogicalBlockBytes:  t.number(disk, "queue/logical_block_size"),
		PhysicalBlockBytes: t.number(disk, "queue/physical_block_size"),
		Rotational:         t.text(disk, "queue/rotational") == "1",
		ReadOnly:           t.text(n.dir(), "ro") == "1",
		Removable:          t.text(disk, "removable") == "1",
		Zoned:              t.text(disk, "queue/zoned"),
		DevNum:             t.text(n.dir(), "dev"),
		DevSeq:             t.text(disk, "diskseq"),
		SysDir:             t.path(disk),
		Backing:            t.backing(n),
		Settings:           t.settings(disk),
	}
	if granularity := t.number(disk, "queue/discard_granularity"); granularity > 0 {
		i.DeleteMaxBytes = t.number(disk, "queue/discard_max_bytes")
		if i.DeleteMaxBytes > 0 {
			i.DeleteGranularityBytes = granularity
		}
	}
	i.lockID = t.identify(n.whole())
	i.diskNode = devPath(n.whole().name)
	i.ID = t.identify(n)
	i.blocked = t.blocks(i)
	return i
}

// sectorBytes is the unit of sysfs sizes and counters, whatever the device's
// own sectors are.
const sectorBytes = 512

// blocks are the reasons that no option lifts.
func (t tree) blocks(i Info) []string {
	var why []string
	if i.SizeBytes <= 0 {
		why = append(why, "has no usable capacity (not set up, no medium, or sectors that the kernel cannot use)")
	}
	if i.ReadOnly {
		why = append(why, "is read-only")
	}
	if i.Zoned == "host-managed" {
		why = append(why, "is a host-managed zoned device, which takes writes only at its write pointers")
	}
	if i.ID == "" && i.SizeBytes > 0 {
		why = append(why, "has no serial, WWN or fixed place that would tell it from another device of its name")
	}
	return why
}

func (t tree) first(dir string, names ...string) string {
	for _, name := range names {
		if s := cleanText(t.text(dir, name)); s != "" {
			return s
		}
	}
	return ""
}

func (t tree) model(disk string) string {
	vendor, model := cleanText(t.text(disk, "device/vendor")), t.first(disk, "device/model", "device/name")
	// "ATA" is a protocol, and 0x1af4 a PCI number; neither is a maker's name.
	if vendor == "" || vendor == "ATA" || strings.HasPrefix(vendor, "0x") {
		return model
	}
	return strings.TrimSpace(vendor + " " + model)
}

// serial reads the serial number: a plain attribute, or on SCSI the vital
// product data page 0x80 (4 bytes of header, then the text; SPC-4, 7.8.18).
func (t tree) serial(disk string) string {
	if s := t.first(disk, "serial", "device/serial"); s != "" {
		return s
	}
	page, _ := t.file(valueBytes, disk, "device/vpd_pg80")
	if len(page) > 4 && page[1] == 0x80 {
		return cleanText(page[4:])
	}
	return ""
}

func (t tree) wwn(disk string) string {
	s := cleanID(t.first(disk, "wwid", "device/wwid"))
	if saysNothing(s) {
		return ""
	}
	return s
}

// cleanText drops what a terminal must not see, and the blanks that devices
// pad their strings with.
func cleanText(s string) string { return strings.ReplaceAll(cleanID(s), "_", " ") }

// kinds tells devices apart for people, by the drivers' names for their disks.
func (t tree) kind(disk node) string {
	switch {
	case t.has(disk.dir(), "dm"):
		return "dm"
	case t.has(disk.dir(), "md"):
		return "md"
	}
	for _, k := range [...]struct{ prefix, kind string }{
		{"loop", "loop"}, {"nvme", "nvme"}, {"zram", "zram"}, {"ram", "ram"}, {"nullb", "null"},
		{"vd", "virtio"}, {"xvd", "xen"}, {"sd", "scsi"}, {"sr", "optical"}, {"mmcblk", "mmc"},
		{"nbd", "nbd"}, {"rbd", "rbd"}, {"bcache", "bcache"}, {"drbd", "drbd"}, {"pmem", "pmem"},
		{"ublk", "ublk"}, {"dm-", "dm"}, {"md", "md"},
	} {
		if strings.HasPrefix(disk.name, k.prefix) {
			return k.kind
		}
	}
	return "block"
}

// identify chooses the id that an operator types, by what survives a swap of
// names:
//
//   - a loop device: its backing file's path;
//   - a device-mapper device: its uuid, or its name where it has none; an md
//     array: its uuid;
//   - else the WWN (wwid); else the serial, with the namespace for NVMe, whose
//     namespaces share one;
//   - else, behind a bus, the place it is plugged into and its size
//     (path:pci0000:00/0000:00:02.0/virtio1:SIZE): weaker, as another disk of
//     that size can come to that place, but names cannot swap it;
//   - else, for memory (zram, ram, null), whose content does not outlive the
//     name: virtual:NAME:SIZE.
//
// A partition's id is its disk's with "-part" and its number. Any other device
// has no id and is not writable.
func (t tree) identify(n node) string {
	if n.disk != "" {
		id := t.identify(n.whole())
		if id == "" {
			return ""
		}
		return id + "-part" + t.text(n.dir(), "partition")
	}
	dir := n.dir()
	switch t.kind(n) {
	case "loop":
		return t.backingFile(n)
	case "dm":
		return labelled("dm:", t.first(dir, "dm/uuid", "dm/name"))
	case "md":
		return labelled("md:", t.text(dir, "md/uuid"))
	case "zram", "ram", "null":
		return fmt.Sprintf("virtual:%s:%d", n.name, t.number(dir, "size")*sectorBytes)
	}
	if id := t.wwn(dir); id != "" {
		return id
	}
	if id := cleanID(t.serial(dir)); !saysNothing(id) {
		return id + labelled("-ns", t.text(dir, "nsid"))
	}
	return t.place(n)
}

func labelled(label, s string) string {
	if s == "" {
		return ""
	}
	return label + cleanID(s)
}

// place is where on its bus a disk is plugged in, with its size, or empty for a
// device on no bus.
func (t tree) place(n node) string {
	dir, err := filepath.EvalSymlinks(t.path(n.dir()))
	if err != nil {
		return ""
	}
	_, rel, ok := strings.Cut(filepath.ToSlash(dir), "/devices/")
	if !ok || strings.HasPrefix(rel, "virtual/") {
		return ""
	}
	bus, _, ok := strings.Cut(rel, "/block/")
	if !ok {
		return ""
	}
	return fmt.Sprintf("path:%s:%d", cleanID(bus), t.number(n.dir(), "size")*sectorBytes)
}

// settings reads every value of queue/ and queue/iosched/.
func (t tree) settings(disk string) map[string]string {
	values := map[string]string{}
	for _, dir := range []string{"queue", "queue/iosched"} {
		for _, name := range t.names(disk, dir) {
			if s, ok := t.file(valueBytes, disk, dir, name); ok {
				values[dir+"/"+name] = cleanValue(s)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

// cleanValue keeps a knob's value as it is but for its end and for control
// characters.
func cleanValue(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.TrimRight(s, "\n"))
}

// backing says what a device stands on: a loop device's file, its file system
// and whether it bypasses the page cache; a stacked device's slaves.
func (t tree) backing(n node) string {
	if file := t.backingFile(n); file != "" {
		text := "file " + file
		if m, ok := holding(parseMountinfo(t.selfMounts()), file); ok {
			text += fmt.Sprintf(" on %s (%s)", m.fsType, m.source)
		}
		if t.text(n.whole().dir(), "loop/dio") == "1" {
			return text + ", direct I/O"
		}
		return text + ", through the page cache"
	}
	slaves := t.names(n.whole().dir(), "slaves")
	if len(slaves) == 0 {
		return ""
	}
	return "on " + strings.Join(slaves, ", ")
}

func (t tree) selfMounts() string {
	s, _ := t.file(tableBytes, "proc/self/mountinfo")
	return s
}

// holding is the mount that a path lies in: the one with the longest mount
// point, and of those stacked on one point the last.
func holding(mounts []mount, path string) (mount, bool) {
	var best mount
	for _, m := range mounts {
		point := strings.TrimSuffix(m.point, "/") + "/"
		if strings.HasPrefix(path, point) && len(m.point) >= len(best.point) {
			best = m
		}
	}
	return best, best.point != ""
}
