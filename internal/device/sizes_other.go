//go:build !linux

package device

import "fmt"

// Sizes traces the sizes of requests as a driver gets them; Linux only.
type Sizes struct{}

// StartSizes always wraps ErrUnsupported here.
func StartSizes(i Info) (*Sizes, error) {
	return nil, fmt.Errorf("trace request sizes of %s: %w: only Linux's block layer is traced", i.Path, ErrUnsupported)
}

// Stop is never reached, as StartSizes gives nothing to stop.
func (*Sizes) Stop() (SizeCounts, error) { return SizeCounts{}, ErrUnsupported }

// Close does nothing.
func (*Sizes) Close() error { return nil }
