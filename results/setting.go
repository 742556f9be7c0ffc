package results

import "strconv"

// Unlimited says that the value stands for no limit at all, and so belongs above
// the largest.
func (s Setting) Unlimited() bool {
	n, err := strconv.ParseInt(s.Value, 0, 64)
	switch {
	case err != nil:
		return false
	case s.Tunable == "delete_max_sectors":
		return n == 0
	case s.Tunable == "bioq_batchsize":
		return n <= 0
	}
	return false
}

// Text is the value as people know it.
func (s Setting) Text() string {
	switch {
	case s.Unlimited():
		return s.Value + " (no limit)"
	case s.Label != "":
		return s.Label
	}
	return s.Value
}
