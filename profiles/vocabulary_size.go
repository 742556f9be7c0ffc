package profiles

import (
	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/workloads"
	"gopkg.in/yaml.v3"
)

// sizeMapping is either {min, max, align} or sizes with their shares.
func sizeMapping() kind[sizing] {
	uniform, mixed := rangeKind(), sizeShares()
	s := schema{"anyOf": []any{uniform.schema, mixed.schema}}
	return kind[sizing]{s, func(r *reader, n *yaml.Node) (sizing, bool) {
		if isRange(n) {
			v, ok := uniform.read(r, n)
			return sizing{uniform: v}, ok
		}
		all, ok := mixed.read(r, n)
		var out sizing
		for _, p := range all {
			// The key was checked when it was read.
			bytes, _ := units.ParseBytes(p.key)
			out.shares = append(out.shares, workloads.SizeShare{Bytes: bytes, Share: p.value})
		}
		return out, ok
	}}
}

// sizeShares maps sizes to percentages.
func sizeShares() kind[[]pair[float64]] {
	s := schema{
		"type": "object", "additionalProperties": false, "minProperties": 1,
		"patternProperties": schema{bytesPattern: share().schema},
	}
	return pairs(s, share(), func(key string) error {
		_, err := units.ParseBytes(key)
		return err
	})
}

func isRange(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i].Value; key == "min" || key == "max" {
			return true
		}
	}
	return false
}
