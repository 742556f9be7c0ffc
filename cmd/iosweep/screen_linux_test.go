package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// console is a pseudo terminal and what was written on it.
type console struct {
	t      *testing.T
	master *os.File
	mu     sync.Mutex
	text   bytes.Buffer
	ended  chan struct{}
}

// onTerminal starts a command on a terminal of its own, which it reads.
func onTerminal(t *testing.T, cmd *exec.Cmd, environment ...string) *console {
	t.Helper()
	cmd.Stdout, cmd.Stderr = nil, nil
	for _, e := range cmd.Env {
		if name, _, _ := strings.Cut(e, "="); name != "CI" && name != "NO_COLOR" && name != "TERM" {
			environment = append(environment, e)
		}
	}
	cmd.Env = environment
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 90, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	s := &console{t: t, master: master, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		io.Copy(s, master) //nolint:errcheck // reading ends with an error when the command has ended
	}()
	t.Cleanup(func() { master.Close() })
	return s
}

// Write keeps what the command writes.
func (s *console) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *console) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until something was written after the first from bytes, and
// returns how much was by then.
func (s *console) await(from int, what string) int {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text := s.String(); strings.Contains(text[from:], what) {
			return len(text)
		}
	}
	s.t.Fatalf("%q was not written within 30 s, but\n%q", what, s.String()[from:])
	return 0
}

const (
	takesScreen = "\x1b[?1049h"
	givesScreen = "\x1b[?1049l"
	showsCursor = "\x1b[?25h"
)

// TestScreenGivesTheTerminalBack presses Ctrl-C in the middle of a trial: the
// screen is given back, what happened is said on plain lines, and the settings
// are as they were.
func TestScreenGivesTheTerminalBack(t *testing.T) {
	r := newRig(t)
	r.profile = profileFile(t, strings.ReplaceAll(longProfile, "duration: 300ms", "duration: 2s"))
	cmd, _ := r.begin()
	s := onTerminal(t, cmd, "TERM=xterm-256color")
	at := s.await(0, takesScreen)
	at = s.await(at-1, "p50")
	if err := pty.Setsize(s.master, &pty.Winsize{Cols: 60, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	s.await(at, strings.Repeat("─", 20))
	s.master.WriteString("\x03")
	cmd.Wait()
	<-s.ended
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want that of SIGINT", code)
	}
	_, after, given := strings.Cut(s.String(), givesScreen)
	if !given || !strings.Contains(s.String(), showsCursor) {
		t.Fatalf("the terminal is not given back:\n%q", s)
	}
	for _, want := range []string{"interrupted", "go on with: iosweep run --resume"} {
		if !strings.Contains(after, want) {
			t.Errorf("after the screen nothing says %q:\n%q", want, after)
		}
	}
	if strings.Contains(after, takesScreen) {
		t.Error("the screen is taken again")
	}
	if wrong := r.settled(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// TestScreenIsNotTaken writes lines where a screen is not wanted, and no colours
// where those are not.
func TestScreenIsNotTaken(t *testing.T) {
	for _, c := range []struct {
		name, environment, flag string
		taken                   bool
	}{
		{"dumb", "TERM=dumb", "--seed=1", false},
		{"CI", "CI=1", "--seed=1", false},
		{"plain", "TERM=xterm", "--plain", false},
		{"no colour", "NO_COLOR=1", "--seed=1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.profile = profileFile(t, strings.ReplaceAll(fastProfile, "duration: 30ms", "duration: 600ms"))
			cmd, _ := r.begin(c.flag)
			s := onTerminal(t, cmd, "TERM=xterm", c.environment)
			if c.taken {
				s.await(0, takesScreen)
			} else {
				s.await(0, "valid\r\n")
			}
			s.master.WriteString("\x03")
			cmd.Wait()
			<-s.ended
			text := s.String()
			if got := strings.Contains(text, takesScreen); got != c.taken {
				t.Errorf("the screen is taken: %v, want %v\n%q", got, c.taken, text)
			}
			for _, colour := range []string{"\x1b[3", "\x1b[9"} {
				if i := strings.Index(text, colour); i >= 0 && strings.HasPrefix(text[i+3:], "m") {
					t.Errorf("a colour is set: %q", text[i:])
				}
			}
		})
	}
}
