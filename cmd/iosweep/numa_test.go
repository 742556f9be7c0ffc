package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/iosweep/iosweep/results"
)

func TestPlaceJobs(t *testing.T) {
	dir := t.TempDir()
	for node, cpus := range map[string]string{"node0": "0-1,4\n", "node1": "2-3,5-7\n", "node2": "\n"} {
		if err := os.MkdirAll(filepath.Join(dir, node), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, node, "cpulist"), []byte(cpus), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list := []results.Workload{{Jobs: []results.Job{{CPUs: []int{6, 0, 1}}, {CPUs: []int{3}}, {}, {CPUs: []int{99}}}}}
	placeJobs(list, dir)
	for i, want := range [][]int{{0, 1}, {1}, nil, nil} {
		if got := list[0].Jobs[i].NUMANodes; !slices.Equal(got, want) {
			t.Errorf("job %d: nodes %v, want %v", i, got, want)
		}
	}
	placeJobs(list, filepath.Join(dir, "none"))
}

func TestCPUList(t *testing.T) {
	for text, want := range map[string][]int{
		"0": {0}, "0-2": {0, 1, 2}, "1,3-4": {1, 3, 4}, "": nil, "x": nil, "2-": nil, "0-99999999": nil,
	} {
		if got := cpuList(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
