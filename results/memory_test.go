package results

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/iosweep/iosweep/results/hist"
)

// A trial in memory takes less than its line, so that 10,000 of 20 kB each leave
// half of 500 MiB to what is worked out of them.
func TestTrialsInMemoryAreSmallerThanStored(t *testing.T) {
	const trials = 300
	line, run := largeLine(t), aRun()
	all := make([]*Trial, trials)
	before := heap()
	for i := range all {
		var err error
		if all[i], err = parseTrial(line, run); err != nil {
			t.Fatal(err)
		}
	}
	each := (heap() - before) / trials
	if v, _, err := Metric(all[trials-1], "p99"); err != nil || !v.Valid {
		t.Errorf("p99 is %v, %v", v, err)
	}
	t.Logf("%d bytes of memory for a line of %d", each, len(line))
	if most := int64(len(line)) * 2 / 3; each > most {
		t.Errorf("%d bytes of memory for a line of %d, want at most %d", each, len(line), most)
	}
}

func largeLine(t *testing.T) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() *hist.Hist {
		h := hist.New()
		for range 4000 {
			h.Record(int64(1e6 * (0.5 + random.ExpFloat64())))
		}
		return h
	}
	trial := aTrial(0, "a")
	for i := range trial.Jobs {
		k := &trial.Jobs[i].Kinds[0]
		k.Service, k.Response = draw(), draw()
	}
	trial.Schema = SchemaVersion
	line, err := json.Marshal(trial)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// heap is what is in use after a collection, in bytes.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
