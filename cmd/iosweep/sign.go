package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// signNamespace keeps signatures of runs from standing for anything else, and
// signatureFile is where ssh-keygen puts that of SHA256SUMS.
const (
	signNamespace = "iosweep"
	signatureFile = results.SumsFile + ".sig"
)

// sshKeygen runs OpenSSH's ssh-keygen, which does all of the cryptography.
func sshKeygen(ctx context.Context, stdin []byte, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "ssh-keygen", args...)
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", withCode(exitUnsupported, errors.New("signatures need OpenSSH's ssh-keygen, which is not installed"))
	case err != nil:
		return "", fmt.Errorf("%w: %s", err, text)
	}
	return text, nil
}

// signRun signs a complete run's sums, and so its files. A signature that is
// there already is replaced.
func signRun(ctx context.Context, dir, key string) error {
	if !is(filepath.Join(dir, results.SumsFile)) {
		return withCode(exitUsage, fmt.Errorf("sign %s: it has no %s: only complete runs can be signed", dir, results.SumsFile))
	}
	sums, err := os.ReadFile(filepath.Join(dir, results.SumsFile))
	if err != nil {
		return fmt.Errorf("sign run: %w", err)
	}
	signature, err := sshKeygen(ctx, sums, "-Y", "sign", "-q", "-f", key, "-n", signNamespace)
	if err != nil {
		return fmt.Errorf("sign %s with %s: %w", dir, key, err)
	}
	if err := os.WriteFile(filepath.Join(dir, signatureFile), []byte(signature+"\n"), 0o644); err != nil {
		return fmt.Errorf("sign run: %w", err)
	}
	return nil
}

// signature signs the run where that is asked and nothing differs, and says of
// its signature whose it is.
func (c *checkup) signature(ctx context.Context, dir string, f *checkFlags) error {
	if f.sign != "" && len(c.Problems)+len(c.Differences) == 0 {
		if err := signRun(ctx, dir, f.sign); err != nil {
			return err
		}
	}
	sums, err := os.ReadFile(filepath.Join(dir, results.SumsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("verify: %w", err)
	}
	signature := filepath.Join(dir, signatureFile)
	switch {
	case !is(signature) && f.signers != "":
		c.Problems = append(c.Problems, "the run is not signed")
	case !is(signature):
	case f.signers == "":
		c.unknownSigner(ctx, sums, signature)
	default:
		c.allowedSigner(ctx, sums, signature, f.signers)
	}
	return nil
}

// unknownSigner says by which key a run was signed, whoever has it.
func (c *checkup) unknownSigner(ctx context.Context, sums []byte, signature string) {
	text, err := sshKeygen(ctx, sums, "-Y", "check-novalidate", "-n", signNamespace, "-s", signature)
	if err != nil {
		c.Problems = append(c.Problems, fmt.Sprintf("the signature is wrong: %v", err))
		return
	}
	_, key, _ := strings.Cut(text, " key ")
	c.Signed = "signed by the key " + key + "; whose it is --signers would tell"
}

// allowedSigner says which of the allowed signers signed a run.
func (c *checkup) allowedSigner(ctx context.Context, sums []byte, signature, signers string) {
	who, err := sshKeygen(ctx, nil, "-Y", "find-principals", "-s", signature, "-f", signers)
	if err == nil {
		who, _, _ = strings.Cut(who, "\n")
		_, err = sshKeygen(ctx, sums, "-Y", "verify", "-f", signers, "-I", who, "-n", signNamespace, "-s", signature)
	}
	if err != nil {
		c.Problems = append(c.Problems, fmt.Sprintf("the signature is not by one of %s: %v", signers, err))
		return
	}
	c.Signed = "signed by " + who
}
