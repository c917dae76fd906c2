package subsonic

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

func (s *server) ping(context.Context, *call) error { return nil }

func (s *server) getLicense(_ context.Context, c *call) error {
	c.out.object("license")
	c.out.bool("valid", true)
	c.out.end()
	return nil
}

// extensions are the parts of OpenSubsonic beyond its core that this server has.
var extensions = []struct {
	name     string
	versions []int64
}{
	{"apiKeyAuthentication", []int64{1}},
	{"formPost", []int64{1}},
	{"indexBasedQueue", []int64{1}},
	{"playbackReport", []int64{1}},
	{"songLyrics", []int64{1, 2}},
	{"topSongsByArtistId", []int64{1}},
}

// transcodingExtensions are those of a server that converts audio.
var transcodingExtensions = []string{"transcodeOffset", "transcoding"}

func (s *server) getOpenSubsonicExtensions(_ context.Context, c *call) error {
	e := c.out
	e.list("openSubsonicExtensions")
	for _, x := range extensions {
		e.extension(x.name, x.versions...)
	}
	if s.cfg.Transcodes != nil {
		for _, name := range transcodingExtensions {
			e.extension(name, 1)
		}
	}
	e.endList()
	return nil
}

func (e *encoder) extension(name string, versions ...int64) {
	e.item()
	e.str("name", name)
	e.ints("versions", versions...)
	e.end()
}

func (s *server) tokenInfo(_ context.Context, c *call) error {
	c.out.object("tokenInfo")
	c.out.str("username", c.key.Owner.Username)
	c.out.end()
	return nil
}

// getUser describes the user of the key: what it may do follows from the key's permissions. Others
// are nobody's business.
func (s *server) getUser(_ context.Context, c *call) error {
	name := c.get("username")
	if name != "" && !strings.EqualFold(name, c.key.Owner.Username) {
		return coded(codeForbidden, fault.Forbidden, "this key may only describe its own user")
	}
	permissions, err := access.ParseKeyPermissions(c.key.Permissions)
	if err != nil {
		return err
	}
	writes := permissions.Has(access.Write)
	e := c.out
	e.object("user")
	e.str("username", c.key.Owner.Username)
	for _, role := range []struct {
		name  string
		value bool
	}{
		{"scrobblingEnabled", writes}, {"adminRole", false}, {"settingsRole", false}, {"downloadRole", true},
		{"uploadRole", false}, {"playlistRole", writes}, {"coverArtRole", false}, {"commentRole", writes},
		{"podcastRole", false}, {"streamRole", true}, {"jukeboxRole", writes && s.jukebox() != nil}, {"shareRole", false},
		{"videoConversionRole", false},
	} {
		e.bool(role.name, role.value)
	}
	e.ints("folder", musicFolder)
	e.end()
	return nil
}

// scanRequests limits how often apps can request a scan.
type scanRequests struct {
	mu   sync.Mutex
	last time.Time
}

// scanPause is the least time between two scans that apps request.
const scanPause = 10 * time.Second

// due reports whether a request starts a scan; otherwise the last one stands for it.
func (r *scanRequests) due(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && now.Sub(r.last) < scanPause {
		return false
	}
	r.last = now
	return true
}

func (s *server) startScan(ctx context.Context, c *call) error {
	if s.cfg.StartScan == nil {
		return fault.New(fault.Unavailable, "this server does not scan")
	}
	if s.scans.due(time.Now()) {
		s.cfg.StartScan()
	}
	return s.getScanStatus(ctx, c)
}

func (s *server) getScanStatus(_ context.Context, c *call) error {
	c.out.object("scanStatus")
	c.out.bool("scanning", s.cfg.Scan != nil && s.cfg.Scan())
	c.out.int("count", s.store.View().Songs)
	c.out.end()
	return nil
}

// emptyLists returns an endpoint that has a container with an empty list, or no list if its name is
// empty.
func (s *server) emptyLists(container, list string) endpoint {
	return func(_ context.Context, c *call) error {
		c.out.object(container)
		if list != "" {
			c.out.empty(list)
		}
		c.out.end()
		return nil
	}
}

// errNever is the error of an endpoint that this server never supports.
var errNever = fault.New(fault.Unavailable, "this server does not support this call")

func (s *server) never(context.Context, *call) error { return errNever }

// root is for apps that look whether there is a server before they log in.
func (s *server) root(w http.ResponseWriter, _ *http.Request) error {
	forOwnOriginOnly(w.Header())
	return httpkit.WriteBody(w, http.StatusOK, "text/plain; charset=utf-8",
		[]byte("This is a Waxwing catalog. Apps that speak the Subsonic API can use this address.\n"))
}
