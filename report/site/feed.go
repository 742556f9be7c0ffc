package site

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"time"
)

// feed is an Atom feed (RFC 4287).
type feed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Link    feedLink    `xml:"link"`
	Author  string      `xml:"author>name"`
	Entries []feedEntry `xml:"entry"`
}

type feedEntry struct {
	Title   string   `xml:"title"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Link    feedLink `xml:"link"`
	Summary string   `xml:"summary"`
}

type feedLink struct {
	Href string `xml:"href,attr"`
}

// writeFeed writes the feed, the newest run first. Runs of models have no date
// and stand at the epoch's beginning.
func writeFeed(path string, entries []*entry, base string) error {
	if base != "" {
		base = strings.TrimSuffix(base, "/") + "/"
	}
	f := feed{Title: "iosweep: measured I/O tunables", ID: "urn:iosweep:site:" + base, Author: "iosweep", Link: feedLink{base + "index.html"}, Updated: moment(time.Time{})}
	for i, e := range entries {
		if i == 0 {
			f.Updated = moment(e.started)
		}
		f.Entries = append(f.Entries, feedEntry{
			Title: e.Model.Title + " on " + e.Device, ID: "urn:iosweep:run:" + address(e.data.Run.ID), Updated: moment(e.started),
			Link: feedLink{base + e.Dir + "/report/report.html"}, Summary: strings.Join(e.Model.Answer, " "),
		})
	}
	text, err := xml.MarshalIndent(f, "", " ")
	if err != nil {
		return fmt.Errorf("make feed: %w", err)
	}
	if err := os.WriteFile(path, append([]byte(xml.Header), append(text, '\n')...), 0o644); err != nil {
		return fmt.Errorf("write feed: %w", err)
	}
	return nil
}

func moment(t time.Time) string {
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return t.UTC().Format(time.RFC3339)
}
