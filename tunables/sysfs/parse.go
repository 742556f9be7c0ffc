package sysfs

import "strings"

// ParseChoice reads the text of a knob that shows its possible values with the
// current one in brackets, such as "none [mq-deadline] kyber". A single word
// without brackets is a choice of one. Anything else is not a choice.
func ParseChoice(text string) (current string, possible []string, ok bool) {
	words := strings.Fields(text)
	marked := 0
	for _, w := range words {
		inner, found := strings.CutPrefix(w, "[")
		if found && strings.HasSuffix(inner, "]") {
			marked++
			w = strings.TrimSuffix(inner, "]")
			current = w
		}
		if w == "" || strings.ContainsAny(w, "[]") {
			return "", nil, false
		}
		possible = append(possible, w)
	}
	if marked == 0 && len(words) == 1 {
		return words[0], possible, true
	}
	if marked != 1 {
		return "", nil, false
	}
	return current, possible, true
}
