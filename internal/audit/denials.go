package audit

import (
	"net/netip"
	"time"
)

const (
	denialWindow     = time.Minute
	denialsPerSource = 60   // lines per source and window; one line with a count stands for the rest
	denialsPerWindow = 600  // lines of all sources together
	maxSources       = 4096 // counted per window; further sources share one count
)

// denials decides which denied requests get a line of their own, so that a flood of them cannot
// push older lines out of the log.
type denials struct {
	window  *time.Timer // runs while sources is not empty
	sources map[string]*denialCount
	lines   int // written in this window
}

type denialCount struct{ all, written int64 }

func newDenials() denials {
	d := denials{window: time.NewTimer(denialWindow), sources: make(map[string]*denialCount)}
	d.window.Stop()
	return d
}

// ownLine counts a denied request and reports whether it gets a line of its own.
func (d *denials) ownLine(address string) bool {
	if len(d.sources) == 0 {
		d.window.Reset(denialWindow)
	}
	source := sourceOf(address)
	count := d.sources[source]
	if count == nil && len(d.sources) >= maxSources {
		source = "others"
		count = d.sources[source]
	}
	if count == nil {
		count = new(denialCount)
		d.sources[source] = count
	}
	count.all++
	if count.written >= denialsPerSource || d.lines >= denialsPerWindow {
		return false
	}
	count.written++
	d.lines++
	return true
}

// end closes the window and returns, by source, the number of denials that got no line.
func (d *denials) end() map[string]int64 {
	rest := make(map[string]int64)
	for source, count := range d.sources {
		if count.all > count.written {
			rest[source] = count.all - count.written
		}
	}
	clear(d.sources)
	d.lines = 0
	return rest
}

// sourceOf groups the addresses that one sender can use at will: all of loopback, and the 2^64
// addresses of an IPv6 network.
func sourceOf(address string) string {
	ip, err := netip.ParseAddr(address)
	switch {
	case err != nil:
		return address
	case ip.IsLoopback():
		return "loopback"
	case ip.Is6():
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return address
}
