package sim

import (
	"testing"
	"time"

	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/stack"
	"github.com/iosweep/iosweep/workloads"
)

// TestDeletesHoldUpReads: where a delete holds every channel a read waits for
// the chunk before it and no longer; where it leaves two, that is what is left
// to the readers.
func TestDeletesHoldUpReads(t *testing.T) {
	deletes := workloads.Spec{
		Name: "deletes", Mix: workloads.Mix{Delete: 1}, Depth: 1,
		Sizes: []workloads.SizeShare{{Bytes: 1 << 30, Share: 1}}, Region: workloads.Region{To: 0.5},
	}
	layers := stack.Config{Delete: true, DeleteChunkBytes: 128 << 20}
	limits := runners.Limits{Duration: 60 * time.Second}

	j := measure(t, "intel-520", layers, limits, 1, deletes, readJob(10*time.Millisecond))
	served := only(t, j[1], "read").Service
	const chunk = 0.05162 // 10.75 ms + 128 MiB at 3.284 GB/s
	near(t, "the longest read", served.Max().Seconds(), chunk+98.192e-6, 0.001)
	mean, _ := served.MeanSeconds()
	within(t, "the mean read over a chunk", mean/chunk, 0.5, 1)

	eight := readJob(0)
	eight.Depth = 8
	alone := only(t, measure(t, "ssd-shared", layers, limits, 1, eight)[0], "read").OpsPerSecond.V
	beside := only(t, measure(t, "ssd-shared", layers, limits, 1, deletes, eight)[1], "read").OpsPerSecond.V
	near(t, "reads a second on eight channels", alone, 8/98.192e-6, 0.001)
	within(t, "reads beside deletes, as a share of them alone", beside/alone, 2.0/8, 0.9)
}

// TestTransferLimit: the zvols give the rows that they are fitted to, and
// exactly half with half the transfer, since they charge requests alone.
func TestTransferLimit(t *testing.T) {
	for model, rate := range map[string]float64{"zvol-1": 3107.4, "zvol-2": 6148.6, "zvol-3": 7930.1} {
		spec := workloads.Spec{Name: "writes", Mix: workloads.Mix{Write: 1}, Depth: 16, Sizes: []workloads.SizeShare{{Bytes: 128 << 10, Share: 1}}}
		for transfer, want := range map[int64]float64{128 << 10: rate, 64 << 10: rate / 2} {
			layers := stack.Config{Split: true, MaxTransferBytes: transfer}
			j := measure(t, model, layers, runners.Limits{Warmup: time.Second, Duration: 20 * time.Second}, 1, spec)
			writes := only(t, j[0], "write")
			near(t, model+" writes a second", writes.OpsPerSecond.V, want, 0.001)
			mean, _ := writes.Service.MeanSeconds()
			near(t, model+": Little's law", writes.OpsPerSecond.V*mean, 16, 0.01)
		}
	}
}
