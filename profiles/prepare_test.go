package profiles_test

import (
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
)

const preparedHead = `schema: 1
name: p
measure: {duration: 1s, repeats: 3}
tunables: [{name: physical_breaks, values: [0x11, 0x21]}]
workloads:
  - name: w
    jobs: [{name: j, size: 4KiB, op: OP, region: {offset: 1MiB, length: 100MiB}}]
    prepare: `

func prepared(op, prepare string) (*profiles.Profile, error) {
	return profiles.Parse("p.yaml", []byte(strings.Replace(preparedHead, "OP", op, 1)+prepare))
}

func TestPrepare(t *testing.T) {
	steady := profiles.Steady{On: "ops", SizeBytes: 4096, Depth: 32, Round: time.Minute, Rounds: 25}
	for text, want := range map[string]profiles.Prepare{
		"[fill]":                              {Fills: 1},
		"[delete, fill]":                      {Delete: true, Fills: 1},
		"{once: true, delete: true, fill: 2}": {Once: true, Delete: true, Fills: 2},
		"{steady: {}}":                        {Steady: &steady},
	} {
		p, err := prepared("write", text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := p.Workloads[0].Prepare
		if got.Once != want.Once || got.Delete != want.Delete || got.Fills != want.Fills || (got.Steady == nil) != (want.Steady == nil) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		if got.Steady != nil && *got.Steady != *want.Steady {
			t.Errorf("%s: %+v, want %+v", text, *got.Steady, *want.Steady)
		}
	}
}

func TestPrepareIsRefused(t *testing.T) {
	for _, c := range []struct{ op, text, says string }{
		{"read", "{once: true}", "it does nothing"},
		{"delete", "{once: true, fill: 1}", "job j deletes what was prepared"},
		{"read", "{fill: 0}", "write a whole number from 1 to 100"},
		{"read", "{steady: {rounds: 4}}", "from 5 to"},
		{"read", "{steady: {round: 0s}}", "a round of 0 measures nothing"},
		{"read", "{steady: {on: p99}}", `"p99"`},
		{"read", "{steady: {size: 1000B}}", "is not a multiple of 512"},
		{"read", "[wash]", `"wash"`},
	} {
		if _, err := prepared(c.op, c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.says)
		}
	}
}

// TestPrepareIsEstimated counts what is prepared once only once.
func TestPrepareIsEstimated(t *testing.T) {
	const mib = 1 << 20
	for text, want := range map[string]profiles.Cost{
		"[fill]":                   {WriteBytes: 6 * 100 * mib, Bounded: true},
		"{fill: 3}":                {WriteBytes: 18 * 100 * mib, Bounded: true},
		"{once: true, fill: 3}":    {WriteBytes: 3 * 100 * mib, Bounded: true},
		"[delete]":                 {DeleteBytes: 6 * 100 * mib, Bounded: true},
		"{once: true, steady: {}}": {WriteBytes: 25 * 60 * profiles.EstimateBytesPerSecond},
	} {
		p, err := prepared("read", text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Plan(nil)
		if err != nil {
			t.Fatal(err)
		}
		got := plan.Estimate(1 << 30)
		if got.WriteBytes != want.WriteBytes || got.DeleteBytes != want.DeleteBytes || got.Bounded != want.Bounded {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
