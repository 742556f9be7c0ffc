package health

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// smartctl is the part of smartctl's JSON that is used.
type smartctl struct {
	ATA struct {
		Table []struct {
			ID   int    `json:"id"`
			Name string `json:"name"`
			Raw  struct {
				Value int64 `json:"value"`
			} `json:"raw"`
		} `json:"table"`
	} `json:"ata_smart_attributes"`
	ErrorLog struct {
		Summary struct {
			Count int64 `json:"count"`
		} `json:"summary"`
	} `json:"ata_smart_error_log"`
	NVMe *nvmeLog `json:"nvme_smart_health_information_log"`
}

// nvmeLog is the SMART / health log page of the NVMe base specification, as both
// programs name its fields. Times are in minutes.
type nvmeLog struct {
	CriticalWarning int64 `json:"critical_warning"`
	MediaErrors     int64 `json:"media_errors"`
	ErrorEntries    int64 `json:"num_err_log_entries"`
	WarningMinutes  int64 `json:"warning_temp_time"`
	CriticalMinutes int64 `json:"critical_comp_time"`
	Throttled1      int64 `json:"thm_temp1_trans_count"`
	Throttled2      int64 `json:"thm_temp2_trans_count"`
}

func (l *nvmeLog) counters() map[string]int64 {
	return map[string]int64{
		"critical_warning": l.CriticalWarning, "media_errors": l.MediaErrors, "error_log_entries": l.ErrorEntries,
		"warning_temperature_minutes": l.WarningMinutes, "critical_temperature_minutes": l.CriticalMinutes,
		"throttled_1": l.Throttled1, "throttled_2": l.Throttled2,
	}
}

// ataErrors are the ATA attributes that rise with faults, by number.
func ataErrors() map[int]string {
	return map[int]string{
		5: "reallocated_sectors", 183: "sata_downshifts", 184: "end_to_end_errors", 187: "reported_uncorrectable",
		188: "command_timeouts", 197: "pending_sectors", 198: "offline_uncorrectable", 199: "crc_errors",
	}
}

// parseSmartctl reads smartctl --json. Only the low three bits of its exit
// status mean that it could not read; the others describe the disk and stay.
func parseSmartctl(output []byte, exit int) (map[string]int64, error) {
	if text := unreadable(exit); text != "" {
		return nil, errors.New(text)
	}
	var s smartctl
	if err := json.Unmarshal(output, &s); err != nil {
		return nil, fmt.Errorf("its output is no JSON: %w: smartmontools 7 or newer is needed", err)
	}
	counters := map[string]int64{}
	if s.NVMe != nil {
		counters = s.NVMe.counters()
	}
	for _, a := range s.ATA.Table {
		if name, ok := ataErrors()[a.ID]; ok {
			counters[name] = a.Raw.Value
		}
	}
	if s.ErrorLog.Summary.Count > 0 {
		counters["error_log_entries"] = s.ErrorLog.Summary.Count
	}
	for _, f := range failing(exit) {
		counters[f] = 1
	}
	if len(counters) == 0 {
		return nil, fmt.Errorf("it knows no counters of the device: %w", ErrUnsupported)
	}
	return counters, nil
}

// unreadable decodes the bits of smartctl's exit status (smartctl(8), EXIT
// STATUS) with which there is nothing to read.
func unreadable(exit int) string {
	var parts []string
	for bit, text := range []string{"the command line did not parse", "the device could not be opened", "a SMART command failed or was answered wrongly"} {
		if exit&(1<<bit) != 0 {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// failing decodes the bits that describe the disk now.
func failing(exit int) (names []string) {
	for bit, name := range map[int]string{3: "disk_failing", 4: "prefail_attribute"} {
		if exit&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// parseNVMe reads nvme smart-log --output-format=json.
func parseNVMe(output []byte, exit int) (map[string]int64, error) {
	if exit != 0 {
		return nil, fmt.Errorf("it exited with %d: run it as root on an NVMe device", exit)
	}
	var l nvmeLog
	if err := json.Unmarshal(output, &l); err != nil {
		return nil, fmt.Errorf("its output is no JSON: %w", err)
	}
	return l.counters(), nil
}
