package vdbench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/workloads"
)

func noInclude(_, name string) ([]byte, error) { return nil, fmt.Errorf("%s: not found", name) }

// expandText parses and expands, as one step that fails or not.
func expandText(text string) ([]Run, error) {
	f, err := Parse("test.parm", []byte(text), noInclude, nil)
	if err != nil {
		return nil, err
	}
	return f.Expand()
}

// rows writes runs as the expected files hold them: name, rate, elapsed
// seconds, loops. A curve's maximum counts as 10000.
func rows(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		rate := "max"
		switch {
		case r.Curve:
			rate = "curve"
		case r.Pace == Fixed:
			rate = plain(r.Rate)
		case r.Pace == OfCurve:
			rate = plain(CurveRate(10_000, r.Percent))
		}
		var loops []string
		for _, l := range r.Loops {
			loops = append(loops, l.Key+"="+l.Value)
		}
		fmt.Fprintf(&b, "%s\t%s\t%g\t%s\n", r.Name, rate, r.Elapsed.Seconds(), strings.Join(loops, " "))
	}
	return b.String()
}

// The pairs in testdata are written for this test: X.parm and X.runs.
func TestExpansion(t *testing.T) {
	files, err := filepath.Glob("testdata/*.parm")
	if err != nil || len(files) == 0 {
		t.Fatalf("no parameter files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".parm") + ".runs")
			if err != nil {
				t.Fatal(err)
			}
			runs, err := expandText(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := rows(runs); got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

const (
	sd = "sd=sd1,lun=/dev/x,openflags=o_direct\n"
	wd = "wd=wd1,sd=sd1\n"
	rd = "rd=r,wd=wd1,iorate=max,elapsed=4\n"
)

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"no runs", sd + wd, "it has no rd="},
		{"unknown keyword", sd + "wd=wd1,sd=sd1,foo=3\n" + rd, "test.parm:2: foo: unknown keyword of wd"},
		{"one letter", sd + "wd=wd1,sd=sd1,x=4k\n" + rd, "x: unknown keyword"},
		{"reserved word inside", sd + "wd=wd1,sd=sd1,rd=70\n" + rd, "rd: unknown keyword of wd"},
		{"no lun", "sd=sd1,threads=4\n" + wd + rd, "sd=sd1 has no lun"},
		{"order", wd + sd + rd, "test.parm:2: sd: must come before wd="},
		{"no rate", sd + wd + "rd=r,wd=wd1\n", "iorate= is missing"},
		{"rate 0", sd + wd + "rd=r,wd=wd1,iorate=0\n", "rate 0"},
		{"mix not 100", sd + "wd=wd1,sd=sd1,xfersize=(4k,50,64k,40)\n" + rd, "percentages add up to 90"},
		{"skew not 100", sd + "wd=w1,sd=sd1,skew=60\nwd=w2,sd=sd1,skew=30\nrd=r,wd=w*,iorate=100\n", "skews add up to 90.00"},
		{"skew leaves nothing", sd + "wd=w1,sd=sd1,skew=100\nwd=w2,sd=sd1\nrd=r,wd=w*,iorate=100\n", "nothing is left"},
		{"rate beyond reason", sd + wd + "rd=r,wd=wd1,iorate=1t\n", "rate 1.099511627776e+12"},
		{"rate without priority", sd + "wd=wd1,sd=sd1,iorate=100\n" + rd, "must have priority="},
		{"d without a range", sd + wd + "rd=r,wd=wd1,iorate=max,forthreads=(64,1,d)\n", "mix of numbers and words"},
		{"range without step", sd + wd + "rd=r,wd=wd1,iorate=max,forthreads=(1-64)\n", "lacks its step"},
		{"endless list", sd + wd + "rd=r,wd=wd1,iorate=(1-1g,1)\n", "at most 10000 values"},
		{"too many runs", sd + wd + "rd=r,wd=wd1,iorate=(1-1000,1),forthreads=(1-100,1)\n", "more than 10000 runs"},
		{"elapsed no multiple", sd + wd + "rd=r,wd=wd1,iorate=max,elapsed=5,interval=2\n", "multiple of interval"},
		{"elapsed too short", sd + wd + "rd=r,wd=wd1,iorate=max,elapsed=1\n", "at least twice"},
		{"hosts", "hd=one,system=a\n" + sd + wd + rd, "other hosts are not supported"},
		{"any host", "hd=default,user=u\nhd=localhost,sys=far\n" + sd + wd + rd, "test.parm:2: hd: localhost: other hosts"},
		{"file systems", "fsd=f,anchor=/x\n", "file systems and replay are not supported"},
		{"concatenation", "concatenate=yes\n" + sd + wd + rd, "concatenated SDs are not supported"},
		{"no such wd", sd + wd + "rd=r,wd=w9,iorate=max\n", `nothing is called "w9"`},
		{"missing include", "include=other\n" + sd + wd + rd, "other: not found"},
		{"open quote", "sd=sd1,lun=\"/dev/x\n", "a quote is not closed"},
		{"open parenthesis", sd + "wd=wd1,sd=(sd1\n", "parentheses do not match"},
		{"wrapping range", sd + "wd=wd1,sd=sd1,range=(50,150)\n" + rd, "wraps around"},
		{"misaligned size", sd + "wd=wd1,sd=sd1,xfersize=1000\n" + rd, "size 1000 bytes is no multiple"},
		{"comma as decimal sign", sd + "wd=wd1,sd=sd1,rdpct=(33,3)\n" + "rd=r,wd=wd1,iorate=1e3\n", "1e3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, err := expandText(c.text)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v and %d runs, want %q", err, len(runs), c.says)
			}
		})
	}
}

