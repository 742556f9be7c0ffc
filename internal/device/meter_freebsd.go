package device

import "github.com/iosweep/iosweep/results"

func systemCounters(i Info) (results.Counters, error) { return host().counters(i) }
