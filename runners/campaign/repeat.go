package campaign

import (
	"fmt"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/stats"
)

// sequence follows a campaign that measures until it knows enough. The zero
// sequence follows nothing.
type sequence struct {
	repeat *results.Repeat
	data   *results.RunData
	// judged is the block before which it looked last, expected how many blocks
	// there will be.
	judged, expected int
	decided          bool
}

func newSequence(c *Campaign) sequence {
	repeat := c.Plan.Profile.Measure.Repeat
	if repeat == nil {
		return sequence{}
	}
	s := sequence{repeat: repeat, data: &results.RunData{Run: c.Plan.Describe()}}
	s.expected = min(repeat.Max, max(repeat.Min, stats.SequentialBlocks(0, 1)))
	s.data.Trials = append(s.data.Trials, c.Done...)
	return s
}

// keep remembers a trial that was stored.
func (s *sequence) keep(t *results.Trial) {
	if s.repeat != nil {
		s.data.Trials = append(s.data.Trials, *t)
	}
}

// enough says before a trial whether its block need not be measured: every
// objective is decided, or the budget is spent. It looks once a block.
func (s *sequence) enough(t *profiles.Trial, spent time.Duration) (bool, error) {
	if s.repeat == nil || t.Block <= s.judged {
		return false, nil
	}
	s.judged = t.Block
	if b := s.repeat.BudgetSeconds; b > 0 && spent.Seconds() >= b {
		return true, nil
	}
	if t.Block < s.repeat.Min {
		return false, nil
	}
	err := s.judge()
	return s.decided, err
}

// judge looks at what was measured and says what is still to be expected.
func (s *sequence) judge() error {
	s.decided, s.expected = true, s.judged+1
	for _, o := range s.data.Run.Objectives {
		judged, err := stats.Judge(s.data, o, stats.Options{})
		if err != nil {
			return fmt.Errorf("decide whether to go on: %w", err)
		}
		for i := range judged {
			if !judged[i].Decided {
				s.decided = false
				s.expected = max(s.expected, judged[i].BlocksNeeded(s.repeat.Max))
			}
		}
	}
	return nil
}

// finish says how the sequence ended, in words, and whether it decided.
func (s *sequence) finish(o *Outcome) error {
	if s.repeat == nil {
		return nil
	}
	blocks := s.blocks()
	if err := s.judge(); err != nil {
		return err
	}
	o.Inconclusive = !s.decided
	switch {
	case s.decided:
		o.Stopped = fmt.Sprintf("decided after %d of at most %d blocks", blocks, s.repeat.Max)
	case blocks < s.repeat.Max:
		o.Stopped = fmt.Sprintf("the budget of %v was spent after %d of at most %d blocks, and not all is decided", time.Duration(s.repeat.BudgetSeconds*float64(time.Second)), blocks, s.repeat.Max)
	default:
		o.Stopped = fmt.Sprintf("not all is decided after %d blocks, the most that the profile allows", blocks)
	}
	return nil
}

func (s *sequence) blocks() (n int) {
	for i := range s.data.Trials {
		n = max(n, s.data.Trials[i].Block+1)
	}
	return n
}

// expects says whether a planned trial will presumably be measured.
func (s *sequence) expects(t *profiles.Trial) bool {
	return s.repeat == nil || t.Block < s.expected
}
