package device

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// inNamespace mounts a device in a mount namespace of another process, which
// lives until the test ends.
func inNamespace(t *testing.T, path string) {
	t.Helper()
	needTool(t, "unshare")
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c",
		`mount -t ext4 "$0" "$1" && echo mounted && exec sleep 60`, path, t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "mounted" {
		t.Fatalf("mount in a namespace: %q, %v", line, err)
	}
}