func TestSpecs(t *testing.T) {
	read := workloads.Mix{Read: 1}
	k4 := []workloads.SizeShare{{Bytes: 4096, Share: 100}}
	for _, c := range []struct {
		name, sd, wd string
		want         workloads.Spec
	}{
		{"defaults", "", "", workloads.Spec{Depth: 8, Mix: read}},
		{"random mix", ",threads=4", ",xfersize=4k,rdpct=70,seekpct=20",
			workloads.Spec{Depth: 4, Sizes: k4, Mix: workloads.Mix{Read: 70, Write: 30}, Access: workloads.Access{Random: 0.2}}},
		{"abbreviated", ",th=4", ",xf=4k,se=rand", workloads.Spec{Depth: 4, Sizes: k4, Mix: read, Access: workloads.Access{Random: 1}}},
		{"eof", "", ",seekpct=eof", workloads.Spec{Depth: 8, Mix: read, Access: workloads.Access{StopAtEnd: true}}},
		{"-1", "", ",seekpct=-1", workloads.Spec{Depth: 8, Mix: read, Access: workloads.Access{StopAtEnd: true}}},
		{"seqnz", "", ",seekpct=seqnz", workloads.Spec{Depth: 8, Mix: read, Access: workloads.Access{RandomStart: true}}},
		{"seq", "", ",seekpct=seq", workloads.Spec{Depth: 8, Mix: read}},
		{"poisson", "", ",seekpct=(poisson,30)", workloads.Spec{Depth: 8, Mix: read, Access: workloads.Access{PoissonMid: 0.3}}},
		{"sizes", "", ",xfersize=(4096,85,8192,15)",
			workloads.Spec{Depth: 8, Mix: read, Sizes: []workloads.SizeShare{{Bytes: 4096, Share: 85}, {Bytes: 8192, Share: 15}}}},
		{"uniform sizes", "", ",xfersize=(4k,64k,4k)",
			workloads.Spec{Depth: 8, Mix: read, Uniform: workloads.SizeRange{Min: 4096, Max: 65536, Align: 4096}}},
		{"stride", "", ",stride=(4k,128k)", workloads.Spec{Depth: 8, Mix: read, Stride: workloads.SizeRange{Min: 4096, Max: 131072}}},
		{"hot band", "", ",seekpct=100,hotband=(20,60)",
			workloads.Spec{Depth: 8, Mix: read, Access: workloads.Access{Random: 1}, HotBand: workloads.Band{Low: 0.2, High: 0.6}}},
		{"hits", ",hitarea=2m", ",rhpct=50", workloads.Spec{Depth: 8, Mix: read, Hit: workloads.Hit{AreaBytes: 2 << 20, Read: 0.5}}},
		{"hits in the default area", "", ",whpct=25", workloads.Spec{Depth: 8, Mix: read, Hit: workloads.Hit{AreaBytes: 1 << 20, Write: 0.25}}},
		{"size and offset", ",size=10g,offset=1m,align=8k", "",
			workloads.Spec{Depth: 8, Mix: read, AlignBytes: 8192, Region: workloads.Region{Offset: 1 << 20, Length: 10<<30 - 1<<20}}},
		{"range in percent", "", ",range=(10,50)", workloads.Spec{Depth: 8, Mix: read, Region: workloads.Region{From: 0.1, To: 0.5}}},
		{"range of a size", ",size=100m", ",range=(10,50)",
			workloads.Spec{Depth: 8, Mix: read, Region: workloads.Region{Offset: 10 << 20, Length: 40 << 20}}},
		{"range in bytes", "", ",range=(1m,3m)", workloads.Spec{Depth: 8, Mix: read, Region: workloads.Region{Offset: 1 << 20, Length: 2 << 20}}},
		{"streams", "", ",streams=4", workloads.Spec{Depth: 8, Mix: read, Streams: 4}},
		{"threads of the workload", ",threads=4", ",threads=16", workloads.Spec{Depth: 16, Mix: read}},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, err := expandText("sd=sd1,lun=/dev/x" + c.sd + "\nwd=wd1,sd=sd1" + c.wd + "\n" + rd)
			if err != nil {
				t.Fatal(err)
			}
			c.want.Name = "wd1@sd1"
			if got := fmt.Sprintf("%+v", runs[0].Jobs[0].Spec); got != fmt.Sprintf("%+v", c.want) {
				t.Errorf("got\n%s\nwant\n%+v", got, c.want)
			}
		})
	}
}

