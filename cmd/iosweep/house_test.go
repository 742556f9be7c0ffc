package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestImports holds the rules that ARCHITECTURE.md draws: who may import whom.
func TestImports(t *testing.T) {
	only := map[string][]string{ // what: where it may be imported
		"github.com/spf13/cobra": {"cmd/"},
		"github.com/spf13/pflag": {"cmd/"},
		"charm.land":             {"cmd/"},
		"gonum.org/v1/plot":      {"report/plots"},
		"gopkg.in/yaml.v3":       {"profiles", "runners/sim"},
		"golang.org/x/sys":       {"runners/uring", "runners/portable", "tunables/", "internal/device", "internal/durable", "internal/lab"},
	}
	never := map[string][]string{ // who: what it must not import
		"workloads":        {"runners", "tunables", "results", "report", "profiles", "internal/device"},
		"results":          {"workloads", "runners", "tunables", "report", "profiles", "internal/device"},
		"report":           {"workloads", "runners", "tunables", "profiles", "internal/device"},
		"tunables":         {"workloads", "runners", "results", "report", "profiles"},
		"profiles":         {"runners", "report", "internal/device"},
		"runners/uring":    {"tunables", "profiles", "report", "internal/device"},
		"runners/portable": {"tunables", "profiles", "report", "internal/device"},
		"runners/stack":    {"tunables", "profiles", "report", "internal/device", "runners/uring", "runners/portable"},
		"runners/campaign": {"report", "internal/device"},
		"internal/units":   {"workloads", "runners", "tunables", "results", "report", "profiles"},
		"internal/durable": {"workloads", "runners", "tunables", "results", "report", "profiles"},
		"internal/device":  {"workloads", "runners", "tunables", "report", "profiles"},
	}
	eachImport(t, func(file, imported string) {
		dir := filepath.ToSlash(filepath.Dir(file))
		for what, places := range only {
			if within(imported, what) && !begins(dir+"/", places) {
				t.Errorf("%s imports %s, which belongs in %s only", file, imported, strings.Join(places, ", "))
			}
		}
		own, ok := strings.CutPrefix(imported, module)
		for who, whom := range never {
			if !ok || !within(dir, who) {
				continue
			}
			for _, w := range whom {
				if within(own, w) {
					t.Errorf("%s imports %s: %s must not know of %s", file, own, who, w)
				}
			}
		}
	})
}

const module = "github.com/iosweep/iosweep/"

// eachImport calls f for every import of every file that is not a test.
func eachImport(t *testing.T, f func(file, imported string)) {
	t.Helper()
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files++
		for _, i := range parsed.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			f(filepath.ToSlash(rel), imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d files were looked at", files)
	}
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}

func begins(path string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return false
}
