package main

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// actAsIosweep makes the test binary the command itself, so that tests can
// signal and kill it.
const actAsIosweep = "IOSWEEP_TEST_COMMAND"

// panicAfter makes a goroutine of it panic after so long.
const panicAfter = "IOSWEEP_TEST_PANIC"

// heed catches signals that whoever started the tests ignores (nohup, a shell's
// background job): the commands that the tests start would inherit that.
func heed(signals ...os.Signal) {
	for _, s := range signals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(actAsIosweep) != "" {
		if after, err := time.ParseDuration(os.Getenv(panicAfter)); err == nil && !slices.Contains(os.Args, watchdogVerb) {
			time.AfterFunc(after, func() { panic("asked for by a test") })
		}
		main()
	}
	heed(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	testscript.Main(m, map[string]func(){"iosweep": main})
}

// TestScripts runs the command as its users do; see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("TMPDIR", e.WorkDir)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0 && runtime.GOOS == "linux", nil
			case "sha256sum":
				_, err := exec.LookPath("sha256sum")
				return err == nil, nil
			}
			return false, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
		},
	})
}

// exits runs a command and checks its exit code: exits CODE COMMAND ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	if want := args[0]; want != strconv.Itoa(code) {
		ts.Fatalf("%v exited with %d, want %s", args[1:], code, want)
	}
}
