package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/iosweep/iosweep/internal/units"
	"github.com/iosweep/iosweep/report/html"
	"github.com/iosweep/iosweep/results"
	"github.com/iosweep/iosweep/runners/campaign"
)

//go:embed live.html
var livePage string

//go:embed live.js
var liveScript string

// mostMoments bounds what is kept of the running trial's throughput.
const mostMoments = 600

// live is a page on loopback that shows where a run stands. It can only be read.
type live struct {
	server *http.Server
	addr   string
	page   []byte
	policy string

	mu sync.Mutex
	s  liveState
}

// liveState is what the page asks for.
type liveState struct {
	Place      string      `json:"place"`
	Label      string      `json:"label"`
	Rate       string      `json:"rate"`
	Trials     int         `json:"trials"`
	Ended      int         `json:"ended"`
	Throughput []float64   `json:"throughput"`
	SoFar      soFar       `json:"so_far"`
	Done       []liveTrial `json:"done"`
}

// liveTrial is a trial that ended.
type liveTrial struct {
	Label      string `json:"label"`
	Status     string `json:"status"`
	Throughput string `json:"throughput"`
	Ops        string `json:"ops"`
	Mean       string `json:"mean"`
}

// newLive serves the page until Close. Only a loopback address is taken: the
// page tells of the machine, and nothing asks who reads it.
func newLive(ctx context.Context, addr string) (*live, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !loopback(host) {
		return nil, withCode(exitUsage, fmt.Errorf("--live %q: name a loopback address and a port, such as 127.0.0.1:8080", addr))
	}
	l := &live{s: liveState{Place: "preparing", Throughput: []float64{}, Done: []liveTrial{}}}
	if err := l.compose(); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve the live page: %w", err)
	}
	l.addr = listener.Addr().String()
	l.server = &http.Server{Handler: l, ReadHeaderTimeout: 5 * time.Second}
	go l.server.Serve(listener) //nolint:errcheck // it ends with ErrServerClosed
	return l, nil
}

// loopback says that a host is this machine alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (l *live) compose() error {
	style, err := html.Style()
	if err != nil {
		return err
	}
	t, err := template.New("live.html").Parse(livePage)
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	var b bytes.Buffer
	l.policy = "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; script-src '" + html.Hash(liveScript) + "'"
	err = t.Execute(&b, map[string]any{"Style": template.CSS(style), "Script": template.JS(liveScript), "Place": l.s.Place})
	l.page = b.Bytes()
	return err
}

// ServeHTTP answers GET of the page and of its state. A host that is not
// loopback is another site's name for this machine, and is refused.
func (l *live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	w.Header().Set("Content-Security-Policy", l.policy)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case !loopback(host):
		http.Error(w, "this page is for this machine", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "this page can only be read", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(l.page) //nolint:errcheck // the reader went away
	case r.URL.Path == "/state":
		w.Header().Set("Content-Type", "application/json")
		l.mu.Lock()
		defer l.mu.Unlock()
		json.NewEncoder(w).Encode(l.s) //nolint:errcheck // the reader went away
	default:
		http.NotFound(w, r)
	}
}

// Close stops serving. A nil live was never asked for.
func (l *live) Close() error {
	if l == nil {
		return nil
	}
	if err := l.server.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stop the live page: %w", err)
	}
	return nil
}

// begins, runs and ends take note of a campaign's progress, and of what the board
// has of it.
func (l *live) begins(s campaign.Progress, b *board) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.s.Place, l.s.Label, l.s.Rate, l.s.Trials = place(s)+left(s), s.Label, "", s.Trials
	l.s.Throughput = []float64{}
	l.s.SoFar = b.soFar()
}

func (l *live) runs(s campaign.Progress) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.s.Place, l.s.Rate = place(s)+left(s), rateText(s)
	l.s.Throughput = append(l.s.Throughput, s.BytesPerSecond)
	if n := len(l.s.Throughput); n > mostMoments {
		l.s.Throughput = l.s.Throughput[n-mostMoments:]
	}
}

func (l *live) ends(s campaign.Progress, t *results.Trial, b *board) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.s.Ended++
	l.s.SoFar = b.soFar()
	l.s.Done = append(l.s.Done, liveTrial{
		Label: s.Label, Status: string(t.Status),
		Throughput: metricText(t, "throughput", units.FormatRate), Ops: metricText(t, "ops", units.FormatOps), Mean: metricText(t, "mean", units.FormatSeconds),
	})
}

// metricText is a trial's figure over all its operations, or a dash.
func metricText(t *results.Trial, name string, format func(float64) string) string {
	v, _, err := results.Metric(t, name)
	if err != nil || !v.Valid {
		return "-"
	}
	return format(v.V)
}
