package profiles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
)

func TestDepthSweeps(t *testing.T) {
	for text, want := range map[string]string{
		"[4, 1, 3]":     "4 1 3",
		"1..128":        "1 2 4 8 16 32 64 128",
		"1..100":        "1 2 4 8 16 32 64 100", // the last is always measured
		"3..40":         "3 6 12 24 40",
		"1..2":          "1 2",
		"1..6 by 1":     "1 2 3 4 5 6",
		"8..32 by 10":   "8 18 28 32",
		"1..16384":      "1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384",
		"\"1..4\"":      "1 2 4",
		"10..20 by 999": "10 20",
	} {
		file := "schema: 1\nname: sweep\nworkloads: [{name: w, jobs: [{name: j}], load: {depth: " + text + "}}]\nmeasure: {duration: 1s, repeats: 1}\n"
		p, err := profiles.Parse("p.yaml", []byte(file))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, l := range p.Workloads[0].Loads {
			got = append(got, fmt.Sprint(l.Depth))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: depths %v, want %s", text, got, want)
		}
		plan, err := p.Plan(nil)
		if err != nil || len(plan.Trials) != len(got) {
			t.Errorf("%s: %d trials for %d depths, %v", text, len(plan.Trials), len(got), err)
		}
		v, err := asJSON([]byte(file))
		if err == nil {
			err = compile(t).Validate(v)
		}
		if err != nil {
			t.Errorf("the schema refuses %s: %v", text, err)
		}
	}
}
