package main

import (
	"bytes"
	"io"
)

// plain passes text on without control characters: names of devices, and texts
// of profiles and results, come from strangers and must not steer a terminal.
type plain struct{ w io.Writer }

// Write writes p with a ? for each control character but newline and tab.
func (o plain) Write(p []byte) (int, error) {
	clean := bytes.Map(plainRune, p)
	if _, err := o.w.Write(clean); err != nil {
		return 0, err
	}
	return len(p), nil
}

// plainRune also takes away the controls of eight bits and those that turn the
// direction of writing.
func plainRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return '?'
	}
	return r
}
