package device

import (
	"encoding/binary"
	"fmt"

	"github.com/iosweep/iosweep/results"
)

// describeHost adds what FreeBSD tells of the machine. Of kernels with one name
// osreldate tells the API.
func (b bsd) describeHost(e *results.Environment) {
	e.CPU, e.Clock = b.string("hw.model"), b.string("kern.timecounter.hardware")
	if guest := b.string("kern.vm_guest"); guest != "none" {
		e.Virtual = guest
	}
	if raw, err := b.kernel.Sysctl("hw.physmem"); err == nil && len(raw) == 8 {
		e.Memory = int64(binary.LittleEndian.Uint64(raw))
	}
	if n, ok := b.int32("kern.osreldate"); ok {
		e.Kernel = fmt.Sprintf("%s (%d)", e.Kernel, n)
	}
}

// string reads a sysctl that is one; empty where there is none.
func (b bsd) string(name string) string {
	raw, err := b.kernel.Sysctl(name)
	if err != nil {
		return ""
	}
	return cleanText(cString(raw))
}

// disksOnFile lists the memory disks that a file backs, used or not.
func (b bsd) disksOnFile(same func(path string) bool) ([]string, error) {
	m, _, err := b.look()
	if err != nil {
		return nil, err
	}
	var disks []string
	for _, p := range m.providers {
		if file := p.config["file"]; p.geom.class == classMD && file != "" && same(file) {
			disks = append(disks, "backs "+p.name)
		}
	}
	return disks, nil
}