func TestRatesAreDivided(t *testing.T) {
	runs, err := expandText("sd=sd1,lun=/dev/x\nsd=sd2,lun=/dev/y\nsd=log,lun=/dev/z\n" +
		"wd=logs,sd=log,skew=10\nwd=reads,sd=sd*,skew=60\nwd=writes,sd=sd1-sd2,rdpct=0\nrd=r,wd=*,iorate=1000,distribution=d\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, s := range runs[0].Specs(runs[0].Rate) {
		got = append(got, fmt.Sprintf("%s %.0f %d %d %s", s.Name, s.Rate, s.Depth, s.Arrivals, runs[0].Jobs[i].Path))
	}
	want := "logs@log 100 8 2 /dev/z; reads@sd1 300 4 2 /dev/x; reads@sd2 300 4 2 /dev/y; writes@sd1 150 4 2 /dev/x; writes@sd2 150 4 2 /dev/y"
	if strings.Join(got, "; ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), want)
	}
}

func TestOwnRateIsKept(t *testing.T) {
	runs, err := expandText(sd + "wd=a,sd=sd1,iorate=50,priority=1\nwd=b,sd=sd1\nrd=r,wd=*,iorate=max\n")
	if err != nil {
		t.Fatal(err)
	}
	if s := runs[0].Specs(0); s[0].Rate != 50 || s[1].Rate != 0 {
		t.Errorf("rates %v and %v, want 50 and as fast as it goes", s[0].Rate, s[1].Rate)
	}
}

func TestCurveRate(t *testing.T) {
	for _, c := range []struct{ max, percent, want float64 }{
		{10_000, 10, 1000}, {12_345, 50, 6200}, {12_345, 10, 1300}, {1234, 50, 620}, {1234, 70, 870},
		{0, 90, 9000}, {5000, 120, 6000}, {999.6, 100, 1000}, {77, 10, 10},
	} {
		if got := CurveRate(c.max, c.percent); got != c.want {
			t.Errorf("%v %% of %v: %v, want %v", c.percent, c.max, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	runs, err := expandText("sd=disk,lun=/dev/x,count=(1,3)\nwd=w,sd=*\n" + "rd=r,wd=w,iorate=max\n")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, j := range runs[0].Jobs {
		paths = append(paths, j.Storage+":"+j.Path)
	}
	if got := strings.Join(paths, " "); got != "disk1:/dev/x1 disk2:/dev/x2 disk3:/dev/x3" {
		t.Error(got)
	}
}

func TestIncludesAndValues(t *testing.T) {
	files := map[string]string{"disks": "sd=sd1,lun=$disk,size=$size\n"}
	include := func(including, name string) ([]byte, error) {
		if text, ok := files[name]; ok && including == "main" {
			return []byte(text), nil
		}
		return nil, errors.New("not found")
	}
	text := "include=disks\n" + wd + "rd=r,wd=wd1,iorate=!rate,elapsed=2h,interval=60,warmup=5m,pause=10,maxdata=1g\n"
	f, err := Parse("main", []byte(text), include, map[string]string{"disk": "/dev/x", "size": "10g", "rate": "10k", "s": "no"})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := f.Expand()
	if err != nil {
		t.Fatal(err)
	}
	r := runs[0]
	if r.Rate != 10_240 || r.Jobs[0].Path != "/dev/x" || r.Jobs[0].Spec.Region.Length != 10<<30 {
		t.Errorf("got %+v", r)
	}
	if r.Elapsed != 2*time.Hour || r.Warmup != 5*time.Minute || r.Pause != 10*time.Second || r.MaxBytes != 1<<30 {
		t.Errorf("times %+v", r)
	}
}

func TestIncludeOfItselfEnds(t *testing.T) {
	include := func(_, _ string) ([]byte, error) { return []byte("include=me\n"), nil }
	if _, err := Parse("me", []byte("include=me\n"), include, nil); err == nil {
		t.Error("an endless include is accepted")
	}
}

func TestIgnoredKeywordsAreNoted(t *testing.T) {
	f, err := Parse("p", []byte("data_errors=1\n"+sd+wd+rd), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Notes, "; "); got != "p:1: data_errors= has no effect here: a trial in which an operation fails is invalid, however few they are; p:2: openflags= has no effect here: targets are always opened for direct I/O" {
		t.Error(got)
	}
}
