package device

import (
	"fmt"

	"github.com/iosweep/iosweep/results"
)

func systemCounters(i Info) (results.Counters, error) {
	f, err := openDrive(i.Path, 0)
	if err != nil {
		return results.Counters{}, fmt.Errorf("read counters of %s: %w", i.Path, err)
	}
	defer f.Close()
	raw, err := control(f, ioctlPerformance, nil, performanceBytes)
	if err != nil {
		return results.Counters{}, fmt.Errorf("read counters of %s: %w: Windows counts nothing for it (%w); try diskperf -y", i.Path, ErrUnsupported, err)
	}
	return parsePerformance(raw)
}

func deleteLimits(Info) (uncounted string, wraps int64) { return "Windows counts no deletes", 0 }
