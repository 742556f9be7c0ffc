package profiles_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
)

const severalTargets = `
schema: 1
name: several
target: {min_size: 1MiB}
workloads:
  - name: plain
    jobs: [{name: reader, region: {offset: 0B, length: 1MiB}}]
  - name: both
    prepare: [fill]
    jobs:
      - {name: log, op: write, target: log, region: {offset: 4MiB, length: 4MiB}}
      - {name: reads, region: {offset: 512B, length: 512KiB}}
      - {name: deletes, target: bulk, op: delete, region: {offset: 1MiB, length: 1MiB}}
      - {name: tail, target: log, region: {offset: 16MiB, length: 1MiB}}
measure: {duration: 1s}
`

func TestSeveralTargets(t *testing.T) {
	p, err := profiles.Parse("p.yaml", []byte(severalTargets))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.NamedTargets(); !slices.Equal(got, []string{"log", "bulk"}) {
		t.Errorf("beside the first: %v", got)
	}
	if got := p.Workloads[1].Targets(); !slices.Equal(got, []string{"log", "", "bulk"}) {
		t.Errorf("targets of the workload: %q", got)
	}
	// What is prepared is written, also where the jobs only read.
	for name, want := range map[string]profiles.Needs{"": {Write: true}, "log": {Write: true}, "bulk": {Write: true, Delete: true}, "none": {}} {
		if got := p.Needs(name); got != want {
			t.Errorf("needs of %q: %+v, want %+v", name, got, want)
		}
	}
	want := []profiles.Extent{{Offset: 4 << 20, Length: 4 << 20}, {Offset: 16 << 20, Length: 1 << 20}}
	if got := p.Workloads[1].Extents("log", 1<<30); !slices.Equal(got, want) {
		t.Errorf("extents on log: %v, want %v", got, want)
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	if jobs := plan.Describe().Workloads[1].Jobs; jobs[0].Target != "log" || jobs[1].Target != "" {
		t.Errorf("described as %+v", jobs)
	}
}

// Stamps carry the first target's identity.
func TestStampsAreOfTheFirstTarget(t *testing.T) {
	_, err := profiles.Parse("p.yaml", []byte(strings.Replace(severalTargets, "    prepare: [fill]", "    verify: stamp", 1)))
	if err == nil || !strings.Contains(err.Error(), "p.yaml:11:40: workloads[1].jobs[0].target: only the first target's data is verified") {
		t.Errorf("error %v", err)
	}
}
