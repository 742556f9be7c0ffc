package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
)

// run makes a run of two variants at two loads in two blocks, in the order that
// a randomised plan might have.
func run(id, kernel string) *results.RunData {
	r := &results.Run{
		ID: id, Profile: "quick", Engine: "uring", Device: results.Device{Name: "loop8", ID: "/tmp/b", Model: "loop"},
		Environment: results.Environment{OS: "linux", Kernel: kernel},
		Tunables:    []results.Tunable{{Name: "scheduler", Values: []string{"none", "mq-deadline"}}, {Name: "max_sectors_kb", Values: []string{"1280", "64"}}},
		Variants: []results.Variant{
			{ID: "v1", Label: "none, 1280", Settings: []results.Setting{{Tunable: "scheduler", Value: "none"}, {Tunable: "max_sectors_kb", Value: "1280"}}},
			{ID: "v2", Label: "mq-deadline, 64", Settings: []results.Setting{{Tunable: "scheduler", Value: "mq-deadline"}, {Tunable: "max_sectors_kb", Value: "64"}}},
		},
		Workloads: []results.Workload{{Name: "mix", Jobs: []results.Job{{Name: "scrub"}, {Name: "reader"}}}},
	}
	data := &results.RunData{Run: r}
	for block := range 2 {
		for _, variant := range []string{"v2", "v1"} {
			for _, depth := range []int{32, 8} {
				data.Trials = append(data.Trials, results.Trial{
					Index: len(data.Trials), Block: block, Variant: variant, Workload: "mix", Status: results.Valid,
					Load: results.Load{Depth: depth}, Jobs: []results.JobResult{{Name: "scrub"}, {Name: "reader"}},
				})
			}
		}
	}
	data.Trials[0].Status = results.Invalid
	return data
}

func selected(t *testing.T, set *results.Set, expressions ...string) []Record {
	t.Helper()
	q, err := Parse(expressions...)
	if err != nil {
		t.Fatal(err)
	}
	records, err := Select(set, q)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestSelect(t *testing.T) {
	set := &results.Set{Runs: []*results.RunData{run("r1", "6.18"), run("r2", "6.19")}}
	tests := map[string]struct {
		expressions []string
		want        int
	}{
		"all":               {nil, 16},
		"variant":           {[]string{"variant=v1"}, 8},
		"label":             {[]string{"label=none, 1280"}, 8},
		"tunable":           {[]string{"scheduler=mq-deadline"}, 8},
		"not":               {[]string{"scheduler!=mq-deadline", "max_sectors_kb=1280"}, 8},
		"any of one key":    {[]string{"block=0", "block=1", "load=depth 8"}, 8},
		"two keys":          {[]string{"variant=v1", "load=depth 8", "run=r2"}, 2},
		"status":            {[]string{"status=valid"}, 14},
		"device":            {[]string{"device.model=loop", "kernel=6.18"}, 8},
		"either job":        {[]string{"job=reader"}, 16},
		"not the job":       {[]string{"job!=reader"}, 0},
		"nothing has it":    {[]string{"variant=v9"}, 0},
		"value with equals": {[]string{"label=a=b"}, 0},
		"contradiction":     {[]string{"variant=v1", "variant!=v1"}, 0},
		"spaces":            {[]string{" variant = v1 "}, 8},
	}
	for name, test := range tests {
		if got := selected(t, set, test.expressions...); len(got) != test.want {
			t.Errorf("%s: %d records, want %d", name, len(got), test.want)
		}
	}
}

func TestSelectRefusesUnknownKeys(t *testing.T) {
	q, err := Parse("shceduler=none")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Select(&results.Set{Runs: []*results.RunData{run("r1", "6.18")}}, q)
	if err == nil || !strings.Contains(err.Error(), `no trial has the key "shceduler": the keys are workload, load, block, `) || !strings.Contains(err.Error(), "scheduler, ") {
		t.Error(err)
	}
	if got, err := Select(&results.Set{}, q); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "variant", "=v1", "!=v1", "  =x"} {
		if q, err := Parse(text); err == nil || !strings.Contains(err.Error(), "write KEY=VALUE") {
			t.Errorf("%q: %v, %v", text, q, err)
		}
	}
}

