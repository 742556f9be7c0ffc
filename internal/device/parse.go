package device

import (
	"strconv"
	"strings"
)

// mount is one line of /proc/PID/mountinfo.
type mount struct {
	devNum, point, fsType, source string
}

// parseMountinfo reads /proc/PID/mountinfo: fields 3 and 5, and after the
// separator the file system's type and source. Lines that do not have them are
// passed over: one odd line must not hide the others.
func parseMountinfo(text string) []mount {
	var mounts []mount
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		head, tail := strings.Fields(left), strings.Fields(right)
		if !ok || len(head) < 6 || len(tail) < 2 {
			continue
		}
		mounts = append(mounts, mount{
			devNum: head[2], point: unescape(head[4]), fsType: tail[0], source: unescape(tail[1]),
		})
	}
	return mounts
}

// parseSwaps reads /proc/swaps and returns the first column of each line after
// the heading.
func parseSwaps(text string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 5 || fields[0] == "Filename" {
			continue
		}
		paths = append(paths, unescape(fields[0]))
	}
	return paths
}

// parseWriting reads /proc/PID/fdinfo/FD: whether the octal flags allow
// writing (O_WRONLY 1 or O_RDWR 2).
func parseWriting(text string) bool {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(value), 8, 64)
			return err == nil && flags&3 != 0
		}
	}
	return false
}

// unescape undoes the octal escapes (\040 for a blank) that the kernel writes
// in mountinfo and swaps.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// parseWords reads the whitespace-separated counters of a stat file. Anything
// that is not a decimal number ends it.
func parseWords(text string) []int64 {
	var words []int64
	for _, field := range strings.Fields(text) {
		n, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			break
		}
		words = append(words, int64(n))
	}
	return words
}

// cleanID makes an identifier that a person can type: printable, and with each
// run of blanks as one underscore, as disks pad their strings with blanks.
func cleanID(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), "_")
}

// saysNothing tells identifiers that makers leave empty: only zeros, blanks and
// punctuation after the type's prefix.
func saysNothing(id string) bool {
	for _, prefix := range []string{"eui.", "naa.", "uuid.", "nvme.", "0x"} {
		id = strings.TrimPrefix(id, prefix)
	}
	return strings.Trim(id, "0-_. ") == ""
}
