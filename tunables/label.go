package tunables

import (
	"fmt"

	"github.com/iosweep/iosweep/internal/units"
)

// Label is a canonical value as people know it: the value itself, but for
// physical_breaks, which its sources give in hexadecimal and whose meaning is
// the transfer that it allows: 0x21 (128 KiB).
func (t Tunable) Label(value string) string {
	n, err := t.Int(value)
	if t.Name != "physical_breaks" || err != nil {
		return value
	}
	return fmt.Sprintf("%#x (%s)", n, units.FormatBytes(TransferBytes(n)))
}

// breakBytes is the page that one of physical_breaks' entries describes.
const breakBytes = 4096

// TransferBytes is the largest transfer in bytes that a number of
// physical_breaks allows: a page for each but one, and at least one page.
func TransferBytes(breaks int64) int64 { return max(breakBytes, (breaks-1)*breakBytes) }
