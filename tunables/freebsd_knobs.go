package tunables

import "math"

func sysctlKnob(name string) []Knob {
	return []Knob{{OS: "freebsd", Address: "sysctl:" + name}}
}

// loaderKnob is read as a sysctl and set in loader.conf.
func loaderKnob(name string) []Knob {
	return []Knob{{OS: "freebsd", Address: "sysctl:" + name, Reboot: true, Boot: "loader:" + name}}
}

// freebsdKnobs are the neighbours of the three tunables on FreeBSD. N in a name
// is the unit of the driver; knobs of a unit are named by their address.
func freebsdKnobs() []Tunable {
	return []Tunable{
		{
			Name:    "maxphys",
			Summary: "largest transfer that the kernel sends to any device",
			Doc:     "Set in loader.conf and rounded up to a power of two; it takes a reboot.",
			Type:    Integer, Unit: "bytes", UnitBytes: 1, Min: 4096, Max: math.MaxInt32,
			Traps:  []string{"It cannot be changed while the system runs, so it is swept with iosweep run --stage.", "128 KiB before FreeBSD 13, 1 MiB since on 64 bits."},
			Source: "FreeBSD sys/kern/subr_param.c", Default: "1048576",
			Kernel: loaderKnob("kern.maxphys"),
		},
		{
			Name:    "nda_max_trim",
			Summary: "deletes that the NVMe disk driver gathers into one command",
			Doc:     "Up to this many ranges are sent in one dataset management command.",
			Type:    Integer, Unit: "ranges", Min: 1, Max: 256,
			Source: "FreeBSD sys/cam/nvme/nvme_da.c", Default: "256",
			Traps:  []string{"It cannot be changed while the system runs, so it is swept with iosweep run --stage."},
			Kernel: loaderKnob("kern.cam.nda.max_trim"),
		},
		{
			Name:    "cam_sort_io_queues",
			Summary: "whether CAM sorts the requests of disks that do not say themselves",
			Doc:     "1 sorts with the bioq, 0 is first in, first out. bioq_batchsize acts only where this sorts.",
			Type:    Integer, Min: 0, Max: 1,
			Traps:  []string{"Disks that report no rotation are set not to sort, whatever this says."},
			Source: "FreeBSD sys/cam/cam.c", Default: "1",
			Kernel: sysctlKnob("kern.cam.sort_io_queues"),
		},
		{
			Name:    "ada_delete_method",
			Summary: "command with which the first SATA disk deletes",
			Doc:     "One of the methods that the disk supports, such as NCQ_DSM_TRIM, DSM_TRIM, CFA_ERASE or DISABLE. For another unit use sysctl:kern.cam.ada.N.delete_method.",
			Type:    Choice, Source: "FreeBSD ada(4)", Default: "chosen by the driver",
			Kernel: sysctlKnob("kern.cam.ada.0.delete_method"),
		},
		{
			Name:    "da_delete_method",
			Summary: "command with which the first SCSI disk deletes",
			Doc:     "One of NONE, DISABLE, ATA_TRIM, UNMAP, WS16, WS10 or ZERO. For another unit use sysctl:kern.cam.da.N.delete_method.",
			Type:    Choice, Source: "FreeBSD da(4)", Default: "chosen by the driver",
			Kernel: sysctlKnob("kern.cam.da.0.delete_method"),
		},
		{
			Name:    "da_delete_max",
			Summary: "largest delete command for the first SCSI disk",
			Doc:     "In bytes. For another unit use sysctl:kern.cam.da.N.delete_max.",
			Type:    Integer, Unit: "bytes", UnitBytes: 1, Min: 1, Max: math.MaxInt64,
			Source: "FreeBSD da(4)", Default: "chosen by the driver",
			Kernel: sysctlKnob("kern.cam.da.0.delete_max"),
		},
	}
}
