package device

import "github.com/iosweep/iosweep/results"

func systemCounters(i Info) (results.Counters, error) { return host().counters(i) }

func deleteLimits(i Info) (uncounted string, wraps int64) { return host().deleteLimits(i) }
