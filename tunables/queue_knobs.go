package tunables

import "math"

// limitsReset is what the kernel computes anew whenever the limits of a queue
// are written.
func limitsReset() []string { return []string{"read_ahead_kb"} }

// transferKnobs are Linux's limits on how requests are cut.
func transferKnobs() []Tunable {
	return []Tunable{
		{
			Name:    "discard_max_bytes",
			Summary: "largest delete request that the kernel sends to the device",
			Doc: "A delete is split into requests of at most this many bytes, rounded down to the device's delete granularity; the requests are sent together and waited for once. " +
				"The device's own limit, discard_max_hw_bytes, is the upper bound.",
			Type: Integer, Unit: "bytes", UnitBytes: 1, Min: 0, Max: math.MaxUint32,
			Traps: []string{
				"0 disables deletes and cannot be taken back: the granularity then reads 0 and every other value is refused. iosweep never writes it.",
				"Only multiples of discard_granularity can be written, so an original value that is none cannot be restored exactly; iosweep refuses to begin, except on its own scratch device.",
				"An original of 4 GiB or more cannot be written back at all.",
				"Chunks are pipelined; for FreeBSD's one-at-a-time chunks use delete_max_sectors.",
			},
			Source: "Linux Documentation/ABI/stable/sysfs-block; block/blk-sysfs.c", Default: "discard_max_hw_bytes",
			Kernel: sysfsKnob("queue/discard_max_bytes"), Disturbs: limitsReset(),
		},
		{
			Name:    "max_sectors_kb",
			Summary: "largest read or write request that the kernel sends to the device",
			Doc:     "Reads and writes above this size are split. 0 asks for the driver's default.",
			Type:    Integer, Unit: "KiB", UnitBytes: 1024, Min: 0, Max: math.MaxInt32,
			Traps: []string{
				"Values above max_hw_sectors_kb are clamped in silence by new kernels and refused by old ones; what is read back counts.",
				"Values below the page size are refused.",
				"udev rules may put the old value back when a writer closes the device.",
			},
			Source: "Linux Documentation/ABI/stable/sysfs-block; block/blk-sysfs.c", Default: "1280",
			Kernel: sysfsKnob("queue/max_sectors_kb"), Disturbs: limitsReset(),
		},
		{
			Name:    "read_ahead_kb",
			Summary: "how far buffered sequential reads are read ahead",
			Doc:     "The page cache reads at most this much ahead of a sequential reader. Direct I/O, and so iosweep's own, is not affected.",
			Type:    Integer, Unit: "KiB", UnitBytes: 1024, Min: 0, Max: math.MaxInt32,
			Traps:  []string{"Rounded down to whole pages.", "Writing any limit of the queue computes it anew."},
			Source: "Linux Documentation/ABI/stable/sysfs-block", Default: "128",
			Kernel: sysfsKnob("queue/read_ahead_kb"), Buffered: true,
		},
	}
}

// queueKnobs are Linux's switches of the request queue.
func queueKnobs() []Tunable {
	return []Tunable{
		{
			Name:    "nr_requests",
			Summary: "requests that the scheduler may hold for each queue",
			Doc:     "How many requests can be allocated for each hardware queue, beyond which submitters wait.",
			Type:    Integer, Unit: "requests", Min: 1, Max: math.MaxInt32,
			Traps: []string{
				"The kernel clamps in silence: 3 becomes 4.",
				"Without a scheduler it is bounded by the driver's own queue depth.",
				"Changing the scheduler resets it.",
			},
			Source: "Linux Documentation/ABI/stable/sysfs-block; block/blk-mq.c", Default: "128, twice the depth with a scheduler",
			Kernel: sysfsKnob("queue/nr_requests"), Disturbs: []string{"async_depth"},
		},
		{
			Name:    "nomerges",
			Summary: "how hard the kernel tries to merge requests",
			Doc:     "0 tries all merges, 1 only the cheap ones, 2 none.",
			Type:    Integer, Min: 0, Max: 2,
			Source: "Linux Documentation/ABI/stable/sysfs-block", Default: "0",
			Kernel: sysfsKnob("queue/nomerges"),
		},
		{
			Name:    "rq_affinity",
			Summary: "which processor completes a request",
			Doc:     "0 completes where the interrupt came in, 1 on the submitter's processor group, 2 on the submitting processor itself.",
			Type:    Integer, Min: 0, Max: 2,
			Source: "Linux Documentation/ABI/stable/sysfs-block", Default: "1",
			Kernel: sysfsKnob("queue/rq_affinity"),
		},
		{
			Name:    "wbt_lat_usec",
			Summary: "read latency above which buffered writes are throttled",
			Doc:     "Writeback throttling keeps the least read latency in a window under this target. 0 switches it off, -1 asks for the default.",
			Type:    Integer, Unit: "us", Min: -1, Max: math.MaxInt32,
			Traps: []string{
				"Some schedulers (bfq) switch it off; changing the scheduler can reset it.",
				"Writing the default by number is not quite the same as -1: the kernel then takes it for the operator's wish.",
			},
			Source: "Linux Documentation/ABI/stable/sysfs-block; block/blk-wbt.c", Default: "75000 rotating, 2000 others",
			Kernel: sysfsKnob("queue/wbt_lat_usec"),
		},
		{
			Name:    "add_random",
			Summary: "whether completions feed the entropy pool",
			Doc:     "1 stirs the time of completions into the random pool, 0 does not.",
			Type:    Integer, Min: 0, Max: 1,
			Source: "Linux Documentation/ABI/stable/sysfs-block", Default: "0",
			Kernel: sysfsKnob("queue/add_random"), Disturbs: limitsReset(),
		},
		{
			Name:    "rotational",
			Summary: "whether the kernel takes the device for a rotating one",
			Doc:     "Schedulers and file systems choose other strategies for rotating disks. It changes what the kernel believes, not what the device is.",
			Type:    Integer, Min: 0, Max: 1,
			Source: "Linux Documentation/ABI/stable/sysfs-block", Default: "the driver's",
			Kernel: sysfsKnob("queue/rotational"), Disturbs: limitsReset(),
		},
		{
			Name:    "iostats",
			Summary: "whether the kernel counts the device's requests",
			Doc:     "1 keeps the counters of /sys/block/DEVICE/stat, 0 saves their cost.",
			Type:    Integer, Min: 0, Max: 1,
			Traps:  []string{"With 0 there is no proof of effect: iosweep's own counters stand still."},
			Source: "Linux Documentation/ABI/stable/sysfs-block", Default: "1",
			Kernel: sysfsKnob("queue/iostats"), Disturbs: limitsReset(),
		},
	}
}
