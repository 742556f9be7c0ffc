package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/profiles/convert"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
	"github.com/iosweep/iosweep/runners/sim"
	"github.com/iosweep/iosweep/workloads/vdbench"
)

// Files like those that people publish: a curve over several disks whose
// definitions are in an include, and a mix with a skew and a log of its own.
func parameterFiles() map[string]string {
	return map[string]string{
		"curve": "include=disks\nrd=default,sd=sd*,elapsed=15m,seekpct=100,interval=10,iorate=curve,curve=(10,50,100),pause=60,threads=8\nrd=r4,xfersize=4k\nrd=r64,xfersize=64k,rdpct=0\n",
		"mix":   "sd=sd1,lun=/dev/b\nsd=sd2,lun=/dev/c\nsd=log,lun=/dev/l\nwd=logs,sd=log,xfersize=24k,rdpct=0,skew=0.75,seekpct=0\nwd=reads,sd=sd*,xfersize=(4096,85,8192,15),rdpct=100,skew=62.5\nwd=writes,sd=sd*,xfersize=(4096,57,8192,43),rdpct=0\nrd=tpcc,wd=*,iorate=100,elapsed=120,interval=10\n",
	}
}

const includedDisks = "hd=default,jvms=4\nsd=default,size=4g,openflags=o_direct\nsd=sd1,lun=/dev/b\nsd=sd2,lun=/dev/c\n"

// TestConvertedFilesRun plans and simulates what parameter files become, for a
// moment each; those that people published too, where they are at hand.
func TestConvertedFilesRun(t *testing.T) {
	files := parameterFiles()
	published, _ := filepath.Glob("../../../shared/vdbench/corpus/*")
	for _, file := range published {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(file)] = string(text)
	}
	converted := 0
	for name, text := range files {
		f, err := vdbench.Parse(name, []byte(text), func(string, string) ([]byte, error) { return []byte(includedDisks), nil }, nil)
		if err == nil {
			_, err = f.Expand()
		}
		if err != nil {
			// Each is refused by its line, and only for what vdbench refuses
			// too, or for other hosts and targets that are joined to one.
			if !strings.Contains(err.Error(), name+":") || !slices.ContainsFunc([]string{"no lun", "other hosts", "concatenated"}, func(s string) bool { return strings.Contains(err.Error(), s) }) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		out, err := convert.Vdbench(name, f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		converted++
		simulateConverted(t, name, out)
	}
	if converted < 2 || len(published) > 0 && converted < 12 {
		t.Errorf("%d of %d files were converted", converted, len(files))
	}
}

// counted is a Store that counts trials by what became of them.
type counted map[results.Status]int

func (c counted) Append(trial *results.Trial) error {
	c[trial.Status]++
	return nil
}

func simulateConverted(t *testing.T, name string, text []byte) {
	t.Helper()
	p, err := profiles.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Workloads {
		m := &p.Workloads[i].Measure
		m.Warmup, m.Duration, m.Bytes = 0, 200*time.Millisecond, 0
	}
	plan, err := p.Plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	model, err := loadModel("intel-520")
	if err != nil {
		t.Fatal(err)
	}
	e, kept := sim.Engine{Model: model}, counted{}
	c := campaign.Campaign{Plan: plan, Engine: e, Target: e.Target(), Store: kept, Simulated: true}
	for _, target := range p.NamedTargets() {
		c.Named = append(c.Named, campaign.NamedTarget{Name: target, Target: e.Target()})
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	// A model may miss what a file asks of other hardware.
	if kept[results.Valid] == 0 && kept[results.Invalid] == 0 || kept[results.Failed]+kept[results.Unsupported] > 0 {
		t.Errorf("%s: trials by status: %v", name, kept)
	}
}
