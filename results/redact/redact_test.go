package redact

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/results/hist"
)

func secretive() *results.RunData {
	h := hist.New()
	h.Record(int64(time.Millisecond))
	run := &results.Run{
		Schema: 1, ID: "quick-1", Args: []string{"run", "/home/ann/mine.yaml", "--target", "/dev/nvme0n1", "--destroy", "S4EVNX0R123"},
		Profile: "quick", ProfileText: "# measured on db7.example.org by ann, in /home/ann/work\nname: quick\n",
		Device: results.Device{
			Name: "nvme0n1", Path: "/dev/nvme0n1", ID: "eui.0025385b71b0e5d2", Serial: "S4EVNX0R123", Model: "Some SSD", Kind: "nvme",
			Backing: `ext4 in /mnt/ann/disk.img`, Settings: map[string]string{"queue/scheduler": "none", "device/wwid": "eui.0025385b71b0e5d2"},
		},
		NamedTargets: []results.NamedTarget{{Target: "log", Device: results.Device{Name: "sdc", ID: "5000c500a1b2c3d4", Serial: "ZA1B2C3D"}}},
		Environment:  results.Environment{OS: "linux", Hostname: "db7.example.org"},
		Variants:     []results.Variant{{ID: "a", Label: "a"}}, Workloads: []results.Workload{{Name: "w"}},
	}
	return &results.RunData{Run: run, Complete: true, Problems: []string{"/root/results/trials.jsonl:3: torn"}, Trials: []results.Trial{{
		Schema: 1, Variant: "a", Workload: "w", Status: results.Valid, WindowSeconds: 1.0000000000000002,
		Findings: []results.Finding{{Code: "io_error", Text: `open C:\Users\ann\x on db7: S4EVNX0R123 is gone`}},
		Jobs:     []results.JobResult{{Name: "read", Kinds: []results.KindResult{{Kind: "read", Ops: 1, Service: h}}}},
	}}}
}

func TestNothingThatTellsWhoseItIsStays(t *testing.T) {
	out, err := Run(secretive())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(struct {
		Run      *results.Run
		Trials   []results.Trial
		Problems []string
	}{out.Run, out.Trials, out.Problems})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"S4EVNX0R123", "0025385b71b0e5d2", "db7", "/home", "/mnt/ann", "Users", "/root", "5000c500a1b2c3d4", "ZA1B2C3D"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is still in %s", secret, text)
		}
	}
	for _, kept := range []string{"/dev/nvme0n1", "Some SSD", "quick-1", `"target":"log"`, `"queue/scheduler":"none"`, "name: quick", "1.0000000000000002", "io_error"} {
		if !strings.Contains(string(text), kept) {
			t.Errorf("%s is gone from %s", kept, text)
		}
	}
	if got := out.Trials[0].Jobs[0].Kinds[0].Service; got.Count() != 1 || got.Max() != time.Millisecond {
		t.Errorf("the latencies became %d, at most %s", got.Count(), got.Max())
	}
}

// TestWordsOfItsOwnStay has a host that is called like a kind of operation.
func TestWordsOfItsOwnStay(t *testing.T) {
	data := secretive()
	data.Run.Environment.Hostname = "read"
	out, err := Run(data)
	if err != nil {
		t.Fatal(err)
	}
	if k := out.Trials[0].Jobs[0].Kinds[0].Kind; k != "read" {
		t.Errorf("the kind became %q", k)
	}
	if data.Run.Device.Serial != "S4EVNX0R123" {
		t.Error("the run itself was changed")
	}
}

// TestModelsKeepTheirName: a model's id is no secret.
func TestModelsKeepTheirName(t *testing.T) {
	data := secretive()
	data.Run.Simulated, data.Run.Device.ID = true, "hdd-7200"
	out, err := Run(data)
	if err != nil {
		t.Fatal(err)
	}
	if out.Run.Device.ID != "hdd-7200" {
		t.Errorf("the model's id became %q", out.Run.Device.ID)
	}
}

// TestCommandKeepsNoPaths takes the paths of a command line that lie outside
// anybody's home, and leaves what the command needs.
func TestCommandKeepsNoPaths(t *testing.T) {
	data := secretive()
	data.Run.Args = []string{"run", "quick", "--state-dir", "/tmp/x/state", "--out=/data/y", "--target", "/dev/loop3", "--target=log=/dev/sdc", "--target=db=/srv/a=b",
		"--junit", `D:\ci\run.xml`, "--out", "results/one", "--seed", "4", `\\.\PhysicalDrive1`}
	out, err := Run(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"run", "quick", "--state-dir", Gone, "--out=" + Gone, "--target", "/dev/loop3", "--target=log=/dev/sdc", "--target=db=" + Gone,
		"--junit", Gone, "--out", "results/one", "--seed", "4", `\\.\PhysicalDrive1`}
	if !slices.Equal(out.Run.Args, want) {
		t.Errorf("the command is %q, want %q", out.Run.Args, want)
	}
	if data.Run.Args[3] != "/tmp/x/state" {
		t.Error("the run itself was changed")
	}
}
