package profiles_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(profiles.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("profile.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("profile.json")
	if err != nil {
		t.Fatal(err)
	}
	if s.DraftVersion != 7 {
		t.Fatalf("draft %d", s.DraftVersion)
	}
	return s
}

// asJSON turns YAML into what an editor's validator sees.
func asJSON(text []byte) (any, error) {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(plain))
}

func TestSchemaAcceptsWhatParseAccepts(t *testing.T) {
	s := compile(t)
	for _, pattern := range []string{"library/*.yaml", "testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := profiles.Parse(file, text); err != nil {
				t.Error(err)
			}
			v, err := asJSON(text)
			if err == nil {
				err = s.Validate(v)
			}
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// TestSchemaRefuses takes the cases whose errors the form alone shows.
func TestSchemaRefuses(t *testing.T) {
	s := compile(t)
	for _, name := range []string{"keys", "values", "measure", "jobs", "loads", "objectives"} {
		archive, err := txtar.ParseFile("testdata/errors/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		v, err := asJSON(archive.Files[0].Data)
		if err != nil {
			// Not even an editor's YAML reader takes it (a key given twice).
			continue
		}
		if s.Validate(v) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestSchemaIsDescribedAndCovered finds a key that has no description, or that
// no test file uses: the parser's reading of it would be untested.
func TestSchemaIsDescribedAndCovered(t *testing.T) {
	used := map[string]bool{}
	for _, file := range []string{"testdata/full.yaml", "testdata/listed.yaml", "testdata/prepared.yaml", "testdata/repeat.yaml", "testdata/adaptive.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		collect(v, used)
	}
	var doc map[string]any
	if err := json.Unmarshal(profiles.Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	walk(t, "", doc, used)
}

func collect(v any, used map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, child := range v {
			used[k] = true
			collect(child, used)
		}
	case []any:
		for _, child := range v {
			collect(child, used)
		}
	}
}

func walk(t *testing.T, path string, v any, used map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		for key, p := range properties {
			if doc, _ := p.(map[string]any)["description"].(string); !strings.HasSuffix(doc, ".") {
				t.Errorf("%s.%s is described as %q", path, key, doc)
			}
			if !used[key] {
				t.Errorf("%s.%s is in no test file", path, key)
			}
		}
		for key, child := range v {
			walk(t, path+"."+key, child, used)
		}
	case []any:
		for _, child := range v {
			walk(t, path, child, used)
		}
	}
}
