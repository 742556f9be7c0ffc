package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/iosweep/iosweep/internal/device"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/iosweep/iosweep/workloads/content"
	"github.com/spf13/cobra"
)

// verifyFlags are the options of iosweep verify-data.
type verifyFlags struct {
	target string
	json   bool
}

func newVerifyData() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify-data RUN --target DEVICE",
		Short: "Read back what a run stamped, after a crash or a power cut",
		Long: `Read every block that the newest trial of a run wrote, where its workload says
verify: stamp, and compare it with the trial's journal: that finds writes that
were lost, torn, stale, misplaced or corrupted. It changes nothing. Do it before
'iosweep run --resume', which writes over the blocks.

The exit code is 1 when anything is found.`,
		Example: "  iosweep verify-data results/mine-20260102T030405Z-a1b2 --target /dev/nvme1n1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&f.target, "target", "", "device or file that the run wrote to")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// verified is what was found, as --json prints it.
type verified struct {
	Run    string          `json:"run"`
	Target string          `json:"target"`
	Blocks int64           `json:"blocks"`
	Faults []results.Fault `json:"faults"`
}

func (f *verifyFlags) run(ctx context.Context, out io.Writer, dir string) error {
	if f.target == "" {
		return withCode(exitUsage, errors.New("name the device that the run wrote to with --target"))
	}
	set, err := results.Open(dir)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("verify data: %w", err))
	}
	journals, err := filepath.Glob(filepath.Join(journalsOf(dir), "*.journal"))
	if err != nil || len(journals) == 0 {
		return withCode(exitUsage, fmt.Errorf("verify data: the newest trial of %s did not stamp what it wrote: only trials of workloads with verify: stamp do", dir))
	}
	claim, err := device.Open(f.target, device.OpenOptions{Direct: true})
	if err != nil {
		return missing(err)
	}
	v := verified{Run: set.Runs[0].Run.ID, Target: claim.Info.Path, Faults: []results.Fault{}}
	if claim.Info.ID != set.Runs[0].Run.Device.ID {
		err = withCode(exitRefused, fmt.Errorf("verify data: %s wrote to %s, and %s is %s: name the same device", dir, set.Runs[0].Run.Device.ID, f.target, claim.Info.ID))
	}
	for _, name := range journals {
		if err == nil {
			err = v.add(ctx, name, claim)
		}
	}
	if err = errors.Join(err, claim.Close()); err != nil {
		return err
	}
	return v.print(out, f.json)
}

// add verifies what one journal speaks of.
func (v *verified) add(ctx context.Context, name string, claim *device.Claim) error {
	log, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("verify data: %w", err)
	}
	defer log.Close()
	ledger, err := content.ReadJournal(log, claim.Info.SizeBytes)
	if err != nil {
		return fmt.Errorf("verify data: %s: %w", name, err)
	}
	verdict, err := ledger.Verify(ctx, newAligned(claim.File), func(f *content.Fault) { v.Faults = campaign.CountFault(v.Faults, f) })
	v.Blocks += verdict.Blocks
	return err
}

func (v *verified) print(out io.Writer, asJSON bool) error {
	if asJSON {
		if err := writeJSON(out, v); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%s: %d blocks were written and read back\n", v.Target, v.Blocks)
		for _, f := range v.Faults {
			fmt.Fprintf(out, "%-9s  %d blocks, the first at byte %d\n", f.Kind, f.Count, f.First)
		}
	}
	if len(v.Faults) > 0 {
		return withCode(exitFailed, errors.New("the target does not hold what was written to it"))
	}
	if !asJSON {
		fmt.Fprintln(out, "all hold what was written")
	}
	return nil
}

// aligned reads a file that was opened for direct I/O into any buffer.
type aligned struct {
	file *os.File
	buf  []byte
}

// alignedBytes is how much is read at once, and pageAlign what direct I/O asks of
// a buffer at most.
const alignedBytes, pageAlign = 1 << 20, 4096

func newAligned(f *os.File) *aligned {
	raw := make([]byte, alignedBytes+pageAlign)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (pageAlign - 1)
	return &aligned{f, raw[skip:][:alignedBytes]}
}

// ReadAt implements io.ReaderAt.
func (a *aligned) ReadAt(p []byte, off int64) (n int, err error) {
	for part := range slices.Chunk(p, len(a.buf)) {
		got, err := a.file.ReadAt(a.buf[:len(part)], off)
		n += copy(part, a.buf[:got])
		if err != nil {
			return n, err
		}
		off += int64(got)
	}
	return n, nil
}
