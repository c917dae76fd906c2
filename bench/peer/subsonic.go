package peer

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
)

// Subsonic is a running catalog server that speaks the Subsonic API: gonic or Navidrome.
type Subsonic struct {
	*gauge.Process
	gauge.Target
	Name           string
	User, Password string
	login          string
}

// Starters start the catalog servers over a music folder, each with a data folder of its own. They
// return when the server replies; Scan then reads the music folder.
var Starters = []struct {
	Name  string
	Start func(data, music string) (*Subsonic, error)
}{
	{"gonic", startGonic},
	{"Navidrome", startNavidrome},
}

const password = "bench" // of a short-lived server on loopback

func startGonic(data, music string) (*Subsonic, error) {
	for _, dir := range []string{"podcasts", "playlists", "cache"} {
		if err := os.MkdirAll(filepath.Join(data, dir), 0o700); err != nil {
			return nil, err
		}
	}
	return start("gonic", "gonic", "admin", "admin", func(addr string) (env, args []string) {
		return nil, []string{"-listen-addr", addr, "-music-path", music, "-http-log=false",
			"-db-path", filepath.Join(data, "gonic.db"), "-podcast-path", filepath.Join(data, "podcasts"),
			"-playlists-path", filepath.Join(data, "playlists"), "-cache-path", filepath.Join(data, "cache")}
	})
}

func startNavidrome(data, music string) (*Subsonic, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	return start("Navidrome", "navidrome", "admin", password, func(addr string) (env, args []string) {
		host, port, _ := strings.Cut(addr, ":")
		return []string{"ND_ADDRESS=" + host, "ND_PORT=" + port, "ND_MUSICFOLDER=" + music, "ND_DATAFOLDER=" + data,
			"ND_LOGLEVEL=error", "ND_DEVAUTOCREATEADMINPASSWORD=" + password, "ND_SCANNER_SCANONSTARTUP=false",
			"ND_SCANNER_SCHEDULE=0", "ND_SCANNER_WATCHERWAIT=0",
			"ND_ENABLEEXTERNALSERVICES=false", "ND_ENABLEINSIGHTSCOLLECTOR=false"}, nil
	})
}

func start(name, program, user, pass string, how func(addr string) (env, args []string)) (*Subsonic, error) {
	path, err := installed(program)
	if err != nil {
		return nil, err
	}
	addr, err := gauge.FreeAddr()
	if err != nil {
		return nil, err
	}
	env, args := how(addr)
	s := &Subsonic{Name: name, User: user, Password: pass, Target: gauge.Target{Base: "http://" + addr}}
	if s.Process, err = gauge.Launch(env, path, args...); err != nil {
		return nil, err
	}
	s.login = url.Values{"u": {user}, "p": {pass}, "v": {"1.16.1"}, "c": {"bench"}, "f": {"json"}}.Encode()
	if _, err := s.Until("it replied", 60*time.Second, func() bool { return s.call("ping", "", nil) == nil }); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Path returns the path and query of a call.
func (s *Subsonic) Path(method, query string) string {
	return "/rest/" + method + "?" + s.login + query
}

// call sends a request and decodes the content of the envelope.
func (s *Subsonic) call(method, query string, into any) error {
	var envelope struct {
		Response json.RawMessage `json:"subsonic-response"`
	}
	if err := s.Request("GET", s.Path(method, query), "", &envelope); err != nil {
		return err
	}
	var status struct{ Status string }
	if err := json.Unmarshal(envelope.Response, &status); err != nil {
		return err
	}
	if status.Status != "ok" {
		return fmt.Errorf("%s of %s: %s", method, s.Name, envelope.Response)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(envelope.Response, into)
}

// Scan scans the music folder, which must not be empty, and returns the number of songs. A server
// may report no running scan before it begins the requested one, so no songs means not finished.
func (s *Subsonic) Scan() (songs int, err error) {
	if err := s.call("startScan", "", nil); err != nil {
		return 0, err
	}
	var now struct {
		ScanStatus struct {
			Scanning bool
			Count    int
		}
	}
	_, err = s.Until("its scan ended", 5*time.Minute, func() bool {
		return s.call("getScanStatus", "", &now) == nil && !now.ScanStatus.Scanning && now.ScanStatus.Count > 0
	})
	return now.ScanStatus.Count, err
}

// SongPage returns the path of a page of 50 songs.
func (s *Subsonic) SongPage(number int) string {
	return s.Path("search3", fmt.Sprintf("&query=&artistCount=0&albumCount=0&songCount=50&songOffset=%d", 50*number))
}

// SongIDs returns the ids of the first songs, up to n.
func (s *Subsonic) SongIDs(n int) (ids []string, err error) {
	for page := 0; len(ids) < n; page++ {
		var found struct {
			SearchResult3 struct{ Song []struct{ ID string } }
		}
		query := fmt.Sprintf("&query=&artistCount=0&albumCount=0&songCount=500&songOffset=%d", 500*page)
		if err := s.call("search3", query, &found); err != nil {
			return nil, err
		}
		for _, song := range found.SearchResult3.Song {
			ids = append(ids, song.ID)
		}
		if len(found.SearchResult3.Song) == 0 {
			break
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s has no songs", s.Name)
	}
	return ids, nil
}
