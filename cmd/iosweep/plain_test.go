package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestPrintable holds that nothing that steers a terminal reaches one, whatever
// names it comes in by.
func TestPrintable(t *testing.T) {
	hostile := "disk\x1b]0;owned\x07\r\u009b31m\u202eevil\x00\x7f"
	var out bytes.Buffer
	if n, err := (plain{&out}).Write([]byte(hostile + "\n\tµs 10–20 ✓")); err != nil || n != len(hostile+"\n\tµs 10–20 ✓") {
		t.Fatalf("Write = %d, %v", n, err)
	}
	if got, want := out.String(), "disk?]0;owned???31m?evil??\n\tµs 10–20 ✓"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	newProgress(&out, false).say("%s", hostile)
	if strings.ContainsAny(out.String(), "\x1b\r\x07\x00\x7f") {
		t.Errorf("progress prints %q", out.String())
	}
	for _, args := range [][]string{
		{"validate", "no\x1b[2Jsuch.yaml"}, {"run", "quick", "--target", "/dev/no\x1b[2Jsuch"},
		{"report", "no\x1b[2Jsuch"}, {"x\x1b[2J"}, {"devices", "--x\x1b[2J"},
	} {
		var stdout, stderr bytes.Buffer
		if execute(args, &stdout, &stderr) == 0 {
			t.Errorf("%q succeeds", args)
		}
		if strings.ContainsRune(stdout.String()+stderr.String(), '\x1b') {
			t.Errorf("%q prints an escape: %q %q", args, stdout.String(), stderr.String())
		}
	}
}

// TestPlainPassesErrorsOn keeps a full disk or a closed pipe visible.
func TestPlainPassesErrorsOn(t *testing.T) {
	if _, err := (plain{failing{}}).Write([]byte("x")); !errors.Is(err, errFailing) {
		t.Errorf("got %v", err)
	}
}

var errFailing = errors.New("no space")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }
