package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pdfTime is how long a browser may take to print a page.
const pdfTime = 2 * time.Minute

// browserPath finds the system's Chromium under the names that it has.
func browserPath() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", withCode(exitUnsupported, errors.New("print report: --pdf needs Chromium, which is not installed: install it, or print report.html from any browser"))
}

// printPDF prints a page into a file. The browser gets a profile of its own,
// which is removed, and no network is needed.
func printPDF(ctx context.Context, page, file string) error {
	browser, err := browserPath()
	if err != nil {
		return err
	}
	absolute, err := filepath.Abs(page)
	if err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	profile, err := os.MkdirTemp("", "iosweep-print-")
	if err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	defer os.RemoveAll(profile)
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute)}
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer", "--user-data-dir=" + profile, "--print-to-pdf=" + file, address.String()}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // Chromium's sandbox refuses root; the page is our own
	}
	ctx, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, browser, args...).CombinedOutput()
	if err == nil && !is(file) {
		err = errors.New("it wrote no file")
	}
	if err != nil {
		return fmt.Errorf("print report with %s: %w: %s", browser, err, strings.TrimSpace(string(out)))
	}
	return nil
}
