package campaign

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// readUsage reads getrusage(2), the first line of /proc/stat and /proc/uptime.
func readUsage() usage {
	var u usage
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.user, u.system = time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
	}
	if text, err := os.ReadFile("/proc/stat"); err == nil {
		u.host = parseStat(string(text))
	}
	if text, err := os.ReadFile("/proc/uptime"); err == nil {
		u.up = parseUptime(string(text))
	}
	return u
}

// parseUptime reads the first number of proc_uptime(5), in seconds.
func parseUptime(text string) time.Duration {
	first, _, _ := strings.Cut(text, " ")
	seconds, err := strconv.ParseFloat(first, 64)
	if err != nil || !(seconds >= 0 && seconds <= maxUptime.Seconds()) { // NaN is neither
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// maxUptime is more than any machine has run.
const maxUptime = 100 * 365 * 24 * time.Hour

// parseStat reads the line "cpu user nice system idle iowait irq softirq steal"
// of proc_stat(5). Time waiting for I/O is idle: the processor is free.
func parseStat(text string) hostTicks {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return hostTicks{}
	}
	t := hostTicks{tellsSteal: true}
	for i, f := range fields[1:9] {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return hostTicks{}
		}
		t.total += n
		switch i {
		case 3, 4:
			t.idle += n
		case 7:
			t.steal = n
		}
	}
	return t
}
