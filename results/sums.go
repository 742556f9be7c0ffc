package results

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// summed are the files that SHA256SUMS covers, in its order.
func summed() []string { return []string{RunFile, TrialsFile} }

// sums returns the text of SHA256SUMS, as sha256sum writes it and checks it.
func sums(root *os.Root) ([]byte, error) {
	var text bytes.Buffer
	for _, name := range summed() {
		sum, err := sumFile(root, name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, name)
	}
	return text.Bytes(), nil
}

func sumFile(root *os.Root, name string) (string, error) {
	file, err := openRegular(root, name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// verify compares the folder with its SHA256SUMS. A folder without one is not
// complete, and that is no problem.
func verify(root *os.Root) (complete bool, problems []string) {
	text, err := readBounded(root, SumsFile, maxSumsBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, []string{err.Error()}
	}
	listed, problems := parseSums(text)
	for _, name := range summed() {
		if p := verifyFile(root, name, listed[name]); p != "" {
			problems = append(problems, p)
		}
	}
	return len(problems) == 0, problems
}

// listedSum is the sum of trials.jsonl as SHA256SUMS has it, of a complete
// folder only.
func listedSum(root *os.Root, complete bool) string {
	text, err := readBounded(root, SumsFile, maxSumsBytes)
	if err != nil || !complete {
		return ""
	}
	listed, _ := parseSums(text)
	return listed[TrialsFile]
}

func verifyFile(root *os.Root, name, want string) string {
	if want == "" {
		return fmt.Sprintf("%s: does not list %s", SumsFile, name)
	}
	got, err := sumFile(root, name)
	if err != nil {
		return err.Error()
	}
	if got != want {
		return fmt.Sprintf("%s: does not match %s: it was changed after the run ended", name, SumsFile)
	}
	return ""
}

// parseSums reads "HEX  NAME" lines. Names are only compared, never opened, so
// a hostile one leads nowhere.
func parseSums(text []byte) (listed map[string]string, problems []string) {
	listed = map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		raw, err := hex.DecodeString(sum)
		if !ok || err != nil || len(raw) != sha256.Size {
			problems = append(problems, fmt.Sprintf("%s:%d: not a line of sha256sum", SumsFile, n))
			continue
		}
		listed[name] = strings.ToLower(sum)
	}
	if err := lines.Err(); err != nil {
		problems = append(problems, fmt.Sprintf("%s: %v", SumsFile, err))
	}
	return listed, problems
}
