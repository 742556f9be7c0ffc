// Package health reads a disk's own error and temperature counters through
// smartctl (smartmontools) or nvme (nvme-cli), where they are installed.
//
// The programs run with LC_ALL=C and print JSON; no figure is taken from text
// that a locale could change.
package health

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// ErrUnsupported means that no program here can read the device's counters.
var ErrUnsupported = errors.New("unsupported")

// timeout bounds one reading: a disk that does not answer must not hold a run.
const timeout = 20 * time.Second

// maxOutput is the most that a program may print, in bytes.
const maxOutput = 4 << 20

// Reader reads one device.
type Reader struct {
	device, program string
	args            []string
	parse           func(output []byte, exit int) (map[string]int64, error)
}

// NewReader finds a program for a device path such as /dev/nvme0n1. The error
// wraps ErrUnsupported when neither smartctl nor nvme is installed.
func NewReader(device string) (*Reader, error) {
	if path, err := exec.LookPath("smartctl"); err == nil {
		return &Reader{device, path, []string{"--json", "-H", "-A", "-l", "error", device}, parseSmartctl}, nil
	}
	if path, err := exec.LookPath("nvme"); err == nil {
		return &Reader{device, path, []string{"smart-log", device, "--output-format=json"}, parseNVMe}, nil
	}
	return nil, fmt.Errorf("read the health of %s: %w here: install smartmontools or nvme-cli", device, ErrUnsupported)
}

// Read returns the counters by name: each rises only with a fault or with heat.
// The error says what the program's exit status means.
func (r *Reader) Read(ctx context.Context) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.program, r.args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("read the health of %s: %w", r.device, err)
	}
	if len(out) > maxOutput {
		return nil, fmt.Errorf("read the health of %s: %s printed more than %d bytes", r.device, r.program, maxOutput)
	}
	counters, err := r.parse(out, cmd.ProcessState.ExitCode())
	if err != nil {
		return nil, fmt.Errorf("read the health of %s: %s: %w", r.device, r.program, err)
	}
	return counters, nil
}
