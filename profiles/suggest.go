package profiles

import (
	"fmt"
	"strings"
)

// suggest says which known word was probably meant, or lists them all.
func suggest(word string, known []string) string {
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "there are none"
	}
	return "use one of " + strings.Join(known, ", ")
}

// nearest returns the known word closest to word, if one is close.
func nearest(word string, known []string) string {
	best, near := 1+len(word)/3, ""
	for _, k := range known {
		if len(word) > 2*len(k)+2 {
			continue
		}
		if d := distance(strings.ToLower(word), k); d <= best && (near == "" || d < best) {
			best, near = d, k
		}
	}
	return near
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
