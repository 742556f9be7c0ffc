package device

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// SizeCounts is how many requests of each size in bytes were issued to a
// driver.
type SizeCounts struct {
	Read, Write, Delete map[int64]int64
	// Unseen is how many requests were issued after the buffer was full; the
	// counts are then of the first ones.
	Unseen int64
}

// Fill puts the counts beside what the kernel counted.
func (s SizeCounts) Fill(c *results.Counters) {
	c.Read.Sizes, c.Write.Sizes, c.Delete.Sizes = s.Read, s.Write, s.Delete
}

// Note says what part of the requests was seen, empty when it was all.
func (s SizeCounts) Note() string {
	if s.Unseen == 0 {
		return ""
	}
	var seen int64
	for _, m := range []map[int64]int64{s.Read, s.Write, s.Delete} {
		for _, n := range m {
			seen += n
		}
	}
	return fmt.Sprintf("request sizes are of the first %d requests; %d more were not looked at, to keep tracing cheap", seen, s.Unseen)
}

// rqIssue is the event that the block layer traces when it hands a request to
// the driver: after merging and splitting.
const rqIssue = "block_rq_issue: "

// parseTrace counts the events of a trace file's text. A line is
//
//	task-pid [cpu] flags time: block_rq_issue: MAJOR,MINOR RWBS BYTES (...) ...
//
// (Linux include/trace/events/block.h). Lines of other forms are passed over.
func parseTrace(text, device string) SizeCounts {
	s := SizeCounts{Read: map[int64]int64{}, Write: map[int64]int64{}, Delete: map[int64]int64{}}
	for line := range strings.Lines(text) {
		_, event, ok := strings.Cut(line, rqIssue)
		fields := strings.Fields(event)
		if !ok || len(fields) < 3 || fields[0] != device {
			continue
		}
		bytes, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil || bytes <= 0 {
			continue
		}
		switch rwbs := fields[1]; {
		case strings.Contains(rwbs, "D"):
			s.Delete[bytes]++
		case strings.Contains(rwbs, "W"):
			s.Write[bytes]++
		case strings.Contains(rwbs, "R"):
			s.Read[bytes]++
		}
	}
	return s
}

// parseDropped reads the events that found no room from a processor's stats.
func parseDropped(text string) int64 {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) != "dropped events" {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}
