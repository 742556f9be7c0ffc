// Package ci writes a comparison in the forms that continuous integration
// reads: JUnit XML, a GitHub job summary and OpenMetrics text.
package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/iosweep/iosweep/report/compared"
	"github.com/iosweep/iosweep/results/comparison"
)

type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *message `xml:"failure,omitempty"`
	Error   *message `xml:"error,omitempty"`
	Skipped *message `xml:"skipped,omitempty"`
	Out     string   `xml:"system-out,omitempty"`
}

type message struct {
	Message string `xml:"message,attr"`
}

// JUnit writes a case for each device, workload and metric. A case fails when
// the gate does, is in error when the lab could not measure it, and is skipped
// when the target does not support it or the comparison did not decide. It
// returns the writer's error.
func JUnit(w io.Writer, t *comparison.Table, g comparison.Gate) error {
	s := suite{Name: "iosweep " + t.New + " against " + t.Base}
	for i := range t.Rows {
		s.add(caseOf(t, &t.Rows[i], g))
	}
	for _, u := range t.Unmatched {
		s.add(testcase{Class: u.Workload, Name: strings.TrimSpace(u.Load + " " + u.Setting), Skipped: &message{u.String()}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *suite) add(c testcase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func caseOf(t *comparison.Table, r *comparison.Row, g comparison.Gate) testcase {
	c := testcase{Class: r.Device + "." + r.Workload, Name: strings.TrimPrefix(compared.RowName(r), r.Workload+" "), Out: compared.Sentence(r)}
	verdict := g.Row(t, r)
	switch {
	case verdict == comparison.Fail:
		c.Failure = &message{compared.Sentence(r)}
	case r.Lack == comparison.Unsupported:
		c.Skipped = &message{"unsupported: " + strings.Join(r.Notes, "; ")}
	case r.Lack == comparison.Unmeasured:
		c.Error = &message{fmt.Sprintf("no valid trial on one side: %s", strings.Join(r.Notes, "; "))}
	case verdict == comparison.Inconclusive:
		c.Skipped = &message{"undecided: " + compared.Sentence(r)}
	}
	return c
}
