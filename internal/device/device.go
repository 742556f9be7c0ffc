// Package device knows what a target is, whether it may be written, and how to
// hold it.
//
//  1. List and Inspect look at devices without touching them: identity, limits,
//     who uses them, what they carry.
//  2. Open turns a path into a Claim, which is the only way to a target. For
//     writing it refuses whatever is in use, carries data that it knows, or was
//     not named by its id.
//  3. NewScratch makes a throw-away target and a Claim on it.
//  4. Meter and Sizes read what the kernel counted on a device over a trial.
//
// What is read from sysfs and proc is parsed by functions of their own, over a
// root that tests replace.
package device

import (
	"errors"
	"os"
	"strings"

	"github.com/iosweep/iosweep/results"
)

// Errors that callers tell apart. Each is wrapped with what was tried, why it
// cannot be and what to do.
var (
	// ErrRefused: the target may not be used in this way.
	ErrRefused = errors.New("refused")
	// ErrUnsupported: this system cannot do what was asked.
	ErrUnsupported = errors.New("unsupported")
)

// Info is what is known of a device or file before it is opened for work.
type Info struct {
	// Name is the kernel's name now (nvme0n1), or a file's base name; Path the
	// node or file with symbolic links resolved.
	Name string `json:"name"`
	Path string `json:"path"`
	// ID is what an operator types to allow writing; see identify for how it is
	// chosen. Empty when the device has none that can be trusted.
	ID string `json:"id"`
	// Kind is loop, nvme, scsi, virtio, dm, md, zram, mmc, file, ...
	Kind     string `json:"kind"`
	Model    string `json:"model,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Serial   string `json:"serial,omitempty"`
	WWN      string `json:"wwn,omitempty"`

	SizeBytes          int64 `json:"size_bytes"`
	LogicalBlockBytes  int64 `json:"logical_block_bytes"`
	PhysicalBlockBytes int64 `json:"physical_block_bytes,omitempty"`
	Rotational         bool  `json:"rotational"`
	// DeleteGranularityBytes is the unit of deletes and DeleteMaxBytes the
	// largest single request of one; 0: the target cannot delete.
	DeleteGranularityBytes int64 `json:"delete_granularity_bytes"`
	DeleteMaxBytes         int64 `json:"delete_max_bytes"`
	ReadOnly               bool  `json:"read_only"`
	Removable              bool  `json:"removable"`
	// Zoned is none, host-aware or host-managed.
	Zoned string `json:"zoned,omitempty"`

	// Users says what uses the device, its partitions and what stands on them.
	Users []string `json:"users,omitempty"`
	// Signatures names the file systems, RAID members and partition tables
	// found on it.
	Signatures []string `json:"signatures,omitempty"`
	// Writable says that Open would grant writing to whoever types ID; Reason
	// says why not.
	Writable bool   `json:"writable"`
	Reason   string `json:"reason,omitempty"`

	// DevNum is major:minor, and DevSeq the kernel's number of this very
	// appearance of the device (from Linux 5.15), so that a successor under the
	// same name is told apart.
	DevNum string `json:"devnum,omitempty"`
	DevSeq string `json:"devseq,omitempty"`
	// Disk is the whole disk's name for a partition, else empty.
	Disk string `json:"disk,omitempty"`
	// SysDir is the sysfs directory that holds queue/; for a partition it is the
	// whole disk's.
	SysDir string `json:"sys_dir,omitempty"`
	// Backing describes what a loop or stacked device stands on.
	Backing string `json:"backing,omitempty"`
	// Settings are the queue's readable settings by knob (queue/nr_requests).
	Settings map[string]string `json:"settings,omitempty"`

	// lockID is what a lock by identity is named by: the whole disk's id,
	// because settings belong to the whole disk.
	lockID string
	// diskNode is the whole disk's own node, where a system has one for it.
	diskNode string
	// counterID is where FreeBSD's GEOM counts what is asked of the device.
	counterID uint64
	// blocked are the reasons that no option lifts.
	blocked []string
}

// IsFile says that the target is a regular file.
func (i Info) IsFile() bool { return i.Kind == kindFile }

// CanDelete says that the target accepts deletes.
func (i Info) CanDelete() bool { return i.DeleteGranularityBytes > 0 && i.DeleteMaxBytes > 0 }

const kindFile = "file"

// ToResult is the device as a run keeps it.
func ToResult(i Info) results.Device {
	return results.Device{
		Name: i.Name, Path: i.Path, ID: i.ID, Kind: i.Kind,
		Model: i.Model, Firmware: i.Firmware, Serial: i.Serial,
		SizeBytes:              i.SizeBytes,
		LogicalBlockBytes:      i.LogicalBlockBytes,
		PhysicalBlockBytes:     i.PhysicalBlockBytes,
		DeleteGranularityBytes: i.DeleteGranularityBytes,
		DeleteMaxBytes:         i.DeleteMaxBytes,
		Rotational:             i.Rotational,
		Backing:                i.Backing,
		Settings:               i.Settings,
	}
}

// judge fills Writable and Reason from what was found. What a device in use
// carries is known by its user, so signatures are a reason only without one.
func (i *Info) judge() {
	var reasons []string
	if len(i.Users) > 0 {
		reasons = append(reasons, "in use: "+strings.Join(i.Users, "; "))
	}
	reasons = append(reasons, i.blocked...)
	if len(i.Signatures) > 0 && len(i.Users) == 0 {
		reasons = append(reasons, "carries "+strings.Join(i.Signatures, ", ")+" (--overwrite allows it)")
	}
	i.Writable = len(reasons) == 0
	i.Reason = strings.Join(reasons, "; ")
}

// markTwins blocks devices that share an id: two paths to one disk, or two loop
// devices on one file. Typing the id would not say which.
func markTwins(all []Info) []Info {
	byID := map[string][]int{}
	for k, i := range all {
		if i.ID != "" {
			byID[i.ID] = append(byID[i.ID], k)
		}
	}
	for _, twins := range byID {
		for _, k := range twins {
			for _, other := range twins {
				if other != k {
					all[k].blocked = append(all[k].blocked, "has the same id as "+all[other].Name)
				}
			}
			all[k].judge()
		}
	}
	return all
}

// hostRoot is the tree that the running system's sysfs and proc are in.
const hostRoot = string(os.PathSeparator)
