package tunables

import (
	"math"
	"slices"
	"strings"
)

// All returns every tunable of the catalogue: first the three that act on any
// system, then those of one system each. The slice is the caller's.
func All() []Tunable {
	return slices.Concat(portableKnobs(), transferKnobs(), queueKnobs(),
		schedulerKnobs(), driverKnobs(), freebsdKnobs(), windowsKnobs())
}

// Lookup finds a tunable by its name, or makes one for an address:
// sysfs:queue/PATH and sysfs:device/PATH (relative to the device),
// module:MODULE/PARAMETER, sysctl:NAME or command:JSON. A knob that the
// catalogue knows keeps its definition, and so its traps, under its address.
func Lookup(name string) (Tunable, bool) {
	if strings.Contains(name, ":") {
		return lookupAddress(name)
	}
	for _, t := range All() {
		if t.Name == name {
			return t, true
		}
	}
	return Tunable{}, false
}

func lookupAddress(address string) (Tunable, bool) {
	a, err := ParseAddress(address)
	if err != nil {
		return Tunable{}, false
	}
	for _, t := range All() {
		for _, k := range t.Kernel {
			if k.Address == address {
				t.Name, t.Kernel, t.Stack = address, []Knob{k}, false
				return t, true
			}
		}
	}
	return adHoc(a), true
}

// adHoc is a tunable of which nothing is known but where it is.
func adHoc(a Address) Tunable {
	return Tunable{
		Name:    a.String(),
		Summary: "the knob at " + a.String(),
		Doc:     "Not in the catalogue: its values are passed on as they are, and what else they change is not known.",
		Type:    Text,
		Source:  "named by its address",
		Kernel:  a.knobs(),
	}
}

// Knob returns where the operating system goos keeps t, if it does.
func (t Tunable) Knob(goos string) (Knob, bool) {
	for _, k := range t.Kernel {
		if k.OS == goos || k.OS == AnyOS {
			return k, true
		}
	}
	return Knob{}, false
}

// sysfsKnob is a Linux knob of the device, by its path under the device.
func sysfsKnob(path string) []Knob {
	return []Knob{{OS: "linux", Address: "sysfs:" + path}}
}

// maxDeleteSectors keeps value times sector size below 2^63 on every device,
// with sectors of up to 4096 bytes.
const maxDeleteSectors = 1<<51 - 1

// portableKnobs are the tunables that iosweep's own layers can act anywhere.
func portableKnobs() []Tunable {
	return []Tunable{
		{
			Name:    "delete_max_sectors",
			Summary: "largest chunk into which one delete call is cut",
			Doc: "A delete of a range is cut into chunks of at most this many sectors, issued one after another, each waited for. " +
				"0 means no chunking: one call for the whole range.",
			Type: Integer, Unit: "sectors", UnitBytes: 512, Min: 0, Max: maxDeleteSectors,
			Traps: []string{
				"It counts sectors of the device, not bytes; a value with a unit of bytes is taken at 512 bytes a sector.",
				"FreeBSD computes in 64 bits without a check: value times sector size must stay below 2^63, or the call spins and deletes nothing.",
				"The driver below may cut again, so 0 means device-sized commands, not one command.",
				"Linux's discard_max_bytes is not the same: its chunks are pipelined, and 0 disables deletes there.",
			},
			Source:  "FreeBSD sys/geom/geom_dev.c (kern.geom.dev.delete_max_sectors)",
			Default: "262144",
			Usual:   "262144",
			Kernel:  []Knob{{OS: "freebsd", Address: "sysctl:kern.geom.dev.delete_max_sectors"}},
			Stack:   true,
		},
		{
			Name:    "bioq_batchsize",
			Summary: "sorted insertions after which the queue sends one request to the tail",
			Doc: "The elevator sorts requests by offset in one direction. After more than this many sorted insertions the next request goes to the tail and starts a new batch, " +
				"which bounds how long a far request can be overtaken. 0 and less mean no limit.",
			Type: Integer, Unit: "requests", Min: math.MinInt32, Max: math.MaxInt32,
			Traps: []string{
				"It counts requests, not bytes: 128 requests of 1 MiB are 128 MiB a batch.",
				"A cycle is one more than the value: with 1, the barriers are insertions 3, 6, 9.",
				"Without a limit a sequential stream can starve every other request for ever.",
				"On FreeBSD it acts only where the driver sorts; NVMe and virtio are first in, first out.",
			},
			Source:  "FreeBSD sys/kern/subr_disk.c (debug.bioq_batchsize)",
			Default: "128 since r367052, before that 0",
			Usual:   "128",
			Kernel:  []Knob{{OS: "freebsd", Address: "sysctl:debug.bioq_batchsize"}},
			Stack:   true,
		},
		{
			Name:    "physical_breaks",
			Summary: "scatter-gather entries that one transfer may have",
			Doc: "A transfer is at most (breaks - 1) pages of 4 KiB, and at least one page: one entry is kept for a buffer that is not page aligned. " +
				"0x11 is 64 KiB, 0x21 128 KiB, 0x41 256 KiB, 0x101 1 MiB.",
			Type: Integer, Unit: "breaks", Min: 1, Max: 1<<20 + 1,
			Traps: []string{
				"Compiled into the Windows driver of ZFS: there is no knob to turn there.",
				"0x20 is 124 KiB, so a 128 KiB block takes two transfers; 0x21 is the first value that takes one.",
			},
			Source:  "ZFS on Windows (NumberOfPhysicalBreaks); Windows PORT_CONFIGURATION_INFORMATION",
			Default: "33 (0x21)",
			Usual:   "33",
			Stack:   true,
		},
	}
}
