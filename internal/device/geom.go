package device

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxMeshBytes bounds the XML of FreeBSD's GEOM tree (kern.geom.confxml): a
// host with a thousand disks has some 5 MiB.
const maxMeshBytes = 64 << 20

// access counts who has a provider open: for reading, for writing, and to the
// exclusion of other writers (GEOM's rNwNeN).
type access struct{ read, write, exclusive int }

func (a access) any() bool { return a != access{} }

func (a access) minus(b access) access {
	return access{a.read - b.read, a.write - b.write, a.exclusive - b.exclusive}
}

func (a access) String() string {
	return fmt.Sprintf("r%dw%de%d", a.read, a.write, a.exclusive)
}

// geom is one node of GEOM's tree: it stands on providers through its consumers
// and offers providers of its own.
type geom struct {
	class, name string
	consumers   []*consumer
	providers   []*provider
}

// consumer attaches a geom to a provider; of is nil where it is not attached.
type consumer struct {
	id     string
	geom   *geom
	of     *provider
	access access
}

// provider is something that can be read and written: a disk, a partition, a
// mirror.
type provider struct {
	id, name                            string
	geom                                *geom
	access                              access
	sizeBytes, sectorBytes, stripeBytes int64
	// config is what its class says of it, such as ident and lunid.
	config    map[string]string
	consumers []*consumer
}

// mesh is the whole tree, providers in the kernel's order.
type mesh struct {
	providers []*provider
	byName    map[string]*provider
}

// The kernel's XML, sys/geom/geom_dump.c. Numbers are read as text, so that one
// odd value does not hide the rest.
type (
	meshXML struct {
		Classes []struct {
			Name  string    `xml:"name"`
			Geoms []geomXML `xml:"geom"`
		} `xml:"class"`
	}
	geomXML struct {
		Name      string        `xml:"name"`
		Consumers []consumerXML `xml:"consumer"`
		Providers []providerXML `xml:"provider"`
	}
	consumerXML struct {
		ID       string `xml:"id,attr"`
		Provider struct {
			Ref string `xml:"ref,attr"`
		} `xml:"provider"`
		Mode string `xml:"mode"`
	}
	providerXML struct {
		ID     string    `xml:"id,attr"`
		Mode   string    `xml:"mode"`
		Name   string    `xml:"name"`
		Media  string    `xml:"mediasize"`
		Sector string    `xml:"sectorsize"`
		Stripe string    `xml:"stripesize"`
		Config configXML `xml:"config"`
	}
	configXML struct {
		Values []struct {
			XMLName xml.Name
			Text    string `xml:",chardata"`
		} `xml:",any"`
	}
)

// parseMesh reads kern.geom.confxml, which ends in a NUL.
func parseMesh(raw []byte) (*mesh, error) {
	if len(raw) > maxMeshBytes {
		return nil, fmt.Errorf("GEOM's tree has %d bytes, more than %d", len(raw), maxMeshBytes)
	}
	var doc meshXML
	if err := xml.Unmarshal(bytes.Map(allowed, bytes.TrimRight(raw, "\x00")), &doc); err != nil {
		return nil, fmt.Errorf("parse GEOM's tree: %w", err)
	}
	m := &mesh{byName: map[string]*provider{}}
	byID := map[string]*provider{}
	var attached []func()
	for _, c := range doc.Classes {
		for _, g := range c.Geoms {
			node := m.add(c.Name, g, byID)
			attached = append(attached, func() { node.attach(g.Consumers, byID) })
		}
	}
	for _, attach := range attached { // a consumer may come before its provider
		attach()
	}
	return m, nil
}

// allowed puts a question mark for what no XML may hold. The kernel copies the
// labels of partitions, which anybody may have written.
func allowed(r rune) rune {
	if r == utf8.RuneError || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
		return '?'
	}
	return r
}

func (m *mesh) add(class string, x geomXML, byID map[string]*provider) *geom {
	g := &geom{class: class, name: x.Name}
	for _, p := range x.Providers {
		next := &provider{
			id: p.ID, name: p.Name, geom: g, access: parseAccess(p.Mode),
			sizeBytes: parseCount(p.Media), sectorBytes: parseCount(p.Sector), stripeBytes: parseCount(p.Stripe),
			config: map[string]string{},
		}
		for _, v := range p.Config.Values {
			next.config[v.XMLName.Local] = strings.TrimSpace(v.Text)
		}
		if class == classMD {
			next.config["file"] = kernelBytes(next.config["file"])
		}
		g.providers = append(g.providers, next)
		m.providers = append(m.providers, next)
		byID[p.ID], m.byName[p.Name] = next, next
	}
	return g
}

// kernelBytes undoes the kernel's way with a path, of which it writes each byte
// above 0x7e as a character of its own (g_conf_cat_escaped).
func kernelBytes(text string) string {
	raw := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return text
		}
		raw = append(raw, byte(r))
	}
	return string(raw)
}

func (g *geom) attach(all []consumerXML, byID map[string]*provider) {
	for _, x := range all {
		c := &consumer{id: x.ID, geom: g, of: byID[x.Provider.Ref], access: parseAccess(x.Mode)}
		g.consumers = append(g.consumers, c)
		if c.of != nil {
			c.of.consumers = append(c.of.consumers, c)
		}
	}
}

// counterID is the number under which GEOM counts what is asked of a provider.
// Its own counts are those, except for a memory disk, which has none: there it
// is who asks through /dev that is counted.
func (p *provider) counterID() uint64 {
	id := p.id
	if p.geom.class == classMD {
		for _, c := range p.consumers {
			if c.geom.class == classDev {
				id = c.id
			}
		}
	}
	n, err := strconv.ParseUint(id, 0, 64)
	if err != nil {
		return 0
	}
	return n
}

// parseAccess reads rNwNeN; what is not that counts as nobody.
func parseAccess(s string) access {
	var a access
	if n, err := fmt.Sscanf(s, "r%dw%de%d", &a.read, &a.write, &a.exclusive); n != 3 || err != nil {
		return access{}
	}
	return a
}

// parseCount reads a number of bytes, 0 where there is none.
func parseCount(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// below is the provider that a provider's geom stands on, or nil for a disk and
// for what stands on several.
func (p *provider) below() *provider {
	if len(p.geom.consumers) != 1 {
		return nil
	}
	return p.geom.consumers[0].of
}

// disk is the whole disk that a partition is on, or the provider itself. Labels
// are other names of the same thing.
func (p *provider) disk() *provider {
	for range maxLayers {
		if p.geom.class != classPart && p.geom.class != classLabel || p.below() == nil {
			break
		}
		p = p.below()
	}
	return p
}

// unlabelled is the provider that a label names.
func (p *provider) unlabelled() *provider {
	for range maxLayers {
		if p.geom.class != classLabel || p.below() == nil {
			break
		}
		p = p.below()
	}
	return p
}

// maxLayers bounds how deep one provider may stand on another.
const maxLayers = 64

// The classes that are treated apart.
const (
	classDisk  = "DISK"
	classMD    = "MD"
	classPart  = "PART"
	classLabel = "LABEL"
	classDev   = "DEV"
	classVFS   = "VFS"
	classSwap  = "SWAP"
	classZFS   = "ZFS::VDEV"
)
