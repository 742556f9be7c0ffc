package vdbench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/iosweep/iosweep/workloads"
)

// FuzzParse checks that no text makes the parser or the expansion panic or run
// away, and that every spec it makes is valid.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.parm")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(sd + wd + rd)
	f.Add("sd=sd1,lun=/dev/x,size=10g,offset=1m\nwd=w,sd=sd*,seekpct=50,hotband=(20,60),rhpct=5,range=(0,50),xfersize=(4k,50,8k,50)\nrd=r,wd=w,iorate=(1-9,2)\n")
	f.Fuzz(func(t *testing.T, text string) {
		runs, err := expandText(text)
		if err != nil {
			return
		}
		if len(runs) > mostValues {
			t.Fatalf("%d runs", len(runs))
		}
		for _, r := range runs {
			for _, s := range r.Specs(r.Rate) {
				if err := s.Validate(workloads.Geometry{}); err != nil {
					t.Fatalf("run %s: %v", r.Name, err)
				}
			}
		}
	})
}
