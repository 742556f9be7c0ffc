package ci_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/report/ci"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Prometheus' own parser must read every sample, and what it takes for comments
// must be OpenMetrics: each family once and whole, its name ending in its unit,
// no sample twice, and the end marked.
func TestOpenMetrics(t *testing.T) {
	for name, s := range suites(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := ci.OpenMetrics(&b, s); err != nil {
				t.Fatal(err)
			}
			lint(t, b.String())
			parser := expfmt.NewTextParser(model.LegacyValidation)
			families, err := parser.TextToMetricFamilies(&b)
			if err != nil {
				t.Fatal(err)
			}
			samples := 0
			for _, f := range families {
				samples += len(f.GetMetric())
			}
			if samples != len(s.Samples) || samples == 0 {
				t.Errorf("%d samples are read, want %d and some", samples, len(s.Samples))
			}
		})
	}
}

func lint(t *testing.T, text string) {
	t.Helper()
	body, ended := strings.CutSuffix(text, "\n# EOF\n")
	if !ended {
		t.Error("no end")
	}
	line := regexp.MustCompile(`^(?:# (TYPE|UNIT|HELP) (\w+) (.+)|(\w+)\{(?:\w+="(?:[^"\\]|\\["\\n])*",?)+\} \S+)$`)
	current, seen := "", map[string]bool{}
	for _, l := range strings.Split(body, "\n") {
		m := line.FindStringSubmatch(l)
		key, _, _ := strings.Cut(l, "} ")
		switch {
		case m == nil:
			t.Errorf("not OpenMetrics: %s", l)
			continue
		case seen[key]:
			t.Errorf("comes twice: %s", l)
		case m[1] == "TYPE":
			current = m[2]
		case m[2]+m[4] != current:
			t.Errorf("outside of its family: %s", l)
		case m[1] == "UNIT" && !strings.HasSuffix(current, "_"+m[3]):
			t.Errorf("%s does not end in its unit %s", current, m[3])
		}
		seen[key] = true
	}
}

func TestOpenMetricsSamples(t *testing.T) {
	of := suites(t)
	for name, want := range map[string]string{
		"compared":    `iosweep_verdict{device="Disk \"1\"",workload="fails",load="own",metric="p99",verdict="worse"} 1`,
		"recommended": `iosweep_recommended{tunable="physical_breaks",workload="writes",load="own",goal="maximise ops",value="33"} 1`,
		"measured":    `iosweep_trials{device="loop9",workload="writes",load="own",setting="physical_breaks=17",status="valid"} 3`,
	} {
		var b bytes.Buffer
		if err := ci.OpenMetrics(&b, of[name]); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n"+want+"\n") {
			t.Errorf("%s: no %s in\n%s", name, want, &b)
		}
	}
}
