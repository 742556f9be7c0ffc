package device

import (
	"os"

	"golang.org/x/sys/windows"
)

// sparseBytes is the unit in which NTFS takes space away from a sparse file.
const sparseBytes = 64 << 10

// fileLimits takes 4096 bytes as the unit, which every file system accepts.
// Files are made sparse for deletes where their volume has such.
func fileLimits(path string) limits {
	l := limits{directBytes: 4096}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return l
	}
	root := make([]uint16, windows.MAX_PATH+1)
	if windows.GetVolumePathName(name, &root[0], uint32(len(root))) != nil {
		return l
	}
	var flags uint32
	if windows.GetVolumeInformation(&root[0], nil, 0, nil, nil, &flags, nil, 0) == nil && flags&windows.FILE_SUPPORTS_SPARSE_FILES != 0 {
		l.deleteBytes = sparseBytes
	}
	return l
}

// openLimits asks by the name, which an open file keeps.
func openLimits(f *os.File) limits { return fileLimits(f.Name()) }
