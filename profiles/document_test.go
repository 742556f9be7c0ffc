package profiles_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
)

// vdbenchWords are what vdbench calls the keys, by table.
func vdbenchWords() map[string]map[string]string {
	return map[string]map[string]string{
		"workload": {
			"name": "`rd=`, `wd=`", "jobs": "`wd=` of an `rd=`", "load": "`iorate=`, `curve=`, `forthreads=`",
			"measure": "`elapsed=`, `warmup=`, `maxdata=`, `pause=`", "prepare": "runs of one's own before",
			"verify": "`validate=`, `journal=`",
		},
		"job": {
			"name": "`wd=`", "op": "`rdpct=100` or `0`; no deletes", "mix": "`rdpct=`", "access": "`seekpct=`", "size": "`xfersize=`",
			"align": "`align=` of the SD", "region": "`range=`, `size=`, `offset=`", "hot_band": "`hotband=`", "hit": "`hitarea=`, `rhpct=`, `whpct=`",
			"stride": "`stride=`", "streams": "`streams=`", "depth": "`threads=`", "rate": "`iorate=` times `skew=`", "arrivals": "`distribution=`",
			"data": "`compratio=`, `dedupratio=`, `dedupunit=`", "copies": "`jvms=`", "target": "`sd=` of the WD",
		},
		"load": {
			"depth": "`forthreads=`", "rate": "`iorate=(list)`", "percent": "`iorate=(max,50%,...)`, `curve=`", "outstanding": "`threads=`",
		},
		"access":  {"random": "`seekpct=20`", "start": "`seekpct=seqnz`", "at_end": "`seekpct=eof`", "poisson": "`seekpct=(poisson,30)`"},
		"prepare": {"steady": "none"},
	}
}

// TestLanguageIsDocumented holds the tables of the document to the language.
func TestLanguageIsDocumented(t *testing.T) {
	const file = "../docs/workload-language.md"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(before)
	for name, words := range vdbenchWords() {
		head := fmt.Sprintf("<!-- keys of %s -->\n", name)
		start, rest, found := strings.Cut(text, head)
		_, tail, ends := strings.Cut(rest, "<!-- end -->")
		if !found || !ends {
			t.Fatalf("%s has no table of the keys of %s", file, name)
		}
		text = start + head + keyTable(t, name, words) + "<!-- end -->" + tail
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(before) {
		t.Errorf("%s is not what the language is: run go test ./profiles -run Documented -update", file)
	}
}

// keyTable is the Markdown of one table.
func keyTable(t *testing.T, name string, words map[string]string) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(profiles.Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	properties := propertiesOf(doc, map[string][]string{
		"workload": {"workloads"}, "job": {"workloads", "jobs"}, "load": {"workloads", "load"},
		"access": {"workloads", "jobs", "access"}, "prepare": {"workloads", "prepare"},
	}[name])
	var keys []string
	for key := range properties {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var b strings.Builder
	b.WriteString("| key | meaning | vdbench |\n|---|---|---|\n")
	for _, key := range keys {
		word := words[key]
		if word == "" {
			word = "none"
		}
		delete(words, key)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, properties[key].(map[string]any)["description"], word)
	}
	if len(words) > 0 {
		t.Errorf("no such keys of %s: %v", name, words)
	}
	return b.String()
}

// propertiesOf follows keys down a schema, through lists and alternatives.
func propertiesOf(s map[string]any, path []string) map[string]any {
	if items, ok := s["items"].(map[string]any); ok {
		return propertiesOf(items, path)
	}
	if choices, ok := s["anyOf"].([]any); ok {
		for _, c := range choices {
			if found := propertiesOf(c.(map[string]any), path); found != nil {
				return found
			}
		}
		return nil
	}
	properties, _ := s["properties"].(map[string]any)
	if len(path) == 0 || properties == nil {
		return properties
	}
	return propertiesOf(properties[path[0]].(map[string]any), path[1:])
}
