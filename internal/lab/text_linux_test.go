//go:build lab

package lab

const head = `# The laboratory

Written by ` + "`make lab`" + `: iosweep on every kind of device, in QEMU (emulation only)
with Debian's kernel. Each device goes through the whole story of a tunable;
those that must not be written show that they are refused.

- *others untouched*: checksums of every other device before and after are the
  same, on the host for disks with an image file and in the guest for the rest.
- *only the claimed range*: the kernel's block tracepoints show no write or
  delete on another device, and none outside the region of the profile.
- *killed*: kill -9 while a setting is changed; the watchdog puts it back and
  nobody calls ` + "`iosweep restore`" + `.

` + "`nvme-mdts`" + ` takes 16 KiB in one command, ` + "`nvme-4kn`" + ` has blocks of 4096 bytes,
` + "`nullbare`" + ` cannot delete, ` + "`nullzone`" + ` is zoned, ` + "`dmdelay`" + ` is dm-delay over ` + "`under`" + `,
` + "`nvme-paths`" + ` has two controllers, and
` + "`member`" + ` is half of an md mirror, ` + "`mounted`" + ` has a mounted partition and
` + "`signature`" + ` a file system that is not mounted.

`

const faultsHead = `
## On devices that a loop device cannot be

The same, by ` + "`make faults`" + ` in the laboratory's machines (see lab.md): each fault
comes while a run has changed a setting. The run has put it back (after a reset,
` + "`iosweep restore --at-boot`" + ` has), what was measured can be read, the output names
the fault and the exit code is right.

| fault | device | tried | not as it must be |
|---|---|---|---|
`
