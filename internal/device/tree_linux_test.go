package device

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden files anew")

// listTree lists the devices of a recorded tree. The mount points of this
// machine's own root must not come into it.
func listTree(t *testing.T, name string) map[string]Info {
	t.Helper()
	all, err := list(t.Context(), tree{filepath.Join("testdata/sys", name)})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Info{}
	for _, i := range all {
		byName[i.Name] = i
	}
	return byName
}

func TestListGolden(t *testing.T) {
	dirs, err := os.ReadDir("testdata/sys")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		t.Run(d.Name(), func(t *testing.T) {
			all, err := list(t.Context(), tree{filepath.Join("testdata/sys", d.Name())})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", " ")
			if err := enc.Encode(all); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata/golden", d.Name()+".json")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s differs; run with -update and look at the difference\n%s", golden, got.Bytes())
			}
		})
	}
}

func TestIdentityAndUsers(t *testing.T) {
	for _, tc := range []struct {
		tree, name, id string
		writable       bool
		reason         string // part of it
	}{
		{"6.12-nvme", "nvme0n1", "eui.0025385b21406b0c", false, "partition nvme0n1p1: mounted at /boot/efi (vfat)"},
		{"6.12-nvme", "nvme0n1p2", "eui.0025385b21406b0c-part2", false, "mounted at / (ext4)"},
		{"6.12-nvme", "nvme1n1", "QM-7-ns1", true, ""},
		{"6.12-nvme", "nvme1n11", "QM-7-ns11", true, ""},
		{"6.12-nvme-multipath", "nvme0n1", "uuid.6a1b2c3d-0001-4e5f-8899-aabbccddeeff", true, ""},
		{"5.15-scsi-partitioned", "sda", "naa.5000c500a1b2c3d4", false, "partition sda2: swap space"},
		{"5.15-scsi-partitioned", "sda", "naa.5000c500a1b2c3d4", false, "mounted at /home dir (ext4)"},
		{"5.15-scsi-partitioned", "sda10", "naa.5000c500a1b2c3d4-part10", true, ""},
		{"5.15-scsi-partitioned", "sdb", "WD-WX11A1234567", true, ""},
		{"5.15-scsi-partitioned", "sdc", "t10.SanDisk_Cruzer_4C5300011", false, "is read-only"},
		{"5.15-scsi-partitioned", "sdd", "naa.5000000000000d01", false, "mounted at /data (xfs)"},
		{"5.15-scsi-partitioned", "sde", "naa.5000000000000d02", false, "no usable capacity"},
		{"6.1-dm", "sda", "naa.5002538e40a1b2c3", false, "held by dm-0 (vg-root); partition sda3: dm-0: mounted at / (xfs)"},
		{"6.1-dm", "sda3", "naa.5002538e40a1b2c3-part3", false, "held by dm-0 (vg-root)"},
		{"6.1-dm", "dm-1", "dm:spare", true, ""},
		{"6.6-md", "sdb", "naa.5000000000000b01", false, "md127p1: mounted at /srv (ext4)"},
		{"6.6-md", "md127", "md:5f3c0b1e-77aa-4b6c-9d0f-000102030405", false, "partition md127p1: mounted at /srv"},
		{"6.8-zoned", "sda", "naa.5000c500aaaa0001", false, "host-managed zoned"},
		{"6.8-zoned", "sdb", "naa.5000c500aaaa0002", true, ""},
		{"4.19-cciss", "cciss!c0d0", "naa.600508b1001c0001", false, "partition cciss!c0d0p1: mounted at / (btrfs)"},
		{"6.7-loop-btrfs", "sda", "naa.5000000000000a01", false, "backs loop0"},
		{"6.7-loop-btrfs", "sdb", "naa.5000000000000b01", false, "member of a mounted btrfs"},
		{"6.7-loop-btrfs", "sdc", "naa.5000000000000c01", false, "has the same id as sdd"},
		{"6.7-loop-btrfs", "loop1", "/srv/disk image.img", true, ""},
		{"6.7-loop-btrfs", "loop2", "/srv/other.img", false, "exported as NVMe namespace 1 of nqn.test"},
		{"6.7-loop-btrfs", "loop3", "", false, "no usable capacity"},
		{"6.7-loop-btrfs", "nbd0", "", false, "has no serial, WWN"},
		{"6.7-loop-btrfs", "zram0", "virtual:zram0:1073741824", true, ""},
	} {
		t.Run(tc.tree+"/"+tc.name, func(t *testing.T) {
			i, ok := listTree(t, tc.tree)[tc.name]
			if !ok {
				t.Fatal("not listed")
			}
			if i.ID != tc.id || i.Writable != tc.writable || !strings.Contains(i.Reason, tc.reason) {
				t.Errorf("id %q, writable %v, reason %q; want id %q, writable %v, reason with %q", i.ID, i.Writable, i.Reason, tc.id, tc.writable, tc.reason)
			}
		})
	}
}

func TestHiddenPathsOfMultipathAreNotListed(t *testing.T) {
	all := listTree(t, "6.12-nvme-multipath")
	if len(all) != 1 {
		t.Errorf("listed %d devices, want only the head", len(all))
	}
	if got, want := NewMeter(all["nvme0n1"]).path, "block/nvme0n1/stat"; !strings.HasSuffix(got, want) {
		t.Errorf("counters are read from %s, want .../%s", got, want)
	}
}

func TestPartitionHasItsOwnCounters(t *testing.T) {
	i := listTree(t, "6.12-nvme")["nvme0n1p2"]
	if got, want := NewMeter(i).path, "block/nvme0n1/nvme0n1p2/stat"; !strings.HasSuffix(got, want) {
		t.Errorf("counters are read from %s, want .../%s", got, want)
	}
	if !strings.HasSuffix(i.SysDir, "block/nvme0n1") {
		t.Errorf("settings are below %s, want the whole disk's directory", i.SysDir)
	}
}

// A disk without serial is known by its place on the bus, one on no bus not at
// all.
func TestPlaceIsTheLastResort(t *testing.T) {
	root := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda/size", "2048\n")
	put("sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda/dev", "254:0\n")
	put("sys/devices/virtual/block/nbd0/size", "2048\n")
	put("sys/block/.keep", "")
	for name, dir := range map[string]string{"vda": "pci0000:00/0000:00:02.0/virtio1/block/vda", "nbd0": "virtual/block/nbd0"} {
		if err := os.Symlink("../devices/"+dir, filepath.Join(root, "sys/block", name)); err != nil {
			t.Fatal(err)
		}
	}
	tr := tree{root}
	if got, want := tr.identify(node{name: "vda"}), "path:pci0000:00/0000:00:02.0/virtio1:1048576"; got != want {
		t.Errorf("id of vda is %q, want %q", got, want)
	}
	if got := tr.identify(node{name: "nbd0"}); got != "" {
		t.Errorf("id of nbd0 is %q, want none", got)
	}
}

func TestListStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := list(ctx, tree{"testdata/sys/6.12-nvme"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func TestListWithoutSysfs(t *testing.T) {
	if _, err := list(t.Context(), tree{t.TempDir()}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("err = %v, want ErrUnsupported", err)
	}
}
