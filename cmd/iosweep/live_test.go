package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/iosweep/iosweep/report/reporttest"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
)

// ask sends a request to a live page under a host's name.
func ask(t *testing.T, l *live, method, path, host string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+l.addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

func TestLivePageShowsTheRun(t *testing.T) {
	l, err := newLive(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &progress{w: io.Discard, live: l}
	now := campaign.Progress{Trial: 2, Trials: 9, Label: "</script><b>", Left: 30 * time.Second}
	p.Begins(now)
	now.OpsPerSecond, now.BytesPerSecond, now.MeanSeconds = 1000, 4096000, 0.001
	p.Runs(now)
	kind := results.KindResult{Kind: "read", Ops: 1000, Bytes: 4096000, OpsPerSecond: results.Some(1000), BytesPerSecond: results.Some(4096000)}
	p.Ends(now, &results.Trial{Status: results.Valid, WindowSeconds: 1, Jobs: []results.JobResult{{Name: "read", Kinds: []results.KindResult{kind}}}})
	_, text, _ := ask(t, l, "GET", "/state", "localhost")
	var s liveState
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	want := "trial 2 of 9  30s left|4.10 MB/s|1000/s|-"
	if got := fmt.Sprintf("%s|%s|%s|%s", s.Place, s.Done[0].Throughput, s.Done[0].Ops, s.Done[0].Mean); len(s.Throughput) != 1 || s.Ended != 1 || !strings.HasPrefix(got, "trial 2 of 9  30s left|4.") {
		t.Errorf("the page says %s, want like %s: %+v", got, want, s)
	}
	if strings.Contains(text, "<b>") {
		t.Error("a label can end the page's text")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestSoFarIsOfTheRunningWorkload has a point and a row for each cell.
func TestSoFarIsOfTheRunningWorkload(t *testing.T) {
	got := fed(reporttest.Quick(), 20).soFar()
	want := "scrub|[setting trials scrub.throughput reader.mean throughput]|scrub.throughput|reader.mean"
	if text := fmt.Sprintf("%s|%v|%s|%s", got.Workload, got.Head, got.X, got.Y); text != want {
		t.Errorf("so far is %s, want %s", text, want)
	}
	if len(got.Rows) != 4 || len(got.Points) != 3 {
		t.Fatalf("%d rows and %d points, want 4, and 3 since one setting starves the reader", len(got.Rows), len(got.Points))
	}
	if p := got.Points[0]; p.X < 1e9 || p.Y > 0.01 || !strings.HasPrefix(p.Text, p.Name+": ") {
		t.Errorf("the first point is %+v", p)
	}
	empty, err := json.Marshal((&board{}).soFar())
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("before the first trial so far is %s, %v: the page takes lists only", empty, err)
	}
}

func TestLivePageIsForThisMachineOnly(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:80", ":8080", "example.org:80", "127.0.0.1"} {
		if _, err := newLive(context.Background(), addr); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("%s: error %v, want that it is not loopback", addr, err)
		}
	}
	l, err := newLive(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range []struct {
		method, path, host string
		want               int
	}{
		{"GET", "/", "127.0.0.1:1", 200}, {"HEAD", "/state", "localhost", 200}, {"GET", "/", "evil.example:80", 403},
		{"POST", "/state", "localhost", 405}, {"GET", "/run.json", "localhost", 404},
	} {
		code, text, head := ask(t, l, c.method, c.path, c.host)
		if code != c.want {
			t.Errorf("%s %s for %s is answered by %d, want %d", c.method, c.path, c.host, code, c.want)
		}
		if head.Get("Access-Control-Allow-Origin") != "" || !strings.HasPrefix(head.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("another origin may read %s: %v", c.path, head)
		}
		if c.path == "/" && code == 200 && (!strings.Contains(text, liveScript) || strings.Contains(text, "http://")) {
			t.Error("the page is not whole, or asks others")
		}
	}
}
