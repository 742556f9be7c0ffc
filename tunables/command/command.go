// Package command is the knob that has no file: one program reads it, another
// sets it. Programs are run directly, never by a shell, with a clean
// environment and a time limit.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	defaultLimit = 10 * time.Second
	// maxOutput bounds what is kept of a program's output, in bytes.
	maxOutput = 4096
)

// Spec is a knob's two programs.
type Spec struct {
	// Get and Set are a program's absolute path and its arguments. Get prints
	// the value; Set is given the value as its last argument.
	Get []string `json:"get"`
	Set []string `json:"set"`
}

// Parse reads a Spec from its JSON text.
func Parse(text string) (Spec, error) {
	var s Spec
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Spec{}, fmt.Errorf("read command: %w: write {\"get\":[...],\"set\":[...]}", err)
	}
	if d.InputOffset() != int64(len(text)) {
		return Spec{}, errors.New("read command: text after the closing brace")
	}
	for _, argv := range [][]string{s.Get, s.Set} {
		if err := checkArgv(argv); err != nil {
			return Spec{}, err
		}
	}
	return s, nil
}

func checkArgv(argv []string) error {
	if len(argv) == 0 {
		return errors.New("a command needs both get and set")
	}
	if !filepath.IsAbs(argv[0]) {
		return fmt.Errorf("program %q is not an absolute path: write it in full, it is not looked up", argv[0])
	}
	for _, arg := range argv {
		if strings.ContainsRune(arg, 0) {
			return errors.New("a command's argument holds a zero byte")
		}
	}
	return nil
}

// Runner runs commands. Its zero value refuses to: the operator must have
// allowed it, never a profile.
type Runner struct {
	Allowed bool
	// Limit is how long a program may take; 0 means 10 s.
	Limit time.Duration
}

// Read runs the knob's Get program and returns the line that it prints.
func (r Runner) Read(ctx context.Context, path string) (string, error) {
	s, err := r.spec(path)
	if err != nil {
		return "", err
	}
	out, err := r.run(ctx, s.Get)
	if err != nil {
		return "", err
	}
	value := strings.TrimSuffix(out, "\n")
	if strings.Contains(value, "\n") {
		return "", fmt.Errorf("run %s: it printed more than one line", s.Get[0])
	}
	return value, nil
}

// Write runs the knob's Set program with the value as its last argument.
func (r Runner) Write(ctx context.Context, path, value string) error {
	s, err := r.spec(path)
	if err != nil {
		return err
	}
	_, err = r.run(ctx, append(append([]string{}, s.Set...), value))
	return err
}

// Probe says whether the knob's programs may be run. It runs none.
func (r Runner) Probe(path string) error {
	s, err := r.spec(path)
	if err != nil {
		return err
	}
	for _, argv := range [][]string{s.Get, s.Set} {
		if _, err := os.Stat(argv[0]); err != nil {
			return err
		}
	}
	return nil
}

func (r Runner) spec(path string) (Spec, error) {
	if !r.Allowed {
		return Spec{}, fmt.Errorf("running commands is not allowed: give --allow-commands if you trust them: %w", fs.ErrPermission)
	}
	return Parse(path)
}

func (r Runner) run(ctx context.Context, argv []string) (string, error) {
	limit := r.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	cmd.Dir = string(filepath.Separator)
	cmd.WaitDelay = time.Second // a child that keeps the pipe open does not hold us
	var out, complaint bounded
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it took longer than %v: %w", limit, ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w %s", argv[0], err, bytes.TrimSpace(complaint.kept))
	}
	if out.lost {
		return "", fmt.Errorf("run %s: it printed more than %d bytes", argv[0], maxOutput)
	}
	return string(out.kept), nil
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	kept []byte
	lost bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), maxOutput-len(b.kept))
	b.kept = append(b.kept, p[:n]...)
	b.lost = b.lost || n < len(p)
	return len(p), nil
}
