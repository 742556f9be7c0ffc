package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/iosweep/iosweep/runners"
	"github.com/spf13/cobra"
)

// execute runs the command line and returns the exit code. Results go to
// stdout, progress and errors to stderr.
func execute(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		// What was deferred on the way has put settings back by now.
		if p := recover(); p != nil {
			fmt.Fprintf(plain{stderr}, "iosweep failed (please report this): %v\n%s", p, debug.Stack())
			code = exitFailed
		}
	}()
	ctx, stop := signalContext(stderr)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	out := &outlet{w: stdout}
	root.SetOut(plain{out})
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && strings.HasPrefix(err.Error(), "unknown command") {
		err = withCode(exitUsage, fmt.Errorf("%w: see 'iosweep --help'", err))
	}
	if out.gone && errors.Is(err, syscall.EPIPE) && exitCode(err) == exitFailed {
		return exitSignal + int(syscall.SIGPIPE)
	}
	if err != nil {
		fmt.Fprintf(plain{stderr}, "iosweep: %s\n", said(ctx, err))
	}
	if code := signalCode(ctx); code != 0 && exitCode(err) != exitNotRestored {
		return code
	}
	return exitCode(err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "iosweep",
		Short: "Find out which value of an I/O tunable is best on this hardware, and how sure that is",
		Long: `iosweep applies each value of an I/O tunable to a real device, drives
workloads on it, puts everything back, and reports throughput against latency.

  iosweep run quick            the whole job on a scratch device of its own
  iosweep devices              what could be measured here
  iosweep plan segments        what a profile would do, without doing it

Exit codes: 0 ok; 1 failed; 2 usage or profile; 3 gate failed (compare, with
--fail-on); 4 inconclusive (compare, recommend, and run until decided); 5 run
invalid; 6 unsupported; 7 target refused; 8 could not restore; 75 transient; 130
after Ctrl-C; 141 when the reader of the output went away, as after '| head'.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return withCode(exitUsage, fmt.Errorf("%w: see '%s --help'", err, cmd.CommandPath()))
	})
	root.AddCommand(newRun(), newPlan(), newValidate(), newSchema(), newProfiles(), newDevices(), newTunables(), newRestore(), newSelftest(), newVerifyData(), newConvert(), newReport(), newCompare(), newRecommend(), newCurves(), newEffects(), newExport(), newVerify(), newPublish(), newMan())
	for _, c := range root.Commands() {
		c.Args = usageArgs(c.Args)
	}
	completeShells(root)
	root.AddCommand(newWatchdog())
	return root
}

// outlet is the standard output, and knows when its reader went away.
type outlet struct {
	w    io.Writer
	gone bool
}

// Write writes p.
func (o *outlet) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.gone = o.gone || errors.Is(err, syscall.EPIPE)
	return n, err
}

// said is an error in words. After a signal, that what was under way was
// cancelled goes without saying, and only what else went wrong is added.
func said(ctx context.Context, err error) string {
	if signalCode(ctx) == 0 {
		return err.Error()
	}
	var rest []string
	for _, e := range parts(err) {
		cancelled := errors.Is(e, context.Canceled) || errors.As(e, new(signalled))
		if !cancelled || exitCode(e) == exitNotRestored || errors.Is(e, runners.ErrStuck) {
			rest = append(rest, e.Error())
		}
	}
	if len(rest) == 0 {
		rest = []string{"stopped before the end"}
	}
	return context.Cause(ctx).Error() + ": " + strings.Join(rest, "\n")
}

// parts are the errors that were joined; one that wraps several in a text of
// its own is one.
func parts(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		all = append(all, parts(e)...)
	}
	return all
}

// usageArgs gives a wrong number of arguments the exit code of usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return withCode(exitUsage, fmt.Errorf("%w: see '%s --help'", err, cmd.CommandPath()))
		}
		return nil
	}
}
