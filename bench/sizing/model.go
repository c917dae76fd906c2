package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// demand is the size and load of a catalog.
type demand struct {
	songs    float64
	requests float64 // per second
}

// growth lists sizes from one household to a very large service.
var growth = []demand{{100_000, 10}, {1e6, 1000}, {10e6, 10_000}, {100e6, 100_000}}

// Assumptions, not measurements. docs/scale.md lists each of them.
const (
	hits        = 0.8       // share of requests served from the response cache
	playShare   = 0.02      // share of requests that are plays
	utilisation = 0.6       // planned utilisation of a processor
	serverCores = 8         // per catalog server
	link        = 10e9 / 8  // bytes per second of a network link
	compressed  = 1.0 / 4.0 // size after gzip
)

// need is the hardware for a demand.
type need struct {
	demand
	disk            float64 // bytes of database
	first, again    time.Duration
	cores           float64 // of catalog servers
	servers         float64
	databaseCores   float64 // if the database did all the work of uncached pages: an upper bound
	writers         float64 // databases, limited by recorded plays
	links           float64
	firstToSaturate string
}

func (f *figures) needs(d demand) need {
	n := need{demand: d, disk: d.songs * f.songBytes}
	n.first = seconds(d.songs / f.first)
	n.again = seconds(d.songs / f.again)
	perHot, perCold := f.hot/f.cores, f.cold/f.cores // of one core
	n.databaseCores = d.requests * (1 - hits) / perCold / utilisation
	n.cores = d.requests*hits/perHot/utilisation + n.databaseCores
	n.servers = max(1, math.Ceil(n.cores/serverCores))
	n.writers = d.requests * playShare / f.plays / utilisation
	n.links = d.requests * f.pageBytes * compressed / link / utilisation
	n.firstToSaturate = first(map[string]float64{
		"processors of one server": n.cores / serverCores, "writes of one database": n.writers,
		"processors of one database (16)": n.databaseCores / 16, "one network link": n.links,
	})
	return n
}

// first returns the most utilised part and its utilisation.
func first(used map[string]float64) string {
	name, most := "", 0.0
	for part, share := range used {
		if share > most || share == most && part < name {
			name, most = part, share
		}
	}
	return fmt.Sprintf("%s (%s)", name, percent(most))
}

func percent(share float64) string {
	if share > 2 {
		return fmt.Sprintf("%.0f ×", share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// table renders the needs as Markdown.
func (f *figures) table(demands []demand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Figures of %s (%s): %.0f cached and %.0f uncached pages/s per core, %.0f plays/s recorded, "+
		"%.0f bytes of database per song, %.0f bytes per page, %.0f files/s first scan, %.0f files/s no-change scan.\n\n",
		f.source, f.engine, f.hot/f.cores, f.cold/f.cores, f.plays, f.songBytes, f.pageBytes, f.first, f.again)
	b.WriteString("| songs | requests/s | database | first scan | later scans | server cores | servers of 8 | " +
		"database cores, at most | databases by plays | 10 Gbit/s links | bottleneck |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, d := range demands {
		n := f.needs(d)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.1f | %.0f | %.1f | %.2f | %.2f | %s |\n",
			short(d.songs), short(d.requests), bytes(n.disk), n.first.Round(time.Second), n.again.Round(time.Second),
			n.cores, n.servers, n.databaseCores, n.writers, n.links, n.firstToSaturate)
	}
	return b.String()
}

func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.0f M", v/1e6)
	case v >= 1000:
		return fmt.Sprintf("%.0f k", v/1000)
	}
	return fmt.Sprintf("%.0f", v)
}

func bytes(v float64) string {
	if v >= 1e9 {
		return fmt.Sprintf("%.0f GB", v/1e9)
	}
	return fmt.Sprintf("%.0f MB", v/1e6)
}
