package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// nodesDir is where Linux lists the NUMA nodes.
const nodesDir = "/sys/devices/system/node"

// placeJobs notes the NUMA nodes of the processors that jobs are held to. Where
// the system lists no nodes, none are noted.
func placeJobs(list []results.Workload, dir string) {
	nodes := numaNodes(dir)
	for _, w := range list {
		for i := range w.Jobs {
			j := &w.Jobs[i]
			for _, cpu := range j.CPUs {
				if node, ok := nodes[cpu]; ok && !slices.Contains(j.NUMANodes, node) {
					j.NUMANodes = append(j.NUMANodes, node)
				}
			}
			slices.Sort(j.NUMANodes)
		}
	}
}

// numaNodes maps each processor to its node.
func numaNodes(dir string) map[int]int {
	nodes := map[int]int{}
	lists, err := filepath.Glob(filepath.Join(dir, "node[0-9]*", "cpulist"))
	if err != nil {
		return nodes
	}
	for _, name := range lists {
		node, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(name)), "node"))
		text, readErr := os.ReadFile(name)
		if err != nil || readErr != nil {
			continue
		}
		for _, cpu := range cpuList(strings.TrimSpace(string(text))) {
			nodes[cpu] = node
		}
	}
	return nodes
}

// maxCPU bounds what a list may name.
const maxCPU = 1 << 16

// cpuList reads the kernel's list format, such as 0-3,8; what is not in it is
// left out.
func cpuList(text string) []int {
	var all []int
	for _, part := range strings.Split(text, ",") {
		low, high, ranged := strings.Cut(part, "-")
		if !ranged {
			high = low
		}
		first, err := strconv.Atoi(low)
		last, lastErr := strconv.Atoi(high)
		if err != nil || lastErr != nil || first < 0 || last > maxCPU {
			continue
		}
		for cpu := first; cpu <= last; cpu++ {
			all = append(all, cpu)
		}
	}
	return all
}
