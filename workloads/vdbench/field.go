package vdbench

import (
	"fmt"
	"strings"

	"github.com/iosweep/iosweep/workloads"
)

// setField puts a parameter into a spec.
func setField(s *workloads.Spec, p param) error {
	switch p.key {
	case "xfersize":
		return setSizes(s, p.values)
	case "seekpct":
		return setSeek(s, p.values)
	case "stride":
		return setStride(s, p.values)
	case "range":
		return setRange(s, p.values)
	case "hotband":
		return setBand(s, p.values)
	case "rdpct", "rhpct", "whpct":
		return setPercent(s, p)
	case "compratio", "dedupratio":
		return setRatio(s, p)
	}
	return setCount(s, p)
}

// setCount reads the parameters that are one whole number.
func setCount(s *workloads.Spec, p param) error {
	v, err := whole(p.first())
	if err != nil {
		return err
	}
	switch p.key {
	case "threads":
		if v < 1 || v > 1<<16 {
			return fmt.Errorf("%d threads: give 1 to 65536", v)
		}
		s.Depth = int(v)
	case "streams":
		s.Streams = int(min(v, 1<<20))
	case "size":
		s.Region.Length = v
	case "offset":
		return setOffset(&s.Region, v)
	case "align":
		s.AlignBytes = v
	case "hitarea":
		s.Hit.AreaBytes = v
	case "dedupunit":
		s.Data.DedupUnit = v
	}
	return nil
}

// setOffset moves the region, of which the SD's size is already known.
func setOffset(r *workloads.Region, offset int64) error {
	r.Offset = offset
	if r.Length == 0 {
		return nil
	}
	if r.Length -= offset; r.Length <= 0 {
		return fmt.Errorf("%d bytes: lies beyond the size", offset)
	}
	return nil
}

func setPercent(s *workloads.Spec, p param) error {
	v, err := percent(p.first())
	if err != nil {
		return err
	}
	switch p.key {
	case "rdpct":
		s.Mix = workloads.Mix{Read: v, Write: 100 - v}
	case "rhpct":
		s.Hit.Read = v / 100
	case "whpct":
		s.Hit.Write = v / 100
	}
	return nil
}

func setRatio(s *workloads.Spec, p param) error {
	v, err := number(p.first())
	if p.key == "compratio" {
		s.Data.CompressRatio = v
	} else {
		s.Data.DedupRatio = v
	}
	return err
}

// setSizes reads one size, pairs of size and percentage, or (min,max,align).
func setSizes(s *workloads.Spec, values []string) error {
	if len(values) == 3 {
		r, err := sizes(values)
		if err == nil {
			s.Uniform = workloads.SizeRange{Min: r[0], Max: r[1], Align: r[2]}
		}
		return err
	}
	if len(values) == 1 {
		values = append(values, "100")
	}
	if len(values)%2 != 0 {
		return fmt.Errorf("%d values: give (size,percent,...) or (min,max,align)", len(values))
	}
	sum := 0.0
	for i := 0; i < len(values); i += 2 {
		size, err := whole(values[i])
		if err != nil {
			return err
		}
		share, err := percent(values[i+1])
		if err != nil {
			return err
		}
		sum += share
		s.Sizes = append(s.Sizes, workloads.SizeShare{Bytes: size, Share: share})
	}
	if sum < 99.99 || sum > 100.01 {
		return fmt.Errorf("percentages add up to %v, not to 100", sum)
	}
	return nil
}

func sizes(values []string) ([]int64, error) {
	list := make([]int64, len(values))
	for i, text := range values {
		v, err := whole(text)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func setSeek(s *workloads.Spec, values []string) error {
	s.Access = workloads.Access{}
	word := strings.ToLower(values[0])
	switch {
	case word == "poisson":
		return setPoisson(s, values)
	case len(values) > 1:
		return fmt.Errorf("%d values where one is wanted", len(values))
	case word == "eof" || word == "-1":
		s.Access.StopAtEnd = true
	case word == "seqnz":
		s.Access.RandomStart = true
	case len(word) > 1 && strings.HasPrefix("sequential", word):
	case len(word) > 1 && strings.HasPrefix("random", word):
		s.Access.Random = 1
	default:
		v, err := percent(word)
		s.Access.Random = v / 100
		return err
	}
	return nil
}

// setPoisson takes the midpoint as a percentage of the region, 50 unless given.
func setPoisson(s *workloads.Spec, values []string) error {
	s.Access.PoissonMid = 0.5
	if len(values) == 1 {
		return nil
	}
	v, err := percent(values[1])
	if err == nil && v == 0 {
		err = fmt.Errorf("a Poisson midpoint of 0: give a percentage above it")
	}
	s.Access.PoissonMid = v / 100
	return err
}

func setStride(s *workloads.Spec, values []string) error {
	if len(values) == 1 {
		values = append(values, values[0])
	}
	r, err := sizes(values)
	if err != nil || len(r) != 2 {
		return fmt.Errorf("give (min,max) in bytes")
	}
	s.Stride = workloads.SizeRange{Min: r[0], Max: r[1]}
	return nil
}

// pair reads (low,high).
func pair(values []string) (low, high float64, err error) {
	if len(values) != 2 {
		return 0, 0, fmt.Errorf("%d values: give (low,high)", len(values))
	}
	if low, err = number(values[0]); err == nil {
		high, err = number(values[1])
	}
	if err == nil && (low < 0 || high <= low) {
		err = fmt.Errorf("%s to %s: the end must be above the start", values[0], values[1])
	}
	return low, high, err
}

// rangeAlign is to what a percentage of an SD of a given size is rounded.
const rangeAlign = 1 << 20

// setRange reads percentages of the SD up to 200, or bytes above that.
func setRange(s *workloads.Spec, values []string) error {
	low, high, err := pair(values)
	size, offset := s.Region.Length, s.Region.Offset
	switch {
	case err != nil:
		return err
	case high > 200:
		s.Region = workloads.Region{Offset: offset + int64(low), Length: int64(high - low)}
	case high > 100:
		return fmt.Errorf("%v %% of the SD: a range that wraps around its end is not supported", high)
	case low == 0 && high == 100:
	case size > 0:
		from := int64(float64(size)*low/100) / rangeAlign * rangeAlign
		to := int64(float64(size)*high/100) / rangeAlign * rangeAlign
		s.Region = workloads.Region{Offset: offset + from, Length: to - from}
		if to == from {
			return fmt.Errorf("%v to %v %% of an SD of %d bytes is less than 1 MiB", low, high, size)
		}
	case offset > 0:
		return fmt.Errorf("a range in percent beside an offset needs the SD's size")
	default:
		s.Region = workloads.Region{From: low / 100, To: high / 100}
	}
	return nil
}

func setBand(s *workloads.Spec, values []string) error {
	low, high, err := pair(values)
	if err == nil && high > 100 {
		err = fmt.Errorf("%v %%: a hot band ends at 100 %%", high)
	}
	s.HotBand = workloads.Band{Low: low / 100, High: high / 100}
	return err
}

func setArrivals(s *workloads.Spec, word string) error {
	for kind, name := range []string{"exponential", "uniform", "deterministic"} {
		if strings.HasPrefix(name, strings.ToLower(word)) {
			s.Arrivals = workloads.Arrivals(kind)
			return nil
		}
	}
	return fmt.Errorf("%q: give exponential, uniform or deterministic", word)
}