func TestProject(t *testing.T) {
	r := selected(t, &results.Set{Runs: []*results.RunData{run("r1", "6.18")}}, "index=3")[0]
	got := fmt.Sprint(r.Project("max_sectors_kb", "load", "kernel", "fifo_batch"))
	if want := "[{max_sectors_kb 1280} {load depth 8} {kernel 6.18} {fifo_batch }]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if keys := Keys([]Record{r}); keys[0] != "workload" || !slices.Contains(keys, "scheduler") || slices.Index(keys, "job") != 6 {
		t.Errorf("keys %q", keys)
	}
}

// cells prints the cells' keys and sizes.
func cells(grouped []Cell) string {
	var parts []string
	for _, c := range grouped {
		var key []string
		for _, f := range c.Key {
			key = append(key, f.Value)
		}
		parts = append(parts, fmt.Sprintf("%s:%d", strings.Join(key, "/"), len(c.Records)))
	}
	return strings.Join(parts, " ")
}

// Cells come as the plan lists them, not as the trials were shuffled.
func TestGroup(t *testing.T) {
	records := selected(t, &results.Set{Runs: []*results.RunData{run("r1", "6.18")}})
	for axes, want := range map[string]string{
		"variant":             "v1:4 v2:4",
		"max_sectors_kb load": "1280/depth 8:2 1280/depth 32:2 64/depth 8:2 64/depth 32:2",
		"load scheduler":      "depth 8/none:2 depth 8/mq-deadline:2 depth 32/none:2 depth 32/mq-deadline:2",
		"block":               "0:4 1:4",
		"index":               "0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1",
		"":                    ":8",
		"nothing":             ":8",
	} {
		if got := cells(Group(records, strings.Fields(axes)...)); got != want {
			t.Errorf("by %q: %s, want %s", axes, got, want)
		}
	}
	if got := Group(nil, "variant"); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestGroupOrdersValuesNobodyListed(t *testing.T) {
	data := run("r1", "6.18")
	for i, l := range []results.Load{{Max: true}, {Percent: 100}, {Percent: 50}, {Percent: 9.5}, {Rate: 1000}, {}} {
		data.Trials[i].Load = l
	}
	records := selected(t, &results.Set{Runs: []*results.RunData{data}}, "block!=1")
	if got, want := cells(Group(records, "load")), "9.5%:1 50%:1 100%:1 max:1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A cell must say that it mixes what cannot be compared, unless that is an axis.
func TestMixedCells(t *testing.T) {
	other := run("r2", "6.19")
	other.Run.Engine, other.Run.Environment.CPU = "portable", "x"
	records := selected(t, &results.Set{Runs: []*results.RunData{run("r1", "6.18"), other}})
	for axes, want := range map[string]string{
		"variant":            "mixes runs of different engine: uring, portable; mixes runs of different kernel: 6.18, 6.19; mixes runs of different cpu: unknown, x",
		"variant engine":     "",
		"variant run":        "",
		"variant device":     "mixes runs of different engine: uring, portable; mixes runs of different kernel: 6.18, 6.19; mixes runs of different cpu: unknown, x",
		"variant kernel cpu": "",
	} {
		var told []string
		for _, m := range Group(records, strings.Fields(axes)...)[0].Mixed {
			told = append(told, m.String())
		}
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("by %q: %s\nwant %s", axes, got, want)
		}
	}
}

func TestMixedDevices(t *testing.T) {
	other := run("r2", "6.18")
	other.Run.Device.ID = "/tmp/c"
	set := &results.Set{Runs: []*results.RunData{run("r1", "6.18"), other}}
	got := Group(selected(t, set), "variant")[0].Mixed
	if len(got) != 1 || got[0].String() != "mixes runs of different device.id: /tmp/b, /tmp/c" {
		t.Errorf("two devices: %v", got)
	}
	for _, data := range set.Runs {
		data.Run.Device.Scratch = true
	}
	if got := Group(selected(t, set), "variant")[0].Mixed; len(got) != 0 {
		t.Errorf("two scratch devices: %v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("variant=v1")
	f.Add("a!=b=c")
	f.Add("!==")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(q.String())
		if err != nil || again.String() != q.String() {
			t.Errorf("%q is %q, which parses to %q, %v", text, q, again, err)
		}
	})
}
