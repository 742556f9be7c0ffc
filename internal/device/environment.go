package device

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// CaptureEnvironment describes this machine. What cannot be found out is left
// empty.
func CaptureEnvironment() results.Environment {
	e := capture(tree{hostRoot})
	describeHost(&e)
	return e
}

func capture(t tree) results.Environment {
	cpuinfo, _ := t.file(tableBytes, "proc/cpuinfo")
	cpu, flagged := parseCPU(cpuinfo)
	meminfo := t.text("proc/meminfo")
	host, _ := os.Hostname()
	kernel := t.text("proc/sys/kernel/osrelease")
	if kernel == "" {
		kernel = release()
	}
	return results.Environment{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		Kernel: kernel, Hostname: cleanText(host),
		CPU: cpu, CPUs: runtime.NumCPU(),
		Governor: t.governor(),
		Memory:   parseMemTotal(meminfo),
		Clock:    t.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Virtual:  t.virtual(flagged),
		Root:     Privileged(),
	}
}

// governor is the processors' frequency governor; more than one when they
// differ.
func (t tree) governor() string {
	const cpus = "sys/devices/system/cpu"
	var found []string
	for _, cpu := range t.names(cpus) {
		g := t.text(cpus, cpu, "cpufreq/scaling_governor")
		if g != "" && !slices.Contains(found, g) {
			found = append(found, g)
		}
	}
	return strings.Join(found, ", ")
}

// virtual names the hypervisor: what it says itself, else the maker in DMI,
// else only that the processor tells of one.
func (t tree) virtual(flagged bool) string {
	if s := t.text("sys/hypervisor/type"); s != "" {
		return cleanText(s)
	}
	if !flagged {
		return ""
	}
	const dmi = "sys/class/dmi/id"
	maker := strings.TrimSpace(t.first(dmi, "sys_vendor") + " " + t.first(dmi, "product_name"))
	if maker == "" {
		return "hypervisor"
	}
	return maker
}

// parseCPU reads /proc/cpuinfo: the first processor's model, and whether its
// flags tell of a hypervisor (x86 only).
func parseCPU(text string) (model string, hypervisor bool) {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok {
			continue
		}
		switch key {
		case "model name", "Model", "cpu model", "uarch":
			if model == "" {
				model = cleanText(value)
			}
		case "flags":
			hypervisor = hypervisor || slices.Contains(strings.Fields(value), "hypervisor")
		}
	}
	return model, hypervisor
}

// parseMemTotal reads MemTotal of /proc/meminfo, in bytes; its "kB" are KiB.
func parseMemTotal(text string) int64 {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			n, err := strconv.ParseInt(fields[1], 10, 53)
			if err != nil || n < 0 {
				return 0
			}
			return n << 10
		}
	}
	return 0
}
