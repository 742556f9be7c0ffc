package tunables

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/tunables/command"
)

// AnyOS as a Knob's OS: the address means the same on every system.
const AnyOS = "any"

// The spaces that an address can be in.
const (
	SpaceSysfs   = "sysfs"   // a file under the device's directory, or its queue's
	SpaceModule  = "module"  // a parameter of a Linux kernel module
	SpaceSysctl  = "sysctl"  // a FreeBSD sysctl
	SpaceCommand = "command" // a program that gets and one that sets

	// What these hold acts from the next boot or load on.
	SpaceRegistry = "HKLM"     // a value of Windows' registry, KEY\VALUE
	SpaceLoader   = "loader"   // a tunable of FreeBSD's loader
	SpaceModprobe = "modprobe" // a parameter that Linux loads a module with
)

// maxAddress bounds an address, in bytes: longer ones are an attack or an error.
const maxAddress = 4096

// Address is where a knob is: a space and a path in it.
type Address struct {
	Space, Path string
}

// String is the address as it is written, such as sysfs:queue/scheduler.
func (a Address) String() string { return a.Space + ":" + a.Path }

// Device says that the path is relative to one device; other addresses belong
// to the whole machine.
func (a Address) Device() bool { return a.Space == SpaceSysfs }

// Durable says that what is there outlives a reboot.
func (a Address) Durable() bool {
	switch a.Space {
	case SpaceRegistry, SpaceLoader, SpaceModprobe:
		return true
	}
	return false
}

// CommandAddress is the address of a knob that programs read and write, as it
// is journalled.
func CommandAddress(c command.Spec) (Address, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return Address{}, fmt.Errorf("encode command: %w", err)
	}
	return ParseAddress(SpaceCommand + ":" + string(text))
}

// ParseAddress reads SPACE:PATH and refuses everything that could reach beyond
// its space, such as a path with dots.
func ParseAddress(text string) (Address, error) {
	space, path, ok := strings.Cut(text, ":")
	if !ok {
		return Address{}, fmt.Errorf("address %q has no space: write sysfs:, module:, sysctl:, HKLM:, loader:, modprobe: or command: before the path", text)
	}
	if len(text) > maxAddress {
		return Address{}, fmt.Errorf("address of %d bytes is longer than %d", len(text), maxAddress)
	}
	a := Address{Space: space, Path: path}
	if err := a.check(); err != nil {
		return Address{}, fmt.Errorf("address %q: %w", text, err)
	}
	return a, nil
}

func (a Address) check() error {
	switch a.Space {
	case SpaceSysfs:
		return checkSegments(a.Path, "queue", "device")
	case SpaceModule, SpaceModprobe:
		if strings.Count(a.Path, "/") != 1 {
			return fmt.Errorf("write %s:MODULE/PARAMETER", a.Space)
		}
		return checkSegments(a.Path)
	case SpaceSysctl, SpaceLoader:
		return checkWord(strings.ReplaceAll(a.Path, ".", "_"))
	case SpaceRegistry:
		return checkRegistry(a.Path)
	case SpaceCommand:
		_, err := command.Parse(a.Path)
		return err
	}
	return fmt.Errorf("no space %q: use sysfs, module, sysctl, HKLM, loader, modprobe or command", a.Space)
}

// checkSegments accepts slash-separated words, the first of them one of roots
// where there are any.
func checkSegments(path string, roots ...string) error {
	words := strings.Split(path, "/")
	for _, w := range words {
		if err := checkWord(w); err != nil {
			return err
		}
	}
	if len(roots) == 0 {
		return nil
	}
	for _, r := range roots {
		if words[0] == r && len(words) > 1 {
			return nil
		}
	}
	return fmt.Errorf("path must begin with %s/", strings.Join(roots, "/ or "))
}

// checkRegistry accepts KEY\VALUE, where keys may have keys before them.
func checkRegistry(path string) error {
	words := strings.Split(path, `\`)
	if len(words) < 2 {
		return errors.New(`write HKLM:KEY\VALUE, such as HKLM:SYSTEM\CurrentControlSet\Services\storahci\Parameters\Device\MaximumSGList`)
	}
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r < ' ' || r == '/' || r == 0x7f }) {
			return fmt.Errorf("%q is no name of a key or value", w)
		}
	}
	return nil
}

// checkWord accepts letters, digits, _ and -, so neither dots nor slashes.
func checkWord(w string) error {
	if w == "" {
		return errors.New("a part of the path is empty")
	}
	for _, r := range w {
		if !isWordRune(r) {
			return fmt.Errorf("%q may hold letters, digits, _ and - only", w)
		}
	}
	return nil
}

func isWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// knobs are the systems on which the address means something.
func (a Address) knobs() []Knob {
	os := AnyOS
	switch a.Space {
	case SpaceRegistry:
		return []Knob{{OS: "windows", Address: a.String(), Reboot: true, Boot: a.String()}}
	case SpaceLoader:
		return []Knob{{OS: "freebsd", Address: SpaceSysctl + ":" + a.Path, Reboot: true, Boot: a.String()}}
	case SpaceModprobe:
		return []Knob{{OS: "linux", Address: SpaceModule + ":" + a.Path, Reboot: true, Boot: a.String()}}
	case SpaceSysfs, SpaceModule:
		os = "linux"
	case SpaceSysctl:
		os = "freebsd"
	}
	return []Knob{{OS: os, Address: a.String()}}
}
