package health

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const ata = `{"ata_smart_attributes":{"table":[{"id":5,"name":"Reallocated_Sector_Ct","raw":{"value":3}},{"id":9,"name":"Power_On_Hours","raw":{"value":999}},{"id":199,"raw":{"value":7}}]},"ata_smart_error_log":{"summary":{"count":2}}}`

const nvme = `{"critical_warning":0,"temperature":310,"media_errors":1,"num_err_log_entries":4,"warning_temp_time":5,"critical_comp_time":0,"thm_temp1_trans_count":6}`

func TestSmartctl(t *testing.T) {
	tests := map[string]struct {
		output string
		exit   int
		want   map[string]int64
		err    string
	}{
		"ATA":             {ata, 0, map[string]int64{"reallocated_sectors": 3, "crc_errors": 7, "error_log_entries": 2}, ""},
		"a failing disk":  {ata, 1<<3 | 1<<6, map[string]int64{"disk_failing": 1, "crc_errors": 7}, ""},
		"NVMe":            {`{"nvme_smart_health_information_log":` + nvme + `}`, 0, map[string]int64{"media_errors": 1, "throttled_1": 6}, ""},
		"not opened":      {"{}", 2, nil, "could not be opened"},
		"command failed":  {ata, 4, nil, "SMART command failed"},
		"an old smartctl": {"=== START", 0, nil, "smartmontools 7"},
		"no counters":     {"{}", 0, nil, "unsupported"},
	}
	for name, test := range tests {
		got, err := parseSmartctl([]byte(test.output), test.exit)
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, want %q", name, err, test.err)
		}
		for counter, want := range test.want {
			if got[counter] != want {
				t.Errorf("%s: %s is %d, want %d", name, counter, got[counter], want)
			}
		}
	}
}

func TestNVMe(t *testing.T) {
	got, err := parseNVMe([]byte(nvme), 0)
	if err != nil || got["media_errors"] != 1 || got["error_log_entries"] != 4 || got["warning_temperature_minutes"] != 5 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := parseNVMe([]byte(nvme), 1); err == nil {
		t.Error("a failed program was believed")
	}
}

// fake puts a program of that name alone on the path.
func fake(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestReader(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	fake(t, "smartctl", `[ "$LC_ALL" = C ] || exit 1
echo '`+ata+`'
exit 64`)
	r, err := NewReader("/dev/sdx")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Read(context.Background())
	if err != nil || got["crc_errors"] != 7 {
		t.Errorf("%v, %v", got, err)
	}
	fake(t, "nothing", "")
	if _, err := NewReader("/dev/sdx"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without programs: %v", err)
	}
}

// A program that hangs, and what it started and that holds its output, must not
// hold a run.
func TestHangingProgram(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	fake(t, "smartctl", sleep+" 20; echo late")
	r, err := NewReader("/dev/sdx")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if _, _, err := r.run(context.Background(), 100*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that the limit was exceeded", err)
	}
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(ata), 0)
	f.Add([]byte(nvme), 64)
	f.Fuzz(func(t *testing.T, output []byte, exit int) {
		if got, err := parseSmartctl(output, exit); err == nil && len(got) == 0 {
			t.Error("no counters, and no error")
		}
		if _, err := parseNVMe(output, exit); err == nil && exit != 0 {
			t.Error("a failed program was believed")
		}
	})
}
