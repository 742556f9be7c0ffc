package device

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What the real tools write is recognised, each on a sparse image that is large enough for XFS.
func TestSignaturesOfRealTools(t *testing.T) {
	for _, tc := range []struct {
		want, tool string
		args       []string
	}{
		{"an ext2, ext3 or ext4 file system", "mkfs.ext4", []string{"-q", "-F"}},
		{"an ext2, ext3 or ext4 file system", "mkfs.ext2", []string{"-q", "-F", "-b", "1024"}},
		{"swap", "mkswap", nil},
		{"swap", "mkswap", []string{"-p", "65536"}},
		{"XFS", "mkfs.xfs", []string{"-q", "-f"}},
		{"btrfs", "mkfs.btrfs", []string{"-q", "-f"}},
		{"F2FS", "mkfs.f2fs", []string{"-q", "-f"}},
		{"FAT", "mkfs.vfat", nil},
		{"FAT", "mkfs.vfat", []string{"-F", "32"}},
		{"exFAT", "mkfs.exfat", nil},
		{"NTFS", "mkfs.ntfs", []string{"-q", "-F", "-Q"}},
		{"a Minix file system", "mkfs.minix", nil},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "image")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, 320*mib); err != nil {
				t.Fatal(err)
			}
			runTool(t, tc.tool, append(tc.args, path)...)
			i, err := Inspect(path)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(i.Signatures, tc.want) || i.Writable {
				t.Errorf("found %v, writable %v; want %s", i.Signatures, i.Writable, tc.want)
			}
		})
	}
}
