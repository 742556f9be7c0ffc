package content

import "fmt"

// Kind is how a block is not what it should be.
type Kind uint8

// The kinds of fault.
const (
	// Lost: the block holds nothing of this run, though it was written.
	Lost Kind = iota + 1
	// Stale: it holds an older generation than the last that was written.
	Stale
	// Torn: parts of it are of different writes.
	Torn
	// Misplaced: it holds what was written elsewhere, or to another device.
	Misplaced
	// Corrupt: a stamp of this run with another checksum than its content.
	Corrupt
	// Ahead: a newer generation than any that was issued. Only a read in the run
	// can tell.
	Ahead
)

// String returns the kind's name as it stands in reports.
func (k Kind) String() string {
	names := [...]string{"sound", "lost", "stale", "torn", "misplaced", "corrupt", "ahead"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Fault is one block that is not what it should be.
type Fault struct {
	Kind Kind
	// Off is the block's first byte, Sector the first that is wrong.
	Off, Sector int64
	// Least and Most bound the generations that it may hold; Got is what the
	// sector holds, 0 for none of this run.
	Least, Most, Got uint32
	// From is where a misplaced sector was meant to go; Foreign says that it
	// was meant for another device.
	From    int64
	Foreign bool
}

// Error says what is wrong with which block.
func (f *Fault) Error() string {
	where := fmt.Sprintf("verify block at byte %d: %s", f.Off, f.Kind)
	switch {
	case f.Foreign:
		return fmt.Sprintf("%s: sector %d was written to another device", where, f.Sector)
	case f.Kind == Misplaced:
		return fmt.Sprintf("%s: sector %d was written for byte %d", where, f.Sector, f.From)
	case f.Kind == Corrupt:
		return fmt.Sprintf("%s: checksum of sector %d does not match", where, f.Sector)
	case f.Least == f.Most:
		return fmt.Sprintf("%s: sector %d holds generation %d, not %d", where, f.Sector, f.Got, f.Most)
	}
	return fmt.Sprintf("%s: sector %d holds generation %d, not %d to %d", where, f.Sector, f.Got, f.Least, f.Most)
}
