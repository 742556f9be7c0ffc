package workloads

import (
	"fmt"
	"strconv"
	"strings"
)

// Summary describes the job in one line for people: "random 4 KiB reads,
// depth 32".
func (s Spec) Summary() string {
	if s.Whole {
		return "deletes of the whole region, " + s.paceText()
	}
	return s.orderText() + " " + s.sizeText() + s.kindText() + ", " + s.paceText()
}

func (s Spec) orderText() string {
	switch a := s.Access; {
	case a.PoissonMid > 0:
		return "Poisson-distributed"
	case s.HotBand.High > 0 && a.Random >= 1:
		return "hot-band random"
	case a.Random >= 1:
		return "random"
	case a.Random > 0:
		return percent(a.Random) + " random"
	case s.Stride.Max > 0:
		return "strided"
	}
	return "sequential"
}

func (s Spec) sizeText() string {
	least, greatest := s.extremes()
	if least == greatest {
		return bytesText(least)
	}
	return bytesText(least) + " to " + bytesText(greatest)
}

func (s Spec) kindText() string {
	m := s.Mix
	sum := m.Read + m.Write + m.Delete
	if sum == 0 {
		return " reads"
	}
	names, weights := []string{"reads", "writes", "deletes"}, []float64{m.Read, m.Write, m.Delete}
	var words []string
	for i, w := range weights {
		switch {
		case w == sum:
			return " " + names[i]
		case w > 0:
			words = append(words, percent(w/sum)+" "+names[i])
		}
	}
	return ", " + strings.Join(words, " / ")
}

func (s Spec) paceText() string {
	text := "depth " + strconv.Itoa(max(s.Depth, 1))
	if s.Rate > 0 {
		text = strconv.FormatFloat(s.Rate, 'g', 6, 64) + "/s"
	}
	if s.Burst.Ops > 0 {
		text += fmt.Sprintf(", bursts of %d", s.Burst.Ops)
	}
	if s.Think > 0 {
		text += ", think " + s.Think.String()
	}
	return text
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 4, 64) + " %" }

// bytesText writes a size exactly, in the largest binary unit that divides it.
func bytesText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n > 0 && n%1024 == 0 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return strconv.FormatInt(n, 10) + " " + units[i]
}
