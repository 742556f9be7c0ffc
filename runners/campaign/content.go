package campaign

import (
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/workloads"
	"github.com/iosweep/iosweep/workloads/content"
)

// byJob gives each job of a queue the content that it asks for.
type byJob []runners.Data

// Fill implements runners.Data.
func (b byJob) Fill(op workloads.Op, buf []byte) { b[op.Job].Fill(op, buf) }

// Check implements runners.Data.
func (b byJob) Check(op workloads.Op, buf []byte) error { return b[op.Job].Check(op, buf) }

// fillWith notes the content of the job that was added last. While no job of
// the queue asks for any, the engine's constant pattern does, which costs
// nothing.
func (l *lane) fillWith(d workloads.Data, seed uint64) {
	l.content = append(l.content, content.NewPattern(d, seed))
	switch {
	case l.stamps != nil:
		l.options.Data = l.stamps
	case d.CompressRatio > 1 || d.DedupRatio > 1 || l.options.Data != nil:
		l.options.Data = l.content
	}
}
