package results

import (
	"strings"
	"testing"
)

func FuzzReadTrials(f *testing.F) {
	f.Add("")
	f.Add(`{"schema":1,"index":0,"variant":"a","workload":"mix","status":"valid"}` + "\n" + `{"schema":1,"ind`)
	f.Add("\x00\n\n{}\n[1e999]\n")
	f.Add(`{"schema":1,"variant":"a","workload":"mix","status":"valid","jobs":[{"kinds":[{"service":{}}]}]}` + "\n")
	run := aRun()
	f.Fuzz(func(t *testing.T, text string) {
		found, err := readTrials(strings.NewReader(text), run)
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(strings.LastIndex(text, "\n") + 1); found.whole != want {
			t.Errorf("whole lines end at %d, want %d", found.whole, want)
		}
		lines := strings.Count(text, "\n")
		if torn := !strings.HasSuffix(text, "\n") && text != ""; torn {
			lines++
		}
		if got := len(found.trials) + len(found.problems); got != lines {
			t.Errorf("%d trials and %d problems of %d lines: each line must be one or the other", len(found.trials), len(found.problems), lines)
		}
		readable(t, found.trials)
	})
}

// readable reads every metric off every trial, and expects no panic and no
// figure that JSON could not hold.
func readable(t *testing.T, trials []Trial) {
	for i := range trials {
		for _, name := range Quantities() {
			v, note, err := Metric(&trials[i], name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if v != Some(v.V) && v.Valid || !v.Valid && note == "" {
				t.Errorf("%s: %v with note %q", name, v, note)
			}
		}
	}
}

func FuzzParseRun(f *testing.F) {
	f.Add([]byte(`{"schema":1,"id":"x","variants":[{"id":"a"}]}`))
	f.Add([]byte(`{"schema":2}`))
	f.Add([]byte("{\n\n\"schema\":\"x\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := parseRun(text)
		if err == nil && (run.ID == "" || run.Schema != SchemaVersion) {
			t.Errorf("accepted %+v", run)
		}
		if err != nil && !strings.HasPrefix(err.Error(), RunFile) {
			t.Errorf("the error names no file: %v", err)
		}
	})
}

func FuzzParseSums(f *testing.F) {
	f.Add([]byte("00  run.json\n"))
	f.Add([]byte(strings.Repeat("0", 64) + "  run.json\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		listed, _ := parseSums(text)
		for name, sum := range listed {
			if len(sum) != 64 {
				t.Errorf("%q has the sum %q", name, sum)
			}
		}
	})
}
