package profiles

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// schema is a part of a JSON Schema.
type schema = map[string]any

// kind is a type of value that a profile can hold: how it is described to
// editors and how it is read. Both stand together so that they cannot differ.
type kind[T any] struct {
	schema schema
	// read returns false after it reported a problem.
	read func(r *reader, n *yaml.Node) (T, bool)
}

// field is one key of a mapping that fills a T.
type field[T any] struct {
	key, doc string
	required bool
	schema   schema
	read     func(r *reader, n *yaml.Node, into *T)
}

// put makes a field whose value is stored where place says.
func put[T, V any](key, doc string, k kind[V], place func(*T) *V) field[T] {
	return set(key, doc, k, func(t *T, v V) { *place(t) = v })
}

// set makes a field whose value is handed to store.
func set[T, V any](key, doc string, k kind[V], store func(*T, V)) field[T] {
	return field[T]{key: key, doc: doc, schema: k.schema, read: func(r *reader, n *yaml.Node, into *T) {
		if v, ok := k.read(r, n); ok {
			store(into, v)
		}
	}}
}

// must makes a field required.
func must[T any](f field[T]) field[T] {
	f.required = true
	return f
}

// object is a mapping with exactly these keys.
func object[T any](fields ...field[T]) kind[T] {
	return kind[T]{objectSchema(fields), func(r *reader, n *yaml.Node) (T, bool) {
		var t T
		n, ok := r.visit(n)
		if !ok || !isMapping(r, n) || tooLong(r, n, 2*maxItems) {
			return t, false
		}
		seen := readPairs(r, n, fields, &t)
		for _, f := range fields {
			if f.required && !seen[f.key] {
				r.failKey(n, f.key, "%s: %s is missing: add it (%s)", r.what(), f.key, f.doc)
			}
		}
		return t, true
	}}
}

func isMapping(r *reader, n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s: it is %s: write a mapping of keys and values", r.what(), nodeName(n))
		return false
	}
	return true
}

// readPairs reads every pair of a mapping, and returns the keys it saw.
func readPairs[T any](r *reader, n *yaml.Node, fields []field[T], into *T) map[string]bool {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(fields, func(f field[T]) bool { return f.key == key.Value })
		switch {
		case at < 0:
			r.failKey(key, key.Value, "%s: unknown key %q: %s", r.what(), shorten(key.Value), suggest(key.Value, keysOf(fields)))
		case seen[key.Value]:
			r.failKey(key, key.Value, "%s: key %q is given twice: keep one", r.what(), key.Value)
		default:
			seen[key.Value] = true
			r.within("."+key.Value, value, func() { fields[at].read(r, value, into) })
		}
	}
	return seen
}

func keysOf[T any](fields []field[T]) []string {
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.key)
	}
	return keys
}

func objectSchema[T any](fields []field[T]) schema {
	properties, required := schema{}, []string{}
	for _, f := range fields {
		property := schema{"description": f.doc}
		for k, v := range f.schema {
			property[k] = v
		}
		properties[f.key] = property
		if f.required {
			required = append(required, f.key)
		}
	}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// list is a sequence of at least one value.
func list[T any](item kind[T]) kind[[]T] {
	s := schema{"type": "array", "minItems": 1, "maxItems": maxItems, "items": item.schema}
	return kind[[]T]{s, func(r *reader, n *yaml.Node) ([]T, bool) {
		n, ok := r.visit(n)
		if !ok {
			return nil, false
		}
		if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
			r.fail(n, "%s: it is %s: write a list of at least one value", r.what(), nodeName(n))
			return nil, false
		}
		if tooLong(r, n, maxItems) {
			return nil, false
		}
		return readItems(r, n, item)
	}}
}

func tooLong(r *reader, n *yaml.Node, most int) bool {
	if len(n.Content) > most {
		r.fail(n, "%s: it has more than %d entries: write fewer", r.what(), maxItems)
		return true
	}
	return false
}

func readItems[T any](r *reader, n *yaml.Node, item kind[T]) ([]T, bool) {
	var all []T
	for i, child := range n.Content {
		r.within(fmt.Sprintf("[%d]", i), child, func() {
			// A bad item keeps its place, so that later indexes stay true.
			v, _ := item.read(r, child)
			all = append(all, v)
		})
	}
	return all, true
}

// either reads a scalar as one kind and a mapping as another.
func either[T any](word, mapping kind[T]) kind[T] {
	s := schema{"anyOf": []any{word.schema, mapping.schema}}
	return kind[T]{s, func(r *reader, n *yaml.Node) (T, bool) {
		target := n
		if n.Kind == yaml.AliasNode {
			target = n.Alias
		}
		if target.Kind == yaml.MappingNode {
			return mapping.read(r, n)
		}
		return word.read(r, n)
	}}
}

// pair is one entry of a mapping whose keys are the profile's own.
type pair[V any] struct {
	key   string
	value V
}

// pairs is a mapping with keys of the author's choice, in the file's order.
func pairs[V any](s schema, value kind[V], checkKey func(string) error) kind[[]pair[V]] {
	return kind[[]pair[V]]{s, func(r *reader, n *yaml.Node) ([]pair[V], bool) {
		n, ok := r.visit(n)
		if !ok || !isMapping(r, n) || tooLong(r, n, 2*maxItems) {
			return nil, false
		}
		var all []pair[V]
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if err := checkKey(key.Value); err != nil {
				r.fail(key, "%s: %v", r.what(), err)
				continue
			}
			if slices.ContainsFunc(all, func(p pair[V]) bool { return p.key == key.Value }) {
				r.fail(key, "%s: key %q is given twice: keep one", r.what(), shorten(key.Value))
				continue
			}
			r.within("."+key.Value, n.Content[i+1], func() {
				v, _ := value.read(r, n.Content[i+1])
				all = append(all, pair[V]{key.Value, v})
			})
		}
		return all, true
	}}
}

func nodeName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "empty"
	}
	return fmt.Sprintf("%q", shorten(n.Value))
}

// shorten keeps hostile input out of error messages.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
