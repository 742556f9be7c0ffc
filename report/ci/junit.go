package ci

import (
	"encoding/xml"
	"io"
)

// testsuite, testcase and message are the elements of JUnit's XML.
type testsuite struct {
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

// JUnit writes a suite as JUnit XML. It returns the writer's error.
func JUnit(w io.Writer, s *Suite) error {
	suite := testsuite{Name: s.Name, Tests: len(s.Cases), Failures: s.count(Failed), Errors: s.count(Erred), Skipped: s.count(Skipped)}
	for _, c := range s.Cases {
		suite.Cases = append(suite.Cases, element(c))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func element(c Case) testcase {
	t := testcase{Class: c.Class, Name: c.Name}
	switch c.State {
	case Failed:
		t.Failure = &message{c.Text}
	case Erred:
		t.Error = &message{c.Text}
	case Skipped:
		t.Skipped = &message{c.Text}
	default:
		t.Out = c.Text
	}
	return t
}
