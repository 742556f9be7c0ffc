package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command has a page, with its options, and no line of one is taken for
// a macro by accident.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	if code := execute([]string{"man", dir}, io.Discard, io.Discard); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	for _, sub := range newRoot().Commands() {
		page, err := os.ReadFile(filepath.Join(dir, "iosweep-"+sub.Name()+".1"))
		if sub.Hidden != os.IsNotExist(err) {
			t.Errorf("page of %s: %v", sub.Name(), err)
		}
		for line := range strings.Lines(string(page)) {
			if strings.HasPrefix(line, ".") && !strings.Contains(" .TH .SH .TP .B .nf .fi ", " "+strings.Fields(line)[0]+" ") {
				t.Errorf("%s: %q is a macro", sub.Name(), line)
			}
		}
	}
	run, _ := os.ReadFile(filepath.Join(dir, "iosweep-run.1"))
	if !strings.Contains(string(run), `.B \-\-destroy ID`) {
		t.Error("iosweep-run.1 lacks --destroy")
	}
}
