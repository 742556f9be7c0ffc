//go:build lab

package lab

import "slices"

// disk is an image file and the device that shows it to the guest.
type disk struct {
	label  string
	device string // QEMU's device options, after drive and serial
	extra  string // options of the drive
	size   int64
	// around are devices that this one is part of; they have the serial then.
	around []string
	// file is the image's name where it is not the label.
	file string
}

func (d disk) image() string {
	if d.file != "" {
		return d.file
	}
	return d.label
}

const mib = 1 << 20

// twin is what two paths to one SCSI disk share.
const (
	twin      = "scsi-hd,bus=scsi.0,share-rw=on,wwn=0x5000c50015ea71ac"
	twinDrive = "file.locking=off"
)

// disks are the devices that QEMU emulates. The labels are their serials.
func disks() []disk {
	return []disk{
		{label: "state", device: "virtio-blk-pci", size: 64 * mib},
		{label: "virtio", device: "virtio-blk-pci", extra: "discard=unmap", size: 64 * mib},
		{label: "under", device: "virtio-blk-pci", size: 32 * mib},
		{label: "member", device: "virtio-blk-pci", size: 32 * mib},
		{label: "mounted", device: "virtio-blk-pci", size: 64 * mib},
		{label: "signature", device: "virtio-blk-pci", size: 32 * mib},
		{label: "readonly", device: "virtio-blk-pci", extra: "readonly=on", size: 32 * mib},
		// 2^2 pages of 4 KiB is the largest transfer.
		{label: "nvme-mdts", device: "nvme,mdts=2", extra: "discard=unmap", size: 64 * mib},
		{label: "nvme-4kn", device: "nvme,logical_block_size=4096,physical_block_size=4096", extra: "discard=unmap", size: 64 * mib},
		{label: "nvme-paths", device: "nvme-ns,bus=paths0,shared=on", size: 64 * mib,
			around: []string{"nvme-subsys,id=paths", "nvme,id=paths0,subsys=paths,serial=nvme-paths", "nvme,id=paths1,subsys=paths,serial=nvme-paths"}},
		{label: "sata", device: "ide-hd,bus=ahci.0", extra: "discard=unmap", size: 64 * mib},
		{label: "scsi", device: "scsi-hd,bus=scsi.0", extra: "discard=unmap", size: 64 * mib},
		// From here on, what the faults hurt.
		{label: "faulty", device: "virtio-blk-pci", size: 32 * mib},
		{label: "nvme-unplug", device: "nvme,id=unplug", size: 64 * mib},
		// Sectors of 512 bytes and 8 of metadata.
		{label: "nvme-520", device: "nvme-ns,bus=meta,ms=8,mset=1", size: 64 * mib, around: []string{"nvme,id=meta,serial=nvme-520"}},
		{label: "twin-a", device: twin, extra: twinDrive, size: 32 * mib, file: "twin"},
		{label: "twin-b", device: twin, extra: twinDrive, size: 32 * mib, file: "twin"},
	}
}

// setup is one machine: what it is made of and what is tried on it.
type setup struct {
	name    string
	disks   []string // labels; nil is all of them
	modules []string
	parts   []string // of the guest program
	stories []string // the devices whose stories are told
	// sleeps says that the machine is suspended: QEMU then loads an unpacked
	// kernel anew when it wakes up, over the one that slept.
	sleeps bool
	want   int // properties
}

// chosen are the machine's disks.
func (s setup) chosen() []disk {
	return slices.DeleteFunc(disks(), func(d disk) bool { return s.disks != nil && !slices.Contains(s.disks, d.label) })
}

// setups are the machines of the laboratory, which run side by side, the longest
// first.
func setups() []setup {
	return []setup{
		{name: "disks", parts: []string{"stories"}, modules: drivers(), stories: []string{"virtio", "nvme-mdts", "nvme-4kn", "nvme-paths", "sata"}, want: 5 * 8},
		{name: "layers", parts: []string{"stories"}, modules: drivers(), stories: []string{"scsi", "scsi_debug", "nullmem", "nullbare", "dmdelay"}, want: 5 * 8},
		{name: "faults", parts: []string{"refusals", "odd", "clock", "unplug", "scsi", "stuck", "errors", "sleep"}, modules: drivers(), sleeps: true, want: 8 + 3 + 1 + 1 + 2 + 1 + 1 + 1},
		{name: "reset", parts: []string{"reset"}, disks: []string{"state", "virtio"}, modules: least(), want: 4},
	}
}

// hurts are the machines for faults that are tried often.
func hurts() []setup {
	return []setup{
		{name: "answers", parts: []string{"clock", "stuck", "errors"}, disks: []string{"state", "virtio", "faulty"}, modules: drivers(), want: 3},
		{name: "absence", parts: []string{"removal", "sleep"}, disks: []string{"state", "virtio"}, modules: drivers(), sleeps: true, want: 2},
		{name: "reset", parts: []string{"reset"}, disks: []string{"state", "virtio"}, modules: least(), want: 4},
	}
}

// choose leaves what was asked for; nothing is counted then.
func choose(all []setup, parts []string) []setup {
	var out []setup
	for _, s := range all {
		s.parts = slices.DeleteFunc(s.parts, func(p string) bool { return !slices.Contains(parts, p) })
		if s.want = -1; len(s.parts) > 0 {
			out = append(out, s)
		}
	}
	return out
}
