package vdbench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reference is where observed expansions lie on a machine that has them, as
// seen from this package.
const reference = "../../../shared/vdbench"

// observed returns the runs that vdbench itself did, as rows writes them; ok is
// false where it rejected the file.
func observed(t *testing.T, file string) (want string, ok bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(l, "# rejected") {
			return "", false
		}
		if strings.HasPrefix(l, "#") {
			continue
		}
		f := strings.Split(l, "\t") // run, rate, elapsed, other, loops
		for len(f) < 5 {
			f = append(f, "")
		}
		switch f[1] {
		case "Uncontrolled MAX", "Controlled MAX":
			f[1] = "max"
		case "Uncontrolled curve", "Controlled curve":
			f[1] = "curve"
		}
		if f[4] == "None" {
			f[4] = ""
		}
		// It shows a list's first rate for every run of it.
		if _, rate, listed := strings.Cut(f[4], "iorate="); listed {
			f[1] = rate
		}
		b.WriteString(strings.Join([]string{f[0], f[1], f[2], f[4]}, "\t") + "\n")
	}
	return b.String(), true
}

func TestObservedExpansions(t *testing.T) {
	var pairs [][2]string
	parms, _ := filepath.Glob(filepath.Join(reference, "language", "*.parm"))
	for _, p := range parms {
		pairs = append(pairs, [2]string{p, strings.TrimSuffix(p, ".parm") + ".runs.tsv"})
	}
	runs, _ := filepath.Glob(filepath.Join(reference, "expansion", "*.runs.tsv"))
	for _, r := range runs {
		pairs = append(pairs, [2]string{filepath.Join(reference, "corpus", strings.TrimSuffix(filepath.Base(r), ".runs.tsv")), r})
	}
	if len(pairs) == 0 {
		t.Skipf("no observed expansions in %s: TestExpansion covers the language with files of its own", reference)
	}
	for _, pair := range pairs {
		t.Run(filepath.Base(pair[0]), func(t *testing.T) {
			want, accepted := observed(t, pair[1])
			text, err := os.ReadFile(pair[0])
			if err != nil {
				t.Fatal(err)
			}
			got, err := expandText(string(text))
			switch {
			case accepted && err != nil:
				t.Errorf("vdbench runs it, but: %v", err)
			case !accepted && err == nil:
				t.Errorf("vdbench rejects it, but:\n%s", rows(got))
			case accepted && rows(got) != want:
				t.Errorf("got\n%swant\n%s", rows(got), want)
			}
		})
	}
}
