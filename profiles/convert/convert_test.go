package convert_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iosweep/iosweep/profiles"
	"github.com/iosweep/iosweep/profiles/convert"
	"github.com/iosweep/iosweep/workloads"
	"github.com/iosweep/iosweep/workloads/vdbench"
)

// geometry is a target on which all of these files fit.
func geometry() workloads.Geometry { return workloads.Geometry{SizeBytes: 64 << 30, BlockBytes: 512} }

// convertText parses, converts and parses what came of it.
func convertText(t *testing.T, text string) ([]vdbench.Run, *profiles.Profile, string) {
	t.Helper()
	f, err := vdbench.Parse("x.parm", []byte(text), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := f.Expand()
	if err != nil {
		t.Fatal(err)
	}
	out, err := convert.Vdbench("x.parm", f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Parse("x.yaml", out)
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	return runs, p, string(out)
}

// TestRoundTrip compares the operations of each job of each run with those of
// the job in the converted profile.
func TestRoundTrip(t *testing.T) {
	for name, text := range map[string]string{
		"plain":     "sd=s,lun=/dev/x\nwd=w,sd=s\nrd=r,wd=w,iorate=max,elapsed=4,warmup=1\n",
		"mixes":     "sd=s,lun=/dev/x,threads=5\nwd=w,sd=s,xfersize=(4k,50,8k,33.3,64k,16.7),rdpct=70,seekpct=33\nrd=r,wd=w,iorate=1000,elapsed=4\n",
		"uniform":   "sd=s,lun=/dev/x,align=4k\nwd=w,sd=s,xfersize=(4k,64k,4k),seekpct=100\nrd=r,wd=w,iorate=(100,200),elapsed=4,distribution=deterministic\n",
		"eof":       "sd=s,lun=/dev/x,size=1g\nwd=w,sd=s,seekpct=eof,rdpct=0,xfersize=1m\nrd=r,wd=w,iorate=max,elapsed=4,maxdata=1g\n",
		"seqnz":     "sd=s,lun=/dev/x\nwd=w,sd=s,seekpct=seqnz,streams=4\nrd=r,wd=w,iorate=50,elapsed=4,distribution=uniform\n",
		"poisson":   "sd=s,lun=/dev/x\nwd=w,sd=s,seekpct=(poisson,30)\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"stride":    "sd=s,lun=/dev/x\nwd=w,sd=s,stride=(64k,256k)\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"range":     "sd=s,lun=/dev/x,size=10g,offset=1m\nwd=w,sd=s,range=(10,30),seekpct=100\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"shares":    "sd=s,lun=/dev/x\nwd=w,sd=s,range=(10,30),seekpct=100\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"offset":    "sd=s,lun=/dev/x,offset=1m\nwd=w,sd=s,seekpct=100\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"hit":       "sd=s,lun=/dev/x,hitarea=2m\nwd=w,sd=s,rhpct=25,whpct=10,rdpct=50,seekpct=100\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"band":      "sd=s,lun=/dev/x\nwd=w,sd=s,hotband=(10,25),seekpct=100\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"skew":      "sd=s,lun=/dev/x\nwd=a,sd=s,skew=30\nwd=b,sd=s,skew=70,rdpct=0\nrd=r,wd=(a,b),iorate=(1000,3000),elapsed=4\n",
		"own rate":  "sd=s,lun=/dev/x\nwd=a,sd=s,iorate=77,priority=1\nwd=b,sd=s\nrd=r,wd=(a,b),iorate=max,elapsed=4\n",
		"two SDs":   "sd=s1,lun=/dev/x\nsd=s2,lun=/dev/y\nwd=w,sd=s*\nrd=r,wd=w,iorate=900,elapsed=4\n",
		"loops":     "sd=s,lun=/dev/x\nwd=w,sd=s,seekpct=50\nrd=r,wd=w,iorate=max,elapsed=4,forthreads=(1,8),forxfersize=(4k-16k,d),forrdpct=(0,100)\n",
		"curve":     "sd=s,lun=/dev/x,threads=3\nwd=w,sd=s,seekpct=100\nrd=r,wd=w,iorate=curve,curve=(25,60,100),elapsed=4,forxfersize=(4k,8k)\n",
		"ratios":    "compratio=2.5,dedupratio=2,dedupunit=8k\nsd=s,lun=/dev/x\nwd=w,sd=s,rdpct=0,xfersize=8k\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"long name": "sd=s,lun=/dev/x\nwd=w,sd=s\nrd=" + strings.Repeat("a-long-name-", 9) + ",wd=w,iorate=max,elapsed=4,forthreads=(1,2)\n",
	} {
		t.Run(name, func(t *testing.T) {
			runs, p, text := convertText(t, text)
			sameRuns(t, runs, p)
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// sameRuns walks runs and load points side by side.
func sameRuns(t *testing.T, runs []vdbench.Run, p *profiles.Profile) {
	t.Helper()
	at, on := 0, map[string]string{}
	for _, w := range p.Workloads {
		for _, l := range w.Loads {
			if at == len(runs) {
				t.Fatalf("more than %d load points", len(runs))
			}
			r := runs[at]
			at++
			if l.Percent != r.Percent || l.Max != r.Curve {
				t.Errorf("%s: load %+v for a run at %g%%", w.Name, l, r.Percent)
			}
			m := w.Measure
			if m.Duration != r.Elapsed || m.Warmup != r.Warmup || m.Bytes != r.MaxBytes {
				t.Errorf("%s: measure %+v, run %+v", w.Name, m, r)
			}
			specs := r.Specs(r.Rate)
			if r.Pace == vdbench.OfCurve {
				l.Rate = 500 // of each job: shares do not matter
			}
			for i, j := range w.JobsAt(l) {
				if r.Pace == vdbench.OfCurve && r.Jobs[i].Share > 0 {
					specs[i].Rate = 500
				}
				sameJob(t, w.Name, specs[i], j.Spec)
				sameTarget(t, on, r.Jobs[i].Path, j.Target)
			}
		}
	}
	if at != len(runs) {
		t.Errorf("%d load points for %d runs", at, len(runs))
	}
}

// sameTarget holds each lun to a target of its own, the first to the first.
func sameTarget(t *testing.T, on map[string]string, lun, target string) {
	t.Helper()
	was, known := on[lun]
	if !known && (target == "") != (len(on) == 0) {
		t.Errorf("%s is target %q, after %d others", lun, target, len(on))
	}
	if known && was != target {
		t.Errorf("%s is target %q, and was %q", lun, target, was)
	}
	for other, name := range on {
		if other != lun && name == target {
			t.Errorf("%s and %s are both target %q", lun, other, target)
		}
	}
	on[lun] = target
}

// sameJob draws operations from both and compares them.
func sameJob(t *testing.T, name string, want, got workloads.Spec) {
	t.Helper()
	if want.Depth != got.Depth || math.Abs(want.Rate-got.Rate) > 1e-9*want.Rate || want.Rate > 0 && want.Arrivals != got.Arrivals {
		t.Errorf("%s: depth %d rate %g arrivals %v, want %d %g %v", name, got.Depth, got.Rate, got.Arrivals, want.Depth, want.Rate, want.Arrivals)
	}
	if want.Mix.Write > 0 && ratios(want.Data) != ratios(got.Data) {
		t.Errorf("%s: data %+v, want %+v", name, got.Data, want.Data)
	}
	a, err := workloads.NewStream(want, geometry(), 7)
	if err != nil {
		t.Fatal(err)
	}
	b, err := workloads.NewStream(got, geometry(), 7)
	if err != nil {
		t.Fatal(err)
	}
	var x, y workloads.Op
	for n := range 3000 {
		more := a.Next(&x)
		if more != b.Next(&y) || x != y {
			t.Fatalf("%s: operation %d is %+v, want %+v", name, n, y, x)
		}
		if !more {
			return
		}
	}
}

// ratios are the data as it takes effect.
func ratios(d workloads.Data) workloads.Data {
	return workloads.Data{CompressRatio: max(1, d.CompressRatio), DedupRatio: max(1, d.DedupRatio), DedupUnit: d.DedupUnit}
}

func TestNotesSayWhatDiffers(t *testing.T) {
	for says, text := range map[string]string{
		"run it with --target /dev/x --target s2=/dev/y, and --destroy": "sd=s1,lun=/dev/x\nsd=s2,lun=/dev/y\nwd=w,sd=s*\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"x.parm:4: the curve's point 120% is left out":                  "sd=s,lun=/dev/x\nwd=w,sd=s\n\nrd=r,wd=w,iorate=curve,curve=(50,120),elapsed=4\n",
		"x.parm:3: stopcurve=9 is left out":                             "sd=s,lun=/dev/x\nwd=w,sd=s\nrd=default,stopcurve=9\nrd=r,wd=w,iorate=curve,elapsed=4\n",
		"x.parm:2: validate= has no effect here: verify: stamp":         "\nvalidate=yes\nsd=s,lun=/dev/x\nwd=w,sd=s\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"x.parm:1: jvms= has no effect here":                            "hd=default,jvms=8\nsd=s,lun=/dev/x\nwd=w,sd=s\nrd=r,wd=w,iorate=max,elapsed=4\n",
		"x.parm:3: the warm-up of r is as long":                         "sd=s,lun=/dev/x\nwd=w,sd=s\nrd=r,wd=w,iorate=max,elapsed=4,warmup=9\n",
	} {
		if _, _, out := convertText(t, text); !strings.Contains(out, says) {
			t.Errorf("no note %q in\n%s", says, out)
		}
	}
}

func TestErrorsNameLines(t *testing.T) {
	for says, text := range map[string]string{
		"x.parm:3": "sd=s,lun=/dev/x\nwd=w,sd=s\nrd=r,wd=w,elapsed=4\n",
	} {
		f, err := vdbench.Parse("x.parm", []byte(text), nil, nil)
		if err == nil {
			_, err = convert.Vdbench("x.parm", f)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

// TestPublishedFiles converts what people published, where it is at hand.
func TestPublishedFiles(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/vdbench/language/*.parm")
	more, _ := filepath.Glob("../../../shared/vdbench/corpus/*")
	done := 0
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := vdbench.Parse(file, text, nil, nil)
		if err != nil {
			continue
		}
		runs, err := f.Expand()
		if err != nil {
			continue
		}
		out, err := convert.Vdbench(file, f)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		p, err := profiles.Parse(file, out)
		if err != nil {
			t.Fatal(err)
		}
		sameRuns(t, runs, p)
		done++
	}
	if len(files) > 0 && done < 10 {
		t.Errorf("only %d of %d files were converted", done, len(files)+len(more))
	}
}
