package profiles_test

import (
	"testing"

	"github.com/iosweep/iosweep/profiles"
)

func TestTmp(t *testing.T) {
	for _, n := range profiles.Library() {
		p, err := profiles.Load(n)
		if err != nil {
			t.Error(err)
			continue
		}
		plan, err := p.Plan(nil)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%s %d trials %d variants %+v", n, len(plan.Trials), len(plan.Variants), plan.Estimate(p.Target.ScratchBytes))
	}
}
