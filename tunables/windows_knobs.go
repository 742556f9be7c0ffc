package tunables

// windowsKnobs are Windows' relatives of physical_breaks.
func windowsKnobs() []Tunable {
	const address = SpaceRegistry + `:SYSTEM\CurrentControlSet\Services\storahci\Parameters\Device\MaximumSGList`
	return []Tunable{{
		Name:    "maximum_sg_list",
		Summary: "scatter-gather entries that a Windows port driver asks for",
		Doc: "A transfer is at most (entries - 1) pages of 4 KiB, and at least one page. The driver reads the value when it starts, so it takes effect after a reboot. " +
			"This is the SATA driver's; for another, use its address: HKLM:SYSTEM\\CurrentControlSet\\Services\\DRIVER\\Parameters\\Device\\MaximumSGList.",
		Type: Integer, Unit: "entries", Min: 1, Max: 255,
		Traps: []string{
			"It takes effect after a reboot: sweep it with iosweep run --stage.",
			"The value is usually absent, and is removed again afterwards.",
			"The adapter may report less: what it reports is kept with each run as adapter/MaximumTransferLength and adapter/MaximumPhysicalPages.",
		},
		Source: "Windows driver documentation, MaximumSGList", Default: "17 where it is absent",
		Kernel: []Knob{{OS: "windows", Address: address, Reboot: true, Boot: address}},
	}}
}
