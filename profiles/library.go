package profiles

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

//go:embed library/*.yaml
var library embed.FS

// Library returns the names of the profiles that come with iosweep, sorted.
func Library() []string {
	entries, err := fs.ReadDir(library, "library")
	if err != nil {
		// The directory is part of the program.
		panic(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Load reads a profile of the library by its name, or else a file by its path.
// A file in the way does not hide the library: write ./quick for that.
func Load(pathOrName string) (*Profile, error) {
	file := path.Join("library", pathOrName+".yaml")
	if text, err := library.ReadFile(file); err == nil && !strings.ContainsAny(pathOrName, `/\`) {
		return Parse(pathOrName+".yaml", text)
	}
	text, err := readFile(pathOrName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("load profile %s: it is neither a file nor a profile of the library: %s: %w",
			pathOrName, suggest(pathOrName, Library()), err)
	}
	if err != nil {
		return nil, fmt.Errorf("load profile: %w", err)
	}
	return Parse(pathOrName, text)
}

// readFile reads one byte more than Parse accepts, so that a huge file is
// refused rather than read. Only regular files are opened: opening a pipe may
// wait for ever, and opening a device may do something.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: write the profile to one", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxText+1))
}
