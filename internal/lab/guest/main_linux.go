// Command guest is what the laboratory's virtual machine runs as its first
// process: it sets the machine up, tries iosweep on every device, and reports a
// line for each property over the second serial port.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// guest is the machine's state.
type guest struct {
	port  *os.File
	reply *bufio.Reader
	// disks are the devices under test by the label that the host gave them.
	disks map[string]string
	// times is how often each fault is tried.
	times int
}

func main() {
	g := &guest{}
	if err := g.setUp(); err != nil {
		fmt.Println("guest:", err)
		time.Sleep(time.Second) // until the console has it
	} else {
		g.work()
	}
	unix.Sync()
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// work does the first boot's part, or the one after the reset.
func (g *guest) work() {
	defer func() {
		if p := recover(); p != nil {
			g.row("guest", "program", fmt.Errorf("panic: %v", p))
		}
		g.say("done")
	}()
	if _, err := os.Stat(resetMark); err == nil {
		g.afterReset()
		return
	}
	for _, p := range g.parts() {
		p.do()
	}
}

// argument is what the host put on the kernel's command line.
func argument(key string) string {
	line, _ := os.ReadFile("/proc/cmdline")
	for _, word := range strings.Fields(string(line)) {
		if value, ok := strings.CutPrefix(word, key+"="); ok {
			return value
		}
	}
	return ""
}

// part is what the laboratory can do by itself.
type part struct {
	name string
	do   func()
}

// parts are those that the host chose. The last does not return: the host
// resets the machine.
func (g *guest) parts() []part {
	all := []part{
		{"stories", g.stories}, {"refusals", g.refusals}, {"odd", g.odd}, {"clock", g.clock}, {"unplug", g.unplug},
		{"scsi", g.scsi}, {"removal", g.removals}, {"stuck", g.stuck}, {"errors", g.badRanges}, {"sleep", g.sleep}, {"reset", g.beforeReset},
	}
	chosen := strings.Split(argument("lab"), ",")
	return slices.DeleteFunc(all, func(p part) bool { return !slices.Contains(chosen, p.name) })
}

func (g *guest) stories() {
	chosen := strings.Split(argument("stories"), ",")
	for _, s := range stories() {
		if slices.Contains(chosen, s.label) {
			g.tell(s)
		}
	}
}

func (g *guest) setUp() error {
	os.Setenv("PATH", "/bin")
	os.Setenv("HOME", "/state")
	for _, m := range []struct{ source, target, kind string }{
		{"proc", "/proc", "proc"}, {"sys", "/sys", "sysfs"}, {"dev", "/dev", "devtmpfs"}, {"tmp", "/tmp", "tmpfs"},
		{"config", "/sys/kernel/config", "configfs"}, {"trace", "/sys/kernel/tracing", "tracefs"},
	} {
		os.MkdirAll(m.target, 0o755)
		if err := unix.Mount(m.source, m.target, m.kind, 0, ""); err != nil && m.kind != "configfs" {
			return fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	port, err := os.OpenFile("/dev/ttyS1", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	if err := raw(port); err != nil {
		return err
	}
	g.port, g.reply = port, bufio.NewReader(port)
	g.say("up")
	g.times, _ = strconv.Atoi(argument("times"))
	if err := loadModules(); err != nil {
		return err
	}
	unix.Mount("config", "/sys/kernel/config", "configfs", 0, "") // a module in some kernels
	if err := g.makeDevices(); err != nil {
		return err
	}
	return g.mountState()
}

// raw makes a serial port pass bytes on as they are.
func raw(f *os.File) error {
	t, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	return unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, t)
}

// loadModules loads the modules in the order that the host worked out.
func loadModules() error {
	order, err := os.ReadFile("/modules/order")
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(string(order)), "\n") {
		name, options, _ := strings.Cut(line, " ")
		f, err := os.Open(filepath.Join("/modules", name))
		if err != nil {
			return err
		}
		if err := unix.FinitModule(int(f.Fd()), options, 0); err != nil && err != unix.EEXIST {
			fmt.Printf("guest: load %s: %v\n", name, err)
		}
		f.Close()
	}
	return nil
}

// say sends a line to the host.
func (g *guest) say(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " / ")
	fmt.Fprintln(g.port, "LAB "+text)
}

// ask sends a request and waits for the host's answer: "ok", or what is wrong.
func (g *guest) ask(format string, args ...any) error {
	g.say(format, args...)
	line, err := g.reply.ReadString('\n')
	if err != nil {
		return fmt.Errorf("wait for the host: %w", err)
	}
	if line = strings.TrimSpace(line); line != "ok" {
		return fmt.Errorf("%s", line)
	}
	return nil
}

// row reports a property of a device: nil is "ok".
func (g *guest) row(device, property string, err error) { g.rowOf(device, property, 1, err) }

// rowOf reports one that was tried several times.
func (g *guest) rowOf(device, property string, tried int, err error) {
	ok := "ok"
	if err != nil {
		ok = strings.ReplaceAll("FAIL "+err.Error(), "\t", " ")
	}
	g.say("row\t%s\t%s\t%s\t%d", device, property, ok, tried)
}

// often tries a fault as many times as the host asked for, or until it is not
// as it must be.
func (g *guest) often(device, property string, try func(i int) error) {
	for i := range g.times {
		if err := try(i); err != nil {
			g.rowOf(device, property, i+1, fmt.Errorf("time %d: %w", i+1, err))
			return
		}
	}
	g.rowOf(device, property, g.times, nil)
}
