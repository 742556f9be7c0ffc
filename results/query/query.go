// Package query turns run folders into records with ordered keys, so that any
// key may be a row, a column or a filter of a table.
//
// 1. Select makes a Record of each trial and keeps those that a Query matches.
// 2. Group puts records that agree in the axes into cells, in plan order.
// 3. A Cell says where it mixes runs that are unlike.
package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Query is a filter. The zero Query matches every trial.
type Query struct {
	terms []term
}

// term is one KEY=VALUE or KEY!=VALUE.
type term struct {
	key, value string
	not        bool
}

// Parse reads expressions of the form KEY=VALUE and KEY!=VALUE. Of several with
// = and the same key any may hold; all others must. A KEY is one that Keys
// names; a VALUE is compared as text, exactly.
func Parse(expressions ...string) (Query, error) {
	var q Query
	for _, text := range expressions {
		key, value, ok := strings.Cut(text, "=")
		key, not := strings.CutSuffix(strings.TrimSpace(key), "!")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return Query{}, fmt.Errorf("parse filter %q: write KEY=VALUE or KEY!=VALUE, such as workload=mix", text)
		}
		q.terms = append(q.terms, term{key: key, value: strings.TrimSpace(value), not: not})
	}
	return q, nil
}

// String is the query in the form that Parse reads, its terms parted by spaces.
func (q Query) String() string {
	var parts []string
	for _, t := range q.terms {
		parts = append(parts, t.String())
	}
	return strings.Join(parts, " ")
}

func (t term) String() string {
	if t.not {
		return t.key + "!=" + t.value
	}
	return t.key + "=" + t.value
}

// matches says whether all terms hold of a record.
func (q Query) matches(r *Record) bool {
	asked, met := map[string]bool{}, map[string]bool{}
	for _, t := range q.terms {
		has := r.has(t.key, t.value)
		switch {
		case t.not && has:
			return false
		case !t.not:
			asked[t.key] = true
			met[t.key] = met[t.key] || has
		}
	}
	return len(asked) == countTrue(met)
}

func countTrue(m map[string]bool) (n int) {
	for _, v := range m {
		if v {
			n++
		}
	}
	return n
}

// Select makes the records of the set's trials, of any status, and returns
// those that q matches, in the order in which they were stored. A key that no
// trial of the set has is an error that names the keys there are; a value that
// none has simply matches nothing.
func Select(set *results.Set, q Query) ([]Record, error) {
	all := records(set)
	if err := q.known(all); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(r Record) bool { return !q.matches(&r) }), nil
}

func (q Query) known(all []Record) error {
	if len(all) == 0 || len(q.terms) == 0 {
		return nil
	}
	keys := Keys(all)
	for _, t := range q.terms {
		if !slices.Contains(keys, t.key) {
			return fmt.Errorf("filter %s: no trial has the key %q: the keys are %s", t, t.key, strings.Join(keys, ", "))
		}
	}
	return nil
}

// Keys are the keys that the records have, in the order of their first use.
func Keys(all []Record) []string {
	var keys []string
	seen := map[string]bool{}
	for i := range all {
		for key := range all[i].All {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}
