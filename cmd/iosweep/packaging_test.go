package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBootUnits holds that what the boot-time units call is there, and that
// their own languages read them.
func TestBootUnits(t *testing.T) {
	unit := filepath.Join("packaging", "iosweep-restore.service")
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	_, line, ok := strings.Cut(string(text), "\nExecStart=/usr/bin/iosweep ")
	line, _, _ = strings.Cut(line, "\n")
	root := newRoot()
	cmd, flags, err := root.Find(strings.Fields(line))
	if !ok || err != nil || cmd.Name() != "restore" {
		t.Fatalf("ExecStart calls %q: %v", line, err)
	}
	if err := cmd.ParseFlags(flags); err != nil {
		t.Errorf("ExecStart: %v", err)
	}
	if _, err := exec.LookPath("systemd-analyze"); err == nil {
		copied := filepath.Join(t.TempDir(), filepath.Base(unit))
		here := strings.ReplaceAll(string(text), "/usr/bin/iosweep", os.Args[0])
		if err := os.WriteFile(copied, []byte(here), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("systemd-analyze", "verify", copied).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("systemd-analyze verify: %v\n%s", err, out)
		}
	}
	for _, name := range []string{"iosweep_restore", "build"} {
		script := filepath.Join("packaging", name)
		if shell, err := exec.LookPath("sh"); err == nil {
			if out, err := exec.Command(shell, "-n", script).CombinedOutput(); err != nil {
				t.Errorf("sh -n %s: %v\n%s", script, err, out)
			}
		}
	}
}
