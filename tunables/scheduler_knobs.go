package tunables

import "math"

const deadlineDoc = "Documentation/block/deadline-iosched.rst"

// ioschedKnob is a knob of one I/O scheduler; its file exists only under that
// scheduler.
func ioschedKnob(t Tunable, scheduler string) Tunable {
	t.Type, t.Source = Integer, "Linux "+t.Source
	t.Kernel = sysfsKnob("queue/iosched/" + t.Name)
	t.Traps = append(t.Traps, "Exists only while the scheduler is "+scheduler+"; set scheduler in the same variant.")
	return t
}

// schedulerKnobs are Linux's I/O schedulers and their own knobs.
func schedulerKnobs() []Tunable {
	deadline := []Tunable{
		{
			Name: "fifo_batch", Summary: "requests that mq-deadline sends in sorted order before it looks at deadlines",
			Doc:  "A batch is at most this many requests of one direction in sector order. Lower favours latency, higher throughput.",
			Unit: "requests", Min: 0, Max: math.MaxInt32, Default: "16", Source: deadlineDoc,
			Traps: []string{"Expiry is looked at only between batches.", "A device that queues many commands itself leaves little to sort: see queue_depth."},
		},
		{
			Name: "read_expire", Summary: "age at which mq-deadline serves a waiting read first",
			Doc:  "A read that has waited this long is served at the next batch; with a huge value there is no limit.",
			Unit: "ms", Min: 0, Max: math.MaxInt32, Default: "500", Source: deadlineDoc,
		},
		{
			Name: "write_expire", Summary: "age at which mq-deadline serves a waiting write first",
			Doc:  "A write that has waited this long is served at the next batch.",
			Unit: "ms", Min: 0, Max: math.MaxInt32, Default: "5000", Source: deadlineDoc,
		},
		{
			Name: "writes_starved", Summary: "read batches that mq-deadline serves before it must serve writes",
			Doc:  "How often reads may be preferred over waiting writes.",
			Unit: "batches", Min: math.MinInt32, Max: math.MaxInt32, Default: "2", Source: deadlineDoc,
		},
		{
			Name: "front_merges", Summary: "whether mq-deadline tries to merge a request in front of another",
			Doc: "1 tries, 0 saves the lookup where front merges never happen.",
			Min: 0, Max: 1, Default: "1", Source: deadlineDoc,
		},
		{
			Name: "prio_aging_expire", Summary: "age at which mq-deadline serves a request of low priority",
			Doc:  "A request of a lower I/O priority that has waited this long is served although higher ones wait.",
			Unit: "ms", Min: 0, Max: math.MaxInt32, Default: "10000", Source: deadlineDoc,
		},
		{
			Name: "async_depth", Summary: "requests that mq-deadline grants to asynchronous writes",
			Doc:  "Asynchronous requests may use at most this many of the scheduler's requests, which keeps some for reads.",
			Unit: "requests", Min: 1, Max: math.MaxInt32, Default: "nr_requests", Source: deadlineDoc,
			Traps: []string{"Writing nr_requests resets it."},
		},
	}
	all := []Tunable{{
		Name:    "scheduler",
		Summary: "which I/O scheduler orders the device's requests",
		Doc:     "One of the schedulers that the kernel offers for the device; none passes requests on as they come.",
		Type:    Choice,
		Traps: []string{
			"Changing it resets nr_requests and wbt_lat_usec, and its own knobs under iosched appear with their defaults.",
			"A scheduler that is a module is loaded by writing its name.",
		},
		Source: "Linux Documentation/block/switching-sched.rst; block/elevator.c", Default: "none or mq-deadline",
		Kernel: sysfsKnob("queue/scheduler"), Disturbs: []string{"nr_requests", "wbt_lat_usec", "sysfs:queue/iosched/*"},
	}}
	for _, t := range deadline {
		all = append(all, ioschedKnob(t, "mq-deadline"))
	}
	return append(all, kyberKnobs()...)
}

func kyberKnobs() []Tunable {
	const source = "Documentation/block/kyber-iosched.rst"
	return []Tunable{
		ioschedKnob(Tunable{
			Name: "read_lat_nsec", Summary: "read latency that kyber aims at",
			Doc:  "Kyber throttles other requests while reads take longer than this.",
			Unit: "ns", Min: 1, Max: math.MaxInt64, Default: "2000000", Source: source,
		}, "kyber"),
		ioschedKnob(Tunable{
			Name: "write_lat_nsec", Summary: "synchronous write latency that kyber aims at",
			Doc:  "Kyber throttles other requests while synchronous writes take longer than this.",
			Unit: "ns", Min: 1, Max: math.MaxInt64, Default: "10000000", Source: source,
		}, "kyber"),
	}
}

// driverKnobs are Linux knobs of the driver below the queue, and of modules.
func driverKnobs() []Tunable {
	return []Tunable{
		{
			Name:    "queue_depth",
			Summary: "commands that the driver keeps at the device at once",
			Doc:     "SCSI and SATA disks take up to this many commands and order them themselves. 1 leaves all ordering to the scheduler.",
			Type:    Integer, Unit: "requests", Min: 1, Max: 65535,
			Traps:  []string{"Only SCSI and SATA devices have it.", "The driver may lower it by itself when the device answers busy."},
			Source: "Linux drivers/scsi/scsi_sysfs.c", Default: "32 on SATA",
			Kernel: sysfsKnob("device/queue_depth"),
		},
		{
			Name:    "zfs_vdev_aggregation_limit",
			Summary: "largest request into which ZFS gathers neighbouring I/O",
			Doc:     "ZFS merges adjacent requests up to this size before they reach the block layer. 0 switches merging off.",
			Type:    Integer, Unit: "bytes", UnitBytes: 1, Min: 0, Max: math.MaxInt32,
			Traps:  []string{"Belongs to the whole machine, not to one device."},
			Source: "OpenZFS man 4 zfs", Default: "1048576",
			Kernel: []Knob{
				{OS: "linux", Address: "module:zfs/zfs_vdev_aggregation_limit"},
				{OS: "freebsd", Address: "sysctl:vfs.zfs.vdev.aggregation_limit"},
			},
		},
	}
}
