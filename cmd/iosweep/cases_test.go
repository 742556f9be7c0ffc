package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCasesAreTests holds that every test that docs/cases.md names exists where
// it says.
func TestCasesAreTests(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "cases.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 40 {
		t.Fatalf("only %d tests are named", len(named))
	}
	for _, n := range named {
		files, err := filepath.Glob(filepath.Join(root, n[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range files {
			code, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(code), "\nfunc "+n[2]+"(")
		}
		if !found {
			t.Errorf("%s has no %s", n[1], n[2])
		}
	}
}
