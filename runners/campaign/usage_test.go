package campaign

import (
	"encoding/binary"
	"testing"
)

func TestParseCPTime(t *testing.T) {
	var raw []byte
	for _, n := range []uint64{1, 2, 3, 4, 90} {
		raw = binary.LittleEndian.AppendUint64(raw, n)
	}
	for _, text := range []string{string(raw), string(raw[:len(raw)-1])} {
		if got := parseCPTime(text); got != (hostTicks{total: 100, idle: 90}) {
			t.Errorf("%d bytes: %+v", len(text), got)
		}
	}
	if got := parseCPTime(string(raw[:20])); got != (hostTicks{}) {
		t.Errorf("half of it: %+v", got)
	}
	before := usage{host: hostTicks{total: 100, idle: 90}}
	cpu := usage{host: hostTicks{total: 200, idle: 150}}.since(before)
	if !cpu.HostBusy.Valid || cpu.HostBusy.V != 0.4 || cpu.Steal.Valid {
		t.Errorf("%+v: want 40 %% busy, and nothing of steal", cpu)
	}
}
