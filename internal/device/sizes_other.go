//go:build !linux

package device

import "fmt"

// Sizes traces the sizes of requests as a driver gets them; Linux only.
type Sizes struct{}

// StartSizes always wraps ErrUnsupported here.
func StartSizes(i Info) (*Sizes, error) {
	return nil, fmt.Errorf("trace request sizes of %s: %w: only Linux's block layer is traced", i.Path, ErrUnsupported)
}

// Begin is never reached, as StartSizes gives nothing to begin.
func (*Sizes) Begin() error { return ErrUnsupported }

// End is never reached.
func (*Sizes) End() error { return ErrUnsupported }

// Counts is never reached.
func (*Sizes) Counts() (SizeCounts, error) { return SizeCounts{}, ErrUnsupported }

// Close does nothing.
func (*Sizes) Close() error { return nil }
