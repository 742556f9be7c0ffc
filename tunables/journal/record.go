// Package journal is the durable log of what was changed, written before it is
// changed, so that everything can be put back after a crash.
//
// A journal is a file of JSON lines, each {"crc":..., "record":...}, readable
// with cat. A change goes through it in this order:
//
//  1. Begin names the boot, the host and the device,
//  2. Intend says what will be changed, from what and to what, and what else
//     that disturbs; it is on the disk before the knob is touched,
//  3. Applied says what was read back,
//  4. Restoring says that the values were found as they were left, and are
//     being put back,
//  5. Restored says that one knob has its old value,
//  6. Clear ends the journal, and the file is removed.
package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// Version is the version of the records that this package writes.
const Version = 1

// Kind is what a record says.
type Kind string

// The kinds of record.
const (
	Begin     Kind = "begin"
	Intend    Kind = "intend"
	Applied   Kind = "applied"
	Restoring Kind = "restoring"
	Restored  Kind = "restored"
	Clear     Kind = "clear"
)

// Record is one line of a journal.
type Record struct {
	Version int  `json:"version"`
	Seq     int  `json:"seq"` // from 1, without a gap
	Kind    Kind `json:"kind"`
	// Session is set in a Begin.
	Session *Session `json:"session,omitempty"`
	// Change is set in an Intend.
	Change *Change `json:"change,omitempty"`
	// Address and Value are set in Applied and Restored: the knob, and what
	// was read back.
	Address string `json:"address,omitempty"`
	Value   string `json:"value,omitempty"`
}

// Session is under what circumstances changes were made.
type Session struct {
	BootID string `json:"boot_id"`
	Host   string `json:"host"`
	Device Device `json:"device"`
}

// Device identifies the device whose knobs were changed. ID is what binds it;
// the rest is for people.
type Device struct {
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	DevNum string `json:"dev_num,omitempty"`
	// Seq is the disk's number in the kernel's count of all disks of this boot.
	Seq string `json:"disk_seq,omitempty"`
	// Scratch says that the device was iosweep's own and is thrown away.
	Scratch bool `json:"scratch,omitempty"`
}

// Change is what is about to be done to one knob.
type Change struct {
	Tunable string `json:"tunable"`
	Address string `json:"address"`
	Before  string `json:"before"`
	After   string `json:"after"`
	// Restore is what is written to put Before back, where Before itself cannot
	// be written.
	Restore string `json:"restore,omitempty"`
	// Disturbed is what other knobs held that writing this one may reset.
	Disturbed []Saved `json:"disturbed,omitempty"`
}

// Saved is what a knob held.
type Saved struct {
	Address string `json:"address"`
	Value   string `json:"value"`
}

// line is how a record is stored. CRC is the Castagnoli sum of Record's bytes.
type line struct {
	CRC    string          `json:"crc"`
	Record json.RawMessage `json:"record"`
}

func checksum(b []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// encode returns the record's line, with its line break.
func encode(r Record) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	text, err := json.Marshal(line{CRC: checksum(body), Record: body})
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return append(text, '\n'), nil
}

// decode reads one line without its line break. It accepts exactly what encode
// writes: any other byte is damage.
func decode(text []byte) (Record, error) {
	var l line
	if err := strict(text, &l); err != nil {
		return Record{}, fmt.Errorf("%w: not a record: %w", ErrCorrupt, err)
	}
	if sum := checksum(l.Record); sum != l.CRC {
		return Record{}, fmt.Errorf("%w: checksum is %s, the line says %q", ErrCorrupt, sum, l.CRC)
	}
	if err := checkVersion(l.Record); err != nil {
		return Record{}, err
	}
	var r Record
	if err := strict(l.Record, &r); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	again, err := encode(r)
	if err != nil || !bytes.Equal(bytes.TrimSuffix(again, []byte("\n")), text) {
		return Record{}, fmt.Errorf("%w: the line is not as it was written", ErrCorrupt)
	}
	return r, nil
}

// checkVersion comes before the strict reading, since another version may have
// other fields.
func checkVersion(body []byte) error {
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if v.Version != Version {
		return fmt.Errorf("%w %d: this iosweep knows version %d; restore with the iosweep that wrote it", ErrVersion, v.Version, Version)
	}
	return nil
}

func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.InputOffset() != int64(len(text)) {
		return fmt.Errorf("text after the record")
	}
	return nil
}
