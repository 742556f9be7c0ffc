package profiles_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestErrors holds every refusal, with its place and what it says to do.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = profiles.Parse("p.yaml", archive.Files[0].Data)
			if err == nil {
				t.Fatal("accepted")
			}
			got := err.Error() + "\n"
			if *update {
				archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(archive.Files[1].Data); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			checkForm(t, got)
		})
	}
}

// checkForm holds every line to file:line:column: what: what to do, in order.
func checkForm(t *testing.T, errors string) {
	t.Helper()
	form := regexp.MustCompile(`^p\.yaml:(\d+):(\d+): [^ ]+: .+`)
	lastLine := 0
	for _, line := range strings.Split(strings.TrimSpace(errors), "\n") {
		if !form.MatchString(line) {
			t.Errorf("not of the form file:line:column: what: what to do: %s", line)
			continue
		}
		var at int
		if _, err := fmt.Sscanf(line, "p.yaml:%d:", &at); err != nil || at < lastLine {
			t.Errorf("out of order: %s (%v)", line, err)
		}
		lastLine = at
	}
}

func TestParseFillsIn(t *testing.T) {
	p := load(t, "testdata/full.yaml")
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"values in the tunable's unit", fmt.Sprint(p.Tunables[0].Values), "[128 256 0]"},
		{"address of a command", p.Tunables[2].Def.Kernel[0].Address, `command:{"get":["/bin/cat","/tmp/limit"],"set":["/usr/bin/tee","/tmp/limit"]}`},
		{"name of a command", p.Tunables[2].Def.Name, "arc_limit"},
		{"a job that takes the load", p.Workloads[0].Jobs[0].Load, true},
		{"a job that fixes its rate", p.Workloads[0].Jobs[1].Load, false},
		{"depth under percentages", p.Workloads[0].Jobs[0].Depth, 32},
		{"depth under the curve", p.Workloads[2].Jobs[0].Depth, profiles.DefaultOutstanding},
		{"the maximum comes first", p.Workloads[0].Loads[0].Max, true},
		{"percentages", p.Workloads[0].Loads[1].Percent, 50.0},
		{"own measure", p.Workloads[0].Measure.Ops, int64(1000)},
		{"inherited measure", p.Workloads[1].Measure.Ops, int64(2000)},
		{"repeats are the profile's", p.Workloads[0].Measure.Repeats, 3},
		{"retries may be 0", p.Measure.Retries, 0},
		{"a limit in base units", p.Objectives[0].Limits[0].Value, 0.01},
		{"a limit's metric", p.Objectives[0].Limits[0].Metric, "hot.p99.9"},
		{"a reference's value", p.References[0].Value, "128"},
		{"a reference's figure", p.References[0].Figure, 1.6e9},
		{"path", p.Path, "testdata/full.yaml"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestParseDefaults(t *testing.T) {
	p := load(t, "testdata/listed.yaml")
	if p.Engine != "auto" || p.Measure.Repeats != 5 || p.Measure.Seed != 1 || p.Measure.Retries != 1 {
		t.Errorf("defaults: %q %+v", p.Engine, p.Measure)
	}
	if p.Target.ScratchBytes != profiles.DefaultScratchBytes {
		t.Errorf("scratch size %d", p.Target.ScratchBytes)
	}
	if got := fmt.Sprint(p.Workloads[0].Vary, p.Tunables[1].Values, p.Workloads[0].Jobs[0].Depth); got != "[scheduler fifo_batch] [1] 1" {
		t.Errorf("got %s", got)
	}
	if got := p.Variants[2].Settings[1].Tunable.Summary; got == "" {
		t.Error("a listed setting has no definition")
	}
}

// TestParseBounds feeds what would exhaust memory if nothing bounded it.
func TestParseBounds(t *testing.T) {
	head := "schema: 1\nname: bomb\nmeasure: {duration: 1s}\nworkloads: [{name: w, jobs: [{name: j}]}]\n"
	var bomb strings.Builder
	bomb.WriteString(head + "tunables:\n- &t {name: x, values: &v [" + strings.Repeat("1, ", 900) + "1]}\n")
	bomb.WriteString(strings.Repeat("- *t\n", 900))
	for _, c := range []struct{ what, text, want string }{
		{"too long", strings.Repeat("#", 1<<20+1), "more than the limit"},
		{"aliases", bomb.String(), "when its aliases are followed"},
		{"a long list", head + "tunables: [{name: bioq_batchsize, values: [" + strings.Repeat("1, ", 2000) + "]}]", "more than 1000 entries"},
		{"an alias of itself", "&a [*a]", "write a mapping"},
		{"depth", strings.Repeat("[", 100_000), "p.yaml:"},
		{"errors", head + "x: " + strings.Repeat("1\nx: ", 900), "unknown key"},
		{"not text", "\xff\xfe\x00", "p.yaml:"},
		{"repeats", strings.Replace(head, "1s", "1s, repeats: 99999999999999999999", 1), "from 1 to 10000"},
	} {
		_, err := profiles.Parse("p.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.300v, want %q", c.what, err, c.want)
		}
		if err != nil && strings.Count(err.Error(), "\n") > 100 {
			t.Errorf("%s: %d lines of errors", c.what, strings.Count(err.Error(), "\n"))
		}
	}
}

func TestAliasesAreFollowed(t *testing.T) {
	p, err := profiles.Parse("p.yaml", []byte(`
schema: 1
name: aliases
measure: {duration: 1s}
workloads:
  - {name: a, jobs: &jobs [{name: j, size: &s {4KiB: 100%}}]}
  - {name: b, jobs: *jobs}
  - {name: c, jobs: [{name: k, size: *s}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if p.Workloads[1].Jobs[0].Sizes[0].Bytes != 4096 || p.Workloads[2].Jobs[0].Sizes[0].Bytes != 4096 {
		t.Errorf("%+v", p.Workloads)
	}
}

func load(t *testing.T, path string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.yaml", "library/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := profiles.Parse("p.yaml", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.yaml:") {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		plan, err := p.Plan(nil)
		if err != nil || len(plan.Trials) > 20_000 {
			return
		}
		cost := plan.Estimate(1 << 30)
		if len(plan.Trials) == 0 || cost.Time < 0 || cost.WriteBytes < 0 || cost.DeleteBytes < 0 {
			t.Errorf("%d trials cost %+v", len(plan.Trials), cost)
		}
	})
}
