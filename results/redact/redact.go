// Package redact takes out of a run what tells whose it is: serial numbers and
// other ids of the device, the host's name, and paths of users' files. What was
// measured stays as it was.
package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Gone stands where something was taken out.
const Gone = "[redacted]"

// minSecret is the shortest id, in bytes, that is looked for inside other texts,
// minHost the shortest host's name, of which whole words are: shorter ones would
// be found in what is no secret.
const minSecret, minHost = 4, 3

// Run returns a copy of a run and its trials without the secrets. The copy has
// no folder yet: it is written with results.Create.
func Run(data *results.RunData) (*results.RunData, error) {
	r := newRedactor(data.Run)
	out := &results.RunData{Run: &results.Run{}, Complete: data.Complete, Trials: make([]results.Trial, len(data.Trials))}
	if err := r.rewrite(data.Run, out.Run); err != nil {
		return nil, fmt.Errorf("redact run %s: %w", data.Run.ID, err)
	}
	for i := range data.Trials {
		if err := r.rewrite(&data.Trials[i], &out.Trials[i]); err != nil {
			return nil, fmt.Errorf("redact trial %d of run %s: %w", data.Trials[i].Index, data.Run.ID, err)
		}
	}
	out.Run.Device.Serial = gone(data.Run.Device.Serial)
	out.Run.Environment.Hostname = gone(data.Run.Environment.Hostname)
	if !data.Run.Simulated {
		out.Run.Device.ID = gone(data.Run.Device.ID)
	}
	hidePaths(out.Run.Args)
	for i, b := range data.Run.NamedTargets {
		out.Run.NamedTargets[i].Device.Serial = gone(b.Device.Serial)
		if !data.Run.Simulated {
			out.Run.NamedTargets[i].Device.ID = gone(b.Device.ID)
		}
	}
	for _, p := range data.Problems {
		out.Problems = append(out.Problems, r.text(p))
	}
	return out, nil
}

// hidePaths takes the absolute paths out of a command line, wherever they lie, but
// for names of devices: "--state-dir /tmp/x" and "--out=/data/y" tell how
// somebody's machine is laid out.
func hidePaths(args []string) {
	for i, arg := range args {
		for at := 0; ; {
			if value := arg[at:]; absolute(value) {
				if !device(value) {
					args[i] = arg[:at] + Gone
				}
				break
			}
			next := strings.IndexByte(arg[at:], '=')
			if next < 0 {
				break
			}
			at += next + 1
		}
	}
}

// device says that a path names a device and not a file.
func device(path string) bool {
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, `\\.\`)
}

// absolute says that a text is a whole path on Unix or Windows, whichever this
// system is.
func absolute(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\\`) || strings.HasPrefix(s, "~") ||
		len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}

// gone is Gone, or nothing where there was nothing.
func gone(s string) string {
	if s == "" {
		return ""
	}
	return Gone
}

// redactor knows the secrets of one run.
type redactor struct {
	secrets []string
	words   *regexp.Regexp // the host's name, as a word
	paths   *regexp.Regexp
}

func newRedactor(run *results.Run) *redactor {
	r := &redactor{paths: userPaths()}
	ids := idsOf(run.Device, run.Simulated)
	for _, b := range run.NamedTargets {
		ids = append(ids, idsOf(b.Device, run.Simulated)...)
	}
	for _, s := range ids {
		if len(s) >= minSecret {
			r.secrets = append(r.secrets, s)
		}
	}
	// The longest first: one may be a part of another.
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	if host := run.Environment.Hostname; len(host) >= minHost {
		short, _, _ := strings.Cut(host, ".")
		pattern := regexp.QuoteMeta(host)
		if len(short) >= minHost {
			pattern += "|" + regexp.QuoteMeta(short)
		}
		r.words = regexp.MustCompile(`\b(?:` + pattern + `)\b`)
	}
	return r
}

// idsOf are the texts that tell which device it is; a model's name is none.
func idsOf(d results.Device, simulated bool) []string {
	ids := []string{d.Serial}
	if !simulated {
		ids = append(ids, d.ID)
	}
	for knob, value := range d.Settings {
		if names(knob) {
			ids = append(ids, strings.TrimSpace(value))
		}
	}
	return ids
}

// names says that a knob of a queue or device tells which one it is.
func names(knob string) bool {
	for _, part := range []string{"serial", "wwid", "wwn", "uuid", "nguid", "eui"} {
		if strings.Contains(strings.ToLower(knob), part) {
			return true
		}
	}
	return false
}

// userPaths finds paths below the folders in which people keep their files.
func userPaths() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:/(?:home|root|users|usr/home|var/home|export/home|mnt|media|run/media|srv)(?:/[^\s"'` + "`" + `<>|,;:()]*)?\b/?|[a-z]:\\users\\[^\s"'<>|,;()]*)`)
}

// text is a text without the secrets.
func (r *redactor) text(s string) string {
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, Gone)
	}
	s = r.paths.ReplaceAllString(s, Gone)
	if r.words != nil {
		s = r.words.ReplaceAllString(s, Gone)
	}
	return s
}

// rewrite copies from into to, as JSON, without the secrets.
func (r *redactor) rewrite(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // no digit of a number may change
	if err := d.Decode(&tree); err != nil {
		return err
	}
	if text, err = json.Marshal(r.walk("", tree)); err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// walk redacts every text of a tree but those that are words of iosweep's own
// or refer to a name elsewhere.
func (r *redactor) walk(key string, tree any) any {
	switch v := tree.(type) {
	case string:
		if fixed(key) {
			return v
		}
		return r.text(v)
	case []any:
		for i := range v {
			v[i] = r.walk(key, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = r.walk(k, v[k])
			if s, ok := v[k].(string); ok && key == "settings" && names(k) {
				v[k] = gone(s)
			}
		}
	}
	return tree
}

// fixed says that the texts of a field are never anybody's.
func fixed(key string) bool {
	return slices.Contains([]string{
		"id", "started", "kind", "status", "code", "variant", "workload", "tunable", "via", "engine", "metric", "op", "varies", "os", "arch", "go",
		"service", "response", "lateness", "delete_service",
	}, key)
}
