package content

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// ErrCorrupt means that a journal is damaged other than by a torn end.
var ErrCorrupt = errors.New("corrupt stamp journal")

// A journal is a header and records, little-endian:
//
//	header: 0 title, 16 device, 24 run, 32 offset, 40 length, 48 block, 56 CRC-32C of what is before
//	record: 0 CRC-32C of the rest, 4 event, 8 generation, 16 first block, 24 how many
const (
	title      = "iosweep stamps 1"
	headerSize = 64
	recordSize = 32
)

type event uint8

const (
	intent       event = iota + 1 // may be written, up to that generation
	acknowledged                  // the write is done
	forgotten                     // deleted, or a write failed
)

// record is an event of blocks of one generation.
type record struct {
	event      event
	generation uint32
	first, n   int64
}

func (r record) encode(dst []byte, table *crc32.Table) {
	clear(dst)
	dst[4] = byte(r.event)
	binary.LittleEndian.PutUint32(dst[8:], r.generation)
	binary.LittleEndian.PutUint64(dst[16:], uint64(r.first))
	binary.LittleEndian.PutUint64(dst[24:], uint64(r.n))
	binary.LittleEndian.PutUint32(dst, crc32.Checksum(dst[4:], table))
}

func decodeRecord(src []byte, table *crc32.Table) (record, bool) {
	r := record{
		event:      event(src[4]),
		generation: binary.LittleEndian.Uint32(src[8:]),
		first:      int64(binary.LittleEndian.Uint64(src[16:])),
		n:          int64(binary.LittleEndian.Uint64(src[24:])),
	}
	return r, binary.LittleEndian.Uint32(src) == crc32.Checksum(src[4:recordSize], table)
}

// journal holds records back until there are enough, or an intent must be on
// stable storage. What it holds back are acknowledgements: losing them makes a
// later verification lenient, never wrong.
type journal struct {
	w     io.Writer
	table *crc32.Table
	buf   []byte
}

func newJournal(w io.Writer) *journal {
	return &journal{w: w, table: crc32.MakeTable(crc32.Castagnoli), buf: make([]byte, 0, 128*recordSize)}
}

func (j *journal) begin(o Options, id identity) error {
	h := make([]byte, headerSize)
	copy(h, title)
	binary.LittleEndian.PutUint64(h[16:], id.device)
	binary.LittleEndian.PutUint32(h[24:], id.run)
	for i, v := range []int64{o.Offset, o.Length, o.BlockBytes} {
		binary.LittleEndian.PutUint64(h[32+8*i:], uint64(v))
	}
	binary.LittleEndian.PutUint32(h[56:], crc32.Checksum(h[:56], j.table))
	if _, err := j.w.Write(h); err != nil {
		return fmt.Errorf("begin stamp journal: %w", err)
	}
	return nil
}

func (j *journal) add(r record) error {
	n := len(j.buf)
	j.buf = j.buf[:n+recordSize]
	r.encode(j.buf[n:], j.table)
	if len(j.buf) < cap(j.buf) {
		return nil
	}
	return j.flush()
}

func (j *journal) flush() error {
	if len(j.buf) == 0 {
		return nil
	}
	_, err := j.w.Write(j.buf)
	j.buf = j.buf[:0]
	if err != nil {
		return fmt.Errorf("append to stamp journal: %w", err)
	}
	return nil
}
