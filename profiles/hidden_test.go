package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHiddenCharacters holds that prose cannot carry what a terminal or a page
// would act on, while any script can be written in it.
func TestHiddenCharacters(t *testing.T) {
	for _, r := range []rune{'\x1b', '\a', '\u202e', '\u2066', '\u200f', '\u0085'} {
		if err := visible("a" + string(r) + "b"); err == nil {
			t.Errorf("%U is accepted", r)
		}
	}
	for _, s := range []string{"two\nlines\tand a tab", "שלום", "größer", "速度"} {
		if err := visible(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestLoadOnlyFiles holds that what is no file is refused and not waited for.
func TestLoadOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(dir)
	if err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		if _, err := Load(filepath.Clean(os.DevNull)); err == nil || !strings.Contains(err.Error(), "regular file") {
			t.Errorf("a device: %v", err)
		}
	}
}
