package profiles

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	// maxText is the largest profile in bytes.
	maxText = 1 << 20
	// maxVisits bounds how many nodes are read, aliases followed: a few lines
	// of anchors could otherwise stand for millions of values.
	maxVisits = 100_000
	// maxItems is the length of one list: checks compare its values in pairs.
	maxItems = 1000
	// maxProblems is how many errors of one file are reported.
	maxProblems = 100
)

// position is a place in the file; both count from 1.
type position struct{ line, column int }

// problem is one thing that is wrong, and where.
type problem struct {
	position
	text string
}

// reader walks a YAML document. It remembers where every value stood, by its
// path, so that checks made later can still say line and column.
type reader struct {
	name     string
	path     string
	where    map[string]position
	visits   int
	problems []problem
	// failed holds the paths at which reading failed: what is checked later
	// must not complain again about what was never read.
	failed []string
}

// fail records a problem with the value that is being read, at a node.
func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.failed = append(r.failed, r.path)
	}
	r.failAt(position{n.Line, n.Column}, format, args...)
}

// failKey records a problem with a key of the mapping that is being read.
func (r *reader) failKey(n *yaml.Node, key, format string, args ...any) {
	outer := r.path
	r.path = strings.TrimPrefix(r.path+"."+key, ".")
	r.fail(n, format, args...)
	r.path = outer
}

func (r *reader) failAt(p position, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, problem{p, fmt.Sprintf(format, args...)})
	}
}

// failPath records a problem at a path such as workloads[0].jobs[1].size, or,
// where the file does not say it, at the nearest thing around it.
func (r *reader) failPath(path, format string, args ...any) {
	if r.unread(path) {
		return
	}
	format, args = "%s: "+format, append([]any{path}, args...)
	for {
		if p, ok := r.where[path]; ok {
			r.failAt(p, format, args...)
			return
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			r.failAt(position{1, 1}, format, args...)
			return
		}
		path = path[:cut]
	}
}

// unread says whether reading failed at the path, in it or around it.
func (r *reader) unread(path string) bool {
	return slices.ContainsFunc(r.failed, func(f string) bool { return inside(f, path) || inside(path, f) })
}

// inside says whether path is outer or a part of it.
func inside(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// has says whether the file gives the value at a path.
func (r *reader) has(path string) bool {
	_, ok := r.where[path]
	return ok
}

// err joins the problems in the order of the file; nil without any.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b problem) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	var all []error
	for _, p := range r.problems {
		all = append(all, fmt.Errorf("%s:%d:%d: %s", r.name, p.line, p.column, p.text))
	}
	return errors.Join(all...)
}

// visit follows an alias and counts the node; false when there were too many.
func (r *reader) visit(n *yaml.Node) (*yaml.Node, bool) {
	r.visits++
	if r.visits == maxVisits {
		r.fail(n, "profile: more than %d values when its aliases are followed: write fewer", maxVisits)
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n, r.visits < maxVisits
}

// within reads a part of the document under a step of the path.
func (r *reader) within(step string, n *yaml.Node, read func()) {
	outer := r.path
	r.path = strings.TrimPrefix(r.path+step, ".")
	r.where[r.path] = position{n.Line, n.Column}
	read()
	r.path = outer
}

// what names the value being read in an error.
func (r *reader) what() string {
	if r.path == "" {
		return "profile"
	}
	return r.path
}

// document parses the text into its one YAML document.
func (r *reader) document(text []byte) *yaml.Node {
	start := position{1, 1}
	if len(text) > maxText {
		r.failAt(start, "profile: %d bytes is more than the limit of %d: split it", len(text), maxText)
		return nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil {
		r.failAt(syntaxError(err))
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		r.fail(&second, "profile: a second document begins here: keep one profile in a file")
		return nil
	}
	if len(first.Content) != 1 {
		r.failAt(start, "profile: it is empty: begin with schema, name and workloads")
		return nil
	}
	return first.Content[0]
}

// syntaxError takes the line out of the YAML package's message, which knows no
// column.
func syntaxError(err error) (position, string, any) {
	at, text := position{1, 1}, strings.TrimPrefix(err.Error(), "yaml: ")
	if n, scanErr := fmt.Sscanf(text, "line %d:", &at.line); n == 1 && scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
		if countsFromZero(text) {
			at.line++
		}
	}
	if err == io.EOF {
		return at, "profile: %s: begin with schema, name and workloads", "it is empty"
	}
	return at, "yaml: %s: mend it there or just before (indent with spaces, close brackets, quote text with : or #)", text
}

// countsFromZero says whether a message of yaml.v3 is one of those that count
// lines from 0; the others count from 1. testdata/errors has one of each.
func countsFromZero(text string) bool {
	if text == "mapping values are not allowed in this context" {
		return true
	}
	for _, of := range []string{"<document start>", "key", "node content", "'-' indicator", "',' or ']'", "',' or '}'"} {
		if text == "did not find expected "+of {
			return true
		}
	}
	return false
}
