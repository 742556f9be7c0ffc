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

// InForce is Text, with the value that was read back beside it where that is
// another one: "4096000 (in force: 1280)". observed is empty where nothing was
// read back.
func (s Setting) InForce(observed string) string {
	if observed == "" || observed == s.Value {
		return s.Text()
	}
	return s.Text() + " (in force: " + observed + ")"
}
