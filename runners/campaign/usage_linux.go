package campaign

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// readUsage reads getrusage(2) and the first line of /proc/stat.
func readUsage() usage {
	var u usage
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.user, u.system = time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
	}
	if text, err := os.ReadFile("/proc/stat"); err == nil {
		u.host = parseStat(string(text))
	}
	return u
}

// parseStat reads the line "cpu user nice system idle iowait irq softirq steal"
// of proc_stat(5). Time waiting for I/O is idle: the processor is free.
func parseStat(text string) hostTicks {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return hostTicks{}
	}
	var t hostTicks
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
