package campaign

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/tunables"
)

// clamping is a kernel with one knob, which takes 128 at most.
type clamping struct{ value string }

func (c *clamping) Probe(path string) error {
	if path != "queue/max_sectors_kb" {
		return fs.ErrNotExist
	}
	return nil
}

func (c *clamping) Read(_ context.Context, path string) (string, error) {
	return c.value, c.Probe(path)
}

func (c *clamping) Write(_ context.Context, path, value string) error {
	if c.value = value; value == "256" {
		c.value = "128"
	}
	return c.Probe(path)
}

// A value that the kernel did not take is said so in each of its trials, which
// count for what was in force.
func TestClampedSettingIsSaid(t *testing.T) {
	p, err := profiles.Parse("test.yaml", []byte(knobProfile))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	knobs := &clamping{"100"}
	host, err := tunables.NewHost(tunables.HostOptions{StateDir: t.TempDir(), OS: "linux", BootID: "b", Hostname: "h",
		Device: tunables.Identity{ID: "wwn-1", Name: "nvme9n9"}, Backends: map[string]tunables.Backend{tunables.SpaceSysfs: knobs}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	kept := &shelf{}
	c := Campaign{Plan: plan, Engine: &faulty{}, Store: kept, Knobs: host,
		Target: runners.Target{Name: "nvme9n9", SizeBytes: 1 << 30, BlockBytes: 512, Writable: true, Device: true}}
	if o, err := c.Run(t.Context()); err != nil || o.Valid != 3 || knobs.value != "100" {
		t.Fatalf("error %v, outcome %+v, knob %s", err, o, knobs.value)
	}
	for _, trial := range kept.trials {
		asked := trial.Settings[0].Value
		if has(trial, "setting_clamped") != (asked == "256") {
			t.Errorf("asked %s: %+v", asked, trial.Findings)
		}
		for _, f := range trial.Findings {
			if f.Code == "setting_clamped" && (f.Fatal || !strings.Contains(f.Text, "max_sectors_kb: asked 256, the kernel made it 128")) {
				t.Errorf("the finding is %+v", f)
			}
		}
	}
}
