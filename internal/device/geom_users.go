package device

import (
	"fmt"
	"strings"
)

// meshUsers finds what uses the providers of a mesh. mine is what this process
// has open of one of them, which is no use by somebody else.
type meshUsers struct {
	mounts []mount
	mine   map[string]access // by provider name
}

// of lists what uses a provider, what stands on it, and for a partition its
// disk as a whole.
func (u meshUsers) of(p *provider) []string {
	users := u.above(p, map[*provider]bool{})
	at := p
	for range maxLayers {
		if at.geom.class != classPart && at.geom.class != classLabel || at.below() == nil {
			break
		}
		for _, s := range u.aside(at.below(), at.geom) {
			users = append(users, "its disk "+at.below().name+": "+s)
		}
		at = at.below()
	}
	return users
}

// above lists direct users, and those of every geom that stands on the
// provider.
func (u meshUsers) above(p *provider, seen map[*provider]bool) []string {
	if seen[p] {
		return nil
	}
	seen[p] = true
	users := u.mounted(p)
	for _, c := range p.consumers {
		if s := u.direct(p, c, len(users) > 0); s != "" {
			users = append(users, s)
		}
		for _, top := range c.geom.providers {
			for _, s := range u.above(top, seen) {
				users = append(users, top.name+": "+s)
			}
		}
	}
	return users
}

// aside lists the direct users of a provider but one geom.
func (u meshUsers) aside(p *provider, but *geom) []string {
	users := u.mounted(p)
	for _, c := range p.consumers {
		if c.geom == but {
			continue
		}
		if s := u.direct(p, c, len(users) > 0); s != "" {
			users = append(users, s)
		}
	}
	return users
}

func (u meshUsers) mounted(p *provider) []string {
	var users []string
	for _, m := range u.mounts {
		if strings.TrimPrefix(m.source, "/dev/") == p.name && p.name != "" {
			users = append(users, fmt.Sprintf("mounted at %s (%s)", m.point, m.fsType))
		}
	}
	return users
}

// direct says what one consumer is to its provider, or nothing where it has it
// not open: GEOM attaches classes that merely looked.
func (u meshUsers) direct(p *provider, c *consumer, mounted bool) string {
	open := c.access
	if c.geom.class == classDev {
		open = open.minus(u.mine[p.name])
		if open.write <= 0 && open.exclusive <= 0 {
			return "" // a reader through /dev disturbs nobody
		}
		return fmt.Sprintf("open for writing through /dev/%s (%v)", p.name, open)
	}
	if !open.any() {
		return ""
	}
	switch c.geom.class {
	case classVFS:
		if mounted {
			return ""
		}
		return "mounted (" + c.geom.name + ")"
	case classSwap:
		return "swap space"
	case classZFS:
		return "member of a ZFS pool"
	case classPart:
		return "" // open because a partition is, which is listed itself
	}
	return fmt.Sprintf("held by %s %s", strings.ToLower(c.geom.class), c.geom.name)
}
