package profiles

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// simulatedKey stands in a profile, a workload or a job beside what it changes.
// On a simulated disk its keys take the place of those beside it: a model has a
// disk's size and no hours, a real device neither.
const simulatedKey = "simulated"

// The keys that may differ for models, by where simulated stands.
func simulatedInProfile() []string  { return []string{"measure", "objective"} }
func simulatedInWorkload() []string { return []string{"why", "measure", "load", "lower_depth"} }
func simulatedInJob() []string {
	return []string{"access", "size", "region", "depth", "rate", "think", "burst"}
}

// Simulated returns the profile as a simulated disk is measured by it: with the
// keys of each simulated in the place of those beside it. Its Text is the same.
func (p *Profile) Simulated() (*Profile, error) {
	engine := p.Engine
	s, err := parse(p.Path, []byte(p.Text), true)
	if err != nil {
		return nil, err
	}
	s.Engine = engine
	return s, nil
}

// overlay takes every simulated out of a document and, where on is true, puts
// its keys in place. It says whether there was any.
func (r *reader) overlay(root *yaml.Node, on bool) bool {
	found := r.replace(root, simulatedInProfile(), on)
	for i, w := range itemsOf(root, "workloads") {
		r.within(fmt.Sprintf("workloads[%d]", i), w, func() {
			found = r.replace(w, simulatedInWorkload(), on) || found
			for k, j := range itemsOf(w, "jobs") {
				r.within(fmt.Sprintf(".jobs[%d]", k), j, func() { found = r.replace(j, simulatedInJob(), on) || found })
			}
		})
	}
	return found
}

// replace does so in one mapping.
func (r *reader) replace(n *yaml.Node, keys []string, on bool) bool {
	at := keyAt(n, simulatedKey)
	if at < 0 {
		return false
	}
	value := followed(n.Content[at+1])
	n.Content = slices.Delete(n.Content, at, at+2)
	if !on {
		return true
	}
	r.within("."+simulatedKey, value, func() {
		if !isMapping(r, value) {
			return
		}
		for i := 0; i+1 < len(value.Content); i += 2 {
			key := value.Content[i]
			if !slices.Contains(keys, key.Value) {
				r.failKey(key, key.Value, "%s: key %q cannot differ for models: %s", r.what(), shorten(key.Value), suggest(key.Value, keys))
				continue
			}
			put := keyAt(n, key.Value)
			if put < 0 {
				n.Content = append(n.Content, key, value.Content[i+1])
			} else {
				n.Content[put], n.Content[put+1] = key, value.Content[i+1]
			}
		}
	})
	return true
}

// itemsOf are the mappings in the list under a key.
func itemsOf(n *yaml.Node, key string) []*yaml.Node {
	at := keyAt(n, key)
	if at < 0 || followed(n.Content[at+1]).Kind != yaml.SequenceNode {
		return nil
	}
	var all []*yaml.Node
	for _, item := range followed(n.Content[at+1]).Content {
		all = append(all, followed(item))
	}
	return all
}

// keyAt is the index of a key in a mapping; -1 where there is none.
func keyAt(n *yaml.Node, key string) int {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// simulatable describes the key simulated to editors: some of the mapping's
// other keys, none of them required.
func simulatable[T any](k kind[T], keys []string) kind[T] {
	properties, own := schema{}, k.schema["properties"].(schema)
	for _, key := range keys {
		properties[key] = own[key]
	}
	own[simulatedKey] = schema{
		"description": "What takes the place of the keys beside it when the disk is a model.",
		"type":        "object", "additionalProperties": false, "minProperties": 1, "properties": properties,
	}
	return k
}
