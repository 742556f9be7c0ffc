package device

import (
	"testing"
	"unsafe"
)

// The offsets are those of a 64-bit FreeBSD's struct md_ioctl.
func TestMDRequestLayout(t *testing.T) {
	var r mdRequest
	for name, c := range map[string][2]uintptr{
		"md_unit": {unsafe.Offsetof(r.Unit), 4}, "md_type": {unsafe.Offsetof(r.Type), 8}, "md_file": {unsafe.Offsetof(r.File), 16},
		"md_mediasize": {unsafe.Offsetof(r.MediaBytes), 24}, "md_sectorsize": {unsafe.Offsetof(r.SectorBytes), 32},
		"md_options": {unsafe.Offsetof(r.Options), 36}, "md_base": {unsafe.Offsetof(r.Base), 40},
		"md_fwheads": {unsafe.Offsetof(r.FirmHeads), 48}, "md_label": {unsafe.Offsetof(r.Label), 56}, "size": {unsafe.Sizeof(r), 448},
		"MDIOCATTACH": {mdAttach, 0xc1c06d00}, "MDIOCDETACH": {mdDetach, 0xc1c06d01},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %#x, want %#x", name, c[0], c[1])
		}
	}
}
