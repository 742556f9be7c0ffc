package sim

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/iosweep/iosweep/internal/units"
	"gopkg.in/yaml.v3"
)

// Model is a simulated device. Exactly one of HDD and SSD is set.
type Model struct {
	Name, Title string
	// Origin says where the parameters come from, so that a reader can tell a
	// fit from a fact.
	Origin                    string
	CapacityBytes, BlockBytes int64
	HDD                       *HDD
	SSD                       *SSD
}

// HDD are the parameters of a disk with one arm.
type HDD struct {
	MediaBytesPerSecond float64
	// PerRequest is the command's own cost.
	PerRequest time.Duration
	RPM        float64
	// SeekBase + SeekSpan*sqrt(distance/capacity) is the time of a seek.
	SeekBase, SeekSpan time.Duration
	// Queuing says that the disk chooses among QueueDepth commands, the nearest
	// first, but none waits much longer than MaxWait.
	Queuing    bool
	QueueDepth int
	MaxWait    time.Duration
}

// SSD are the parameters of a device without moving parts.
type SSD struct {
	Channels            int
	Read, Write, Delete Cost
	// DeleteChannels is how many channels a delete holds.
	DeleteChannels int
	// DeleteLimitBytes is the largest delete that the device's driver sends
	// whole; 0: no limit.
	DeleteLimitBytes int64
	Flush            time.Duration
}

// Cost is a fixed time and a rate.
type Cost struct {
	Fixed time.Duration
	// BytesPerSecond is 0 where the size does not matter.
	BytesPerSecond float64
}

//go:embed models/*.yaml
var library embed.FS

// Models lists the models that come with iosweep, by name.
func Models() []string {
	entries, err := library.ReadDir("models")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// Load returns a model of the library.
func Load(name string) (*Model, error) {
	if !slices.Contains(Models(), name) {
		return nil, fmt.Errorf("model %q is not known: use one of %s", name, strings.Join(Models(), ", "))
	}
	text, err := library.ReadFile("models/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read model %s: %w", name, err)
	}
	return Parse(name, text)
}

// The YAML, whose quantities are text in the project's unit grammar.
type (
	modelYAML struct {
		Title, Origin   string
		Capacity, Block string
		HDD             *hddYAML
		SSD             *ssdYAML
	}
	hddYAML struct {
		Media      string
		PerRequest string `yaml:"per_request"`
		RPM        float64
		SeekBase   string `yaml:"seek_base"`
		SeekSpan   string `yaml:"seek_span"`
		Queue      *struct {
			Depth   int
			MaxWait string `yaml:"max_wait"`
		}
	}
	ssdYAML struct {
		Channels            int
		Read, Write, Delete costYAML
		DeleteChannels      int    `yaml:"delete_channels"`
		DeleteLimit         string `yaml:"delete_limit"`
		Flush               string
	}
	costYAML struct{ Fixed, Rate string }
)

// Parse reads a model from YAML. Errors name the model and the key.
func Parse(name string, text []byte) (*Model, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var y modelYAML
	if err := d.Decode(&y); err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	r := &reader{}
	m := &Model{Name: name, Title: y.Title, Origin: y.Origin, CapacityBytes: r.bytes("capacity", y.Capacity), BlockBytes: r.bytes("block", y.Block)}
	if y.HDD != nil {
		m.HDD = r.hdd(y.HDD)
	}
	if y.SSD != nil {
		m.SSD = r.ssd(y.SSD)
	}
	if err := errors.Join(r.err, m.check()); err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return m, nil
}

func (m *Model) check() error {
	switch {
	case (m.HDD == nil) == (m.SSD == nil):
		return errors.New("give exactly one of hdd and ssd")
	case m.Origin == "":
		return errors.New("origin: say where the parameters come from")
	case m.CapacityBytes < 1 || m.BlockBytes < 512 || m.CapacityBytes%m.BlockBytes != 0:
		return errors.New("capacity must be a multiple of block, and block at least 512 B")
	case m.HDD != nil && !(m.HDD.RPM > 0 && m.HDD.RPM < 1e6 && m.HDD.MediaBytesPerSecond > 0):
		return errors.New("hdd: media and rpm must be above 0")
	case m.HDD != nil && m.HDD.Queuing && m.HDD.QueueDepth < 1:
		return errors.New("hdd: queue: depth must be at least 1")
	case m.SSD != nil && (m.SSD.Channels < 1 || m.SSD.DeleteChannels < 1 || m.SSD.DeleteChannels > m.SSD.Channels):
		return errors.New("ssd: delete_channels must be from 1 to channels")
	}
	return nil
}

func (m *Model) timing() timing {
	if m.HDD != nil {
		return newHDD(m)
	}
	return ssd{*m.SSD}
}

// channels is how many requests the device serves at once.
func (m *Model) channels() int {
	if m.HDD != nil {
		return 1
	}
	return m.SSD.Channels
}

// queueDepth is how many requests its driver gives the device at once.
func (m *Model) queueDepth() int {
	if m.HDD != nil && m.HDD.Queuing {
		return m.HDD.QueueDepth
	}
	return m.channels()
}

// reader reads quantities and keeps all errors.
type reader struct{ err error }

func (r *reader) fail(key string, err error) {
	r.err = errors.Join(r.err, fmt.Errorf("%s: %w", key, err))
}

func (r *reader) bytes(key, text string) int64 {
	n, err := units.ParseBytes(text)
	if err != nil {
		r.fail(key, err)
	}
	return n
}

func (r *reader) duration(key, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := units.ParseDuration(text)
	if err != nil {
		r.fail(key, err)
	}
	return d
}

// rate reads a size and "/s"; none means that size does not matter.
func (r *reader) rate(key, text string) float64 {
	if text == "" {
		return 0
	}
	size, ok := strings.CutSuffix(text, "/s")
	if !ok {
		r.fail(key, fmt.Errorf("%q is not a rate: write it like 200MB/s", text))
		return 0
	}
	n := float64(r.bytes(key, size))
	if n <= 0 {
		r.fail(key, errors.New("must be above 0"))
	}
	return n
}

func (r *reader) cost(key string, y costYAML) Cost {
	return Cost{Fixed: r.duration(key+".fixed", y.Fixed), BytesPerSecond: r.rate(key+".rate", y.Rate)}
}

func (r *reader) hdd(y *hddYAML) *HDD {
	h := &HDD{
		MediaBytesPerSecond: r.rate("hdd.media", y.Media), PerRequest: r.duration("hdd.per_request", y.PerRequest), RPM: y.RPM,
		SeekBase: r.duration("hdd.seek_base", y.SeekBase), SeekSpan: r.duration("hdd.seek_span", y.SeekSpan),
	}
	if y.Queue != nil {
		h.Queuing, h.QueueDepth, h.MaxWait = true, y.Queue.Depth, r.duration("hdd.queue.max_wait", y.Queue.MaxWait)
	}
	return h
}

func (r *reader) ssd(y *ssdYAML) *SSD {
	s := &SSD{
		Channels: y.Channels, DeleteChannels: y.DeleteChannels, Flush: r.duration("ssd.flush", y.Flush),
		Read: r.cost("ssd.read", y.Read), Write: r.cost("ssd.write", y.Write), Delete: r.cost("ssd.delete", y.Delete),
	}
	if y.DeleteLimit != "" {
		s.DeleteLimitBytes = r.bytes("ssd.delete_limit", y.DeleteLimit)
	}
	return s
}
