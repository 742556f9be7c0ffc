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
const timeout = 10 * time.Second

// lag is how long the program may take to end once it was killed. One that waits
// in the kernel for a disk that does not answer cannot be killed: it is left.
const lag = time.Second

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
	out, exit, err := r.run(ctx, timeout)
	if err != nil {
		return nil, fmt.Errorf("read the health of %s: %w", r.device, err)
	}
	if len(out) > maxOutput {
		return nil, fmt.Errorf("read the health of %s: %s printed more than %d bytes", r.device, r.program, maxOutput)
	}
	counters, err := r.parse(out, exit)
	if err != nil {
		return nil, fmt.Errorf("read the health of %s: %s: %w", r.device, r.program, err)
	}
	return counters, nil
}

// reading is what a program printed, and how it ended.
type reading struct {
	out  []byte
	exit int
	err  error
}

// run waits for the program no longer than a little beyond the limit, whatever
// has become of it.
func (r *Reader) run(ctx context.Context, limit time.Duration) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ended := make(chan reading, 1)
	go func() { ended <- r.output(ctx) }()
	select {
	case got := <-ended:
		return got.out, got.exit, got.err
	case <-time.After(limit + 2*lag):
		return nil, 0, fmt.Errorf("%s did not end within %v: the disk does not answer", r.program, limit)
	}
}

func (r *Reader) output(ctx context.Context) reading {
	cmd := exec.CommandContext(ctx, r.program, r.args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.WaitDelay = lag // for who else holds its output
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return reading{err: ctx.Err()}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return reading{err: err}
	}
	return reading{out, cmd.ProcessState.ExitCode(), nil}
}
