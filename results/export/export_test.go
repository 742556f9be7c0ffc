package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/comparison"
	"github.com/iosweep/iosweep/results/export"
	"github.com/parquet-go/parquet-go"
)

func stored(t *testing.T) *results.Set {
	t.Helper()
	set, err := results.Open(filepath.Join("..", "testdata", "v1"))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func write(t *testing.T, set *results.Set, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := export.Write(&b, set, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// CSV, JSON and Parquet must hold the same rows.
func TestFormatsAgree(t *testing.T) {
	set := stored(t)
	var asJSON []export.Row
	if err := json.Unmarshal(write(t, set, "json"), &asJSON); err != nil {
		t.Fatal(err)
	}
	text := write(t, set, "parquet")
	asParquet, err := parquet.Read[export.Row](bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(write(t, set, "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(asJSON) == 0 || len(asParquet) != len(asJSON) || len(lines) != len(asJSON)+1 {
		t.Fatalf("%d rows of JSON, %d of Parquet, %d lines of CSV", len(asJSON), len(asParquet), len(lines))
	}
	for i := range asJSON {
		a, b := fmt.Sprint(flat(asJSON[i])), fmt.Sprint(flat(asParquet[i]))
		if a != b || lines[i+1][16] != asJSON[i].Metric || lines[i+1][18] != flat(asJSON[i])[3] {
			t.Fatalf("row %d:\n%s\n%s\n%s", i, a, b, lines[i+1])
		}
	}
}

func flat(r export.Row) []string {
	value := ""
	if r.Value != nil {
		value = strconv.FormatFloat(*r.Value, 'g', -1, 64)
	}
	return []string{r.Run, r.Variant, r.Metric, value, r.Unit, r.Note, r.Status, fmt.Sprint(r.Settings, r.Counted, r.Block)}
}

func TestUnknownFormat(t *testing.T) {
	if err := export.Write(&bytes.Buffer{}, stored(t), "xls"); err == nil || !strings.Contains(err.Error(), "benchfmt csv json parquet") {
		t.Error(err)
	}
}

// values is a run of one workload with two values of one tunable.
func values() *results.RunData {
	run := &results.Run{Schema: 1, ID: "r1", Device: results.Device{Name: "disk"}}
	run.Tunables = []results.Tunable{{Name: "chunk", Values: []string{"a", "b"}}}
	run.Workloads = []results.Workload{{Name: "beside-reads", Jobs: []results.Job{{Name: "j"}}}}
	data := &results.RunData{Run: run, Complete: true}
	for i, v := range run.Tunables[0].Values {
		run.Variants = append(run.Variants, results.Variant{ID: v, Label: v, Settings: []results.Setting{{Tunable: "chunk", Value: v}}})
		for b := range 9 {
			rate := 1000 + float64(b*b*3) + float64(i*41*(b%3))
			data.Trials = append(data.Trials, results.Trial{
				Schema: 1, Index: len(data.Trials), Block: b, Variant: v, Workload: "beside-reads", Status: results.Valid, WindowSeconds: 10, Load: results.Load{Depth: 8},
				Jobs: []results.JobResult{{Name: "j", Kinds: []results.KindResult{{Kind: "read", Ops: int64(rate * 10), Bytes: int64(rate * 40960), OpsPerSecond: results.Some(rate), BytesPerSecond: results.Some(rate * 4096)}}}},
			})
		}
	}
	return data
}

// Benchstat must read the export and come to the medians and p of compare.
func TestBenchstatAgrees(t *testing.T) {
	data := values()
	file := filepath.Join(t.TempDir(), "bench.txt")
	if err := os.WriteFile(file, write(t, &results.Set{Runs: []*results.RunData{data}}, "benchfmt"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "benchstat", "-format", "csv", "-col", "/chunk", file)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s%s", err, out, &complaints)
	}
	for _, metric := range []string{"j.ops", "j.throughput"} {
		table, err := comparison.Variants(data, "chunk", "a", comparison.Options{Metrics: []string{metric}, Unpaired: true})
		if err != nil {
			t.Fatal(err)
		}
		r := table.Rows[0]
		line := regexp.MustCompile(`(?s),` + regexp.QuoteMeta(metric) + `-[^\n]*\nBeside_reads/load=depth_8(?:-\d+)?,([^,]*),[^,]*,([^,]*),[^,]*,[^,]*,p=([0-9.]+) n=9`).FindStringSubmatch(string(out))
		want := []string{fmt.Sprint(r.Comparison.Base.Center), fmt.Sprint(r.Comparison.New.Center), fmt.Sprintf("%.3f", r.P.V)}
		if len(line) != 4 || strings.Join(line[1:], " ") != strings.Join(want, " ") {
			t.Errorf("%s: benchstat has %q, compare %q\n%s", metric, line, want, out)
		}
	}
}
