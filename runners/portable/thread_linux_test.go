package portable

import (
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/iosweep/iosweep/runners"
)

// confined counts this process's threads that may run on one processor alone.
func confined(t *testing.T, cpu int) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		var set unix.CPUSet
		if unix.SchedGetaffinity(tid, &set) == nil && set.Count() == 1 && set.IsSet(cpu) {
			n++
		}
	}
	return n
}

// Workers run where they were told to, and their threads are given back free.
func TestProcessors(t *testing.T) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	if all.Count() < 2 {
		t.Skip("needs two processors to tell a restriction from none")
	}
	cpu := 0
	for !all.IsSet(cpu) {
		cpu++
	}
	before := confined(t, cpu)
	q, err := Engine{}.Open(t.Context(), target(t, kib), runners.Options{Depth: 5, MaxLen: kib, CPUs: []int{cpu}})
	if err != nil {
		t.Fatal(err)
	}
	if got := confined(t, cpu) - before; got != 5 {
		t.Errorf("%d threads are restricted to processor %d, want 5", got, cpu)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); confined(t, cpu) > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d restricted threads are left", confined(t, cpu)-before)
		}
	}
}
