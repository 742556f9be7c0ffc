// Package units reads and prints quantities in one exact grammar.
//
// A quantity is digits, optionally a point and more digits, optionally one
// space, and a unit that is spelt exactly: B, KiB, MiB, GiB, TiB (powers of
// 1024), kB, MB, GB, TB (powers of 1000); ns, us, ms, s, min, h; /s; %.
// Anything else is an error that says what was probably meant, because a tool
// that reads 4Ki as 4000 measures something other than what was asked.
package units

import (
	"math"
	"strconv"
	"time"
)

// FormatBytes prints an exact amount in the unit that divides it with the
// smallest number, preferring powers of 1024: 4096 is "4 KiB", 1500 "1500 B",
// 100000000 "100 MB". ParseBytes reads it back to the same number.
func FormatBytes(n int64) string {
	best := unit{"B", 1}
	for _, u := range byteUnits() {
		if n%u.base == 0 && u.base > best.base && n != 0 {
			best = u
		}
	}
	return strconv.FormatInt(n/best.base, 10) + " " + best.name
}

// FormatBytesApprox prints about how many bytes, in powers of 1024 with three
// significant digits: "64.0 KiB". Without a finite figure it prints "n/a".
func FormatBytesApprox(bytes float64) string {
	return scaled(bytes, " ", []step{{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}, {1 << 40, "TiB"}})
}

// FormatRate prints bytes per second in powers of 1000 with three significant
// digits: "812 MB/s".
func FormatRate(bytesPerSecond float64) string {
	return scaled(bytesPerSecond, " ", []step{{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}})
}

// FormatOps prints operations per second with three significant digits:
// "12.3k/s".
func FormatOps(perSecond float64) string {
	return scaled(perSecond, "", []step{{1, "/s"}, {1e3, "k/s"}, {1e6, "M/s"}, {1e9, "G/s"}})
}

// FormatSeconds prints a time in seconds with three significant digits in ns,
// us, ms or s: "65.1 ms".
func FormatSeconds(seconds float64) string {
	ns := seconds * float64(time.Second)
	return scaled(ns, " ", []step{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}})
}

// step is a unit to print in and its size in the base unit.
type step struct {
	size float64
	name string
}

// scaled prints v in the largest unit of which it is at least one. It rounds
// before it chooses, so that 999.6 us becomes 1.00 ms and not 1000 us.
func scaled(v float64, gap string, steps []step) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "n/a"
	}
	if v == 0 {
		return "0" + gap + steps[0].name
	}
	at := len(steps) - 1
	for at > 0 && math.Abs(round3(v/steps[at].size)) < 1 {
		at--
	}
	return digits3(round3(v/steps[at].size)) + gap + steps[at].name
}

// round3 rounds to three significant digits.
func round3(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// digits3 prints a number that round3 made, with zeros kept to show its
// precision.
func digits3(v float64) string {
	whole := len(strconv.FormatFloat(math.Abs(math.Trunc(v)), 'f', 0, 64))
	if math.Abs(v) < 1 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, 3-whole), 64)
}
