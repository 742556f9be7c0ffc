// Package lab runs iosweep in a virtual machine with devices of every kind, so
// that its whole story is shown on real kernels and hard devices without a
// machine that could be hurt. Its test starts QEMU (emulation only, no KVM) with
// Debian's kernel and an initramfs that holds iosweep and the guest program.
package lab
