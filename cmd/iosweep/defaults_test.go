package main

import (
	"testing"

	"github.com/iosweep/iosweep/results"
)

// What iosweep's own layers act has the default that its system gives it.
func TestDefaultsWithoutAKernel(t *testing.T) {
	list := []results.Tunable{{Name: "bioq_batchsize"}, {Name: "physical_breaks"}, {Name: "delete_max_sectors"}, {Name: "nr_requests"}, {Name: "no_such"}}
	(&target{}).defaults(list)
	for i, want := range []string{"128", "33", "262144", "", ""} {
		if list[i].Default != want {
			t.Errorf("%s: %q, want %q", list[i].Name, list[i].Default, want)
		}
	}
}
