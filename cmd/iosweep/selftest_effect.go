package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/runners"
	"github.com/iosweep/iosweep/runners/portable"
	"github.com/iosweep/iosweep/tunables"
	"github.com/iosweep/iosweep/workloads"
)

// effectPieces is how many requests one operation is to become.
const effectPieces = 4

// effectBytes bounds that operation.
const effectBytes = 1 << 30

// effectWait is how long it may take.
const effectWait = time.Minute

// effect looks for what a knob that bounds requests does to one operation which
// is some times as long as a request may be. It returns what was seen, nothing
// for other knobs and where the system does not count, and an error where the
// operation was cut into fewer pieces than the knob says.
func effect(ctx context.Context, claim *device.Claim, s tunables.Setting) (string, error) {
	op, ok := effectOp(claim.Info, s)
	if !ok {
		return "", nil
	}
	meter := device.NewMeter(claim.Info)
	if why, _ := meter.DeleteLimits(); op.Kind == workloads.Delete && why != "" {
		return why, nil
	}
	before, err := meter.Read()
	if err == nil {
		err = issueOne(ctx, claim, op)
	}
	if err != nil {
		return "", fmt.Errorf("see the effect of %s: %w", s.Tunable.Name, err)
	}
	after, err := meter.Read()
	if err != nil {
		return "", fmt.Errorf("see the effect of %s: %w", s.Tunable.Name, err)
	}
	span := device.Sub(after, before)
	n := span.Read.Requests
	if op.Kind == workloads.Delete {
		n = span.Delete.Requests
	}
	seen := fmt.Sprintf("one %v of %d bytes became %d requests", op.Kind, op.Len, n)
	if n < effectPieces {
		return seen, fmt.Errorf("set %s to %s: no effect: %s, and %d were to be seen", s.Tunable.Name, s.Value, seen, effectPieces)
	}
	return seen, nil
}

// effectOp is the operation for a knob that bounds reads or deletes.
func effectOp(i device.Info, s tunables.Setting) (workloads.Op, bool) {
	op := workloads.Op{Kind: workloads.Delete}
	value, err := s.Tunable.Int(s.Value)
	switch s.Tunable.Name {
	case "delete_max_sectors":
		op.Len = value * i.LogicalBlockBytes
	case "discard_max_bytes":
		op.Len = value
	case "max_sectors_kb":
		op.Kind, op.Len = workloads.Read, value<<10
	}
	op.Len *= effectPieces
	usable := err == nil && op.Len > 0 && op.Len <= min(i.SizeBytes, effectBytes)
	return op, usable && (op.Kind == workloads.Read || i.CanDelete())
}

func issueOne(ctx context.Context, claim *device.Claim, op workloads.Op) (err error) {
	i := claim.Info
	buffer := i.LogicalBlockBytes
	if op.Kind == workloads.Read {
		buffer = op.Len
	}
	q, err := portable.Engine{}.Open(ctx, runners.Target{
		File: claim.File, Name: i.Name, SizeBytes: i.SizeBytes, BlockBytes: i.LogicalBlockBytes,
		DeleteBytes: i.DeleteGranularityBytes, Device: !i.IsFile(), Writable: true,
	}, runners.Options{Depth: 1, MaxLen: buffer})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	if _, err := q.Submit([]workloads.Op{op}); err != nil {
		return err
	}
	done := make([]runners.Completion, 1)
	n, err := q.Reap(done, 1, effectWait)
	switch {
	case err != nil:
		return err
	case n == 0:
		return fmt.Errorf("a %v did not end within %v", op.Kind, effectWait)
	}
	return done[0].Err
}
