// Package apps measures the Subsonic API over one connection, as apps use it, beside gonic and
// Navidrome on the same music, and over a large catalog.
package apps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// Keys of the rows.
const (
	Sync, Albums, Newest, Album, Song = "app-sync", "app-albums", "app-newest", "app-album", "app-song"
	Random, Artists, Search, Playlist = "app-random", "app-artists", "app-search", "app-playlist"
	LongPlaylist, Ping                = "app-long-playlist", "app-ping"
	Large, LargeRandom, HugePlaylist  = "app-large", "app-large-random", "app-huge-playlist"
)

// Keys are the keys of all rows, in the order of the table.
var Keys = []string{Sync, Albums, Newest, Album, Song, Random, Artists, Search, Playlist, LongPlaylist, Ping, Large,
	LargeRandom, HugePlaylist}

// appKeys is the number of apps of the user: a login compares the keys of all.
const appKeys = 32

// Measure returns the requested rows.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	if run.Wants(Keys[:len(Keys)-3]...) {
		if rows, err = beside(ctx, run); err != nil {
			return rows, err
		}
	}
	if !run.Wants(Large, LargeRandom, HugePlaylist) {
		return rows, nil
	}
	more, err := large(ctx, run)
	return append(rows, more...), err
}

// bench is one comparison: ours is the first of the servers.
type bench struct {
	run     *gauge.Run
	servers []*server
	pages   [][3]int // of each server
	absent  []string
}

// beside compares ours with other servers on the same music.
func beside(ctx context.Context, run *gauge.Run) ([]table.Row, error) {
	run.Logf("the Subsonic API with %d songs", gauge.LibraryFiles)
	music, err := run.Library(ctx)
	if err != nil {
		return nil, err
	}
	m := &bench{run: run}
	ours, err := m.startOurs(ctx, music)
	if err != nil {
		return nil, err
	}
	defer ours.Stop()
	for _, starter := range peer.Starters {
		other, err := starter.Start(filepath.Join(run.Cache, "peer-"+strings.ToLower(starter.Name)), music)
		if errors.Is(err, peer.ErrAbsent) {
			m.absent = append(m.absent, err.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		defer other.Stop()
		run.Logf("%s scans its music folder", other.Name)
		if _, err := other.Scan(); err != nil {
			return nil, err
		}
		m.servers = append(m.servers, newServer(other.Name, other.Target, other.User, other.Password))
	}
	for _, s := range m.servers {
		defer s.close()
		pages, err := s.pages()
		if err != nil {
			return nil, err
		}
		if len(s.songs) != gauge.LibraryFiles {
			return nil, fmt.Errorf("%s has %d songs, want %d", s.name, len(s.songs), gauge.LibraryFiles)
		}
		m.pages = append(m.pages, pages)
	}
	return m.rows()
}

// startOurs starts our server, waits for its scan and creates the keys of apps.
func (m *bench) startOurs(ctx context.Context, music string) (*gauge.Waxwing, error) {
	data := filepath.Join(m.run.Temp, "apps")
	ours, _, err := m.run.StartWaxwing(ctx, gauge.Role{Command: "catalog", Data: data, Args: []string{"--music", music}})
	if err != nil {
		return nil, err
	}
	var list struct{ Total int }
	_, err = ours.Until("its scan ended", 5*time.Minute, func() bool {
		return ours.Catalog.Request("GET", "/api/songs?limit=1", "", &list) == nil && list.Total == gauge.LibraryFiles
	})
	var user, secret string
	for i := 0; i < appKeys && err == nil; i++ {
		user, secret, err = createApp(ctx, m.run, data, fmt.Sprint("bench ", i))
	}
	if err != nil {
		ours.Stop()
		return nil, err
	}
	m.servers = append(m.servers, newServer("ours", ours.Catalog, user, secret))
	return ours, nil
}

// createApp creates the key of an app.
func createApp(ctx context.Context, run *gauge.Run, data, name string) (user, secret string, err error) {
	cmd := exec.CommandContext(ctx, run.Program, "key", "create", "--app", name, "--data-dir", data)
	cmd.Env = os.Environ()
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("create the key of an app: %w: %s", err, messages.Bytes())
	}
	return login(out, messages.Bytes())
}

// read is a row of one call.
type read struct {
	key, what string
	goal      float64 // ms
	samples   int     // in a round
	method    string
	params    func(s *server) []string
}

func fixed(params ...string) func(*server) []string { return func(*server) []string { return params } }

// reads are the rows of one call each.
var reads = []read{
	{Albums, "getAlbumList2 of 500", 6, 10, "getAlbumList2", fixed("type", "alphabeticalByName", "size", "500")},
	{Newest, "getAlbumList2, newest 50", 1, 50, "getAlbumList2", fixed("type", "newest", "size", "50")},
	{Album, "getAlbum", 0.7, 100, "getAlbum", func(s *server) []string { return []string{"id", pick(s.albums)} }},
	{Song, "getSong", 0.4, 100, "getSong", func(s *server) []string { return []string{"id", pick(s.songs)} }},
	{Random, "getRandomSongs of 200", 3, 20, "getRandomSongs", fixed("size", "200")},
	{Artists, "getArtists", 4, 10, "getArtists", fixed()},
	{Search, "search3 for “mo”", 2, 50, "search3", fixed("query", "mo")},
	{Playlist, "getPlaylist of 500", 6, 10, "getPlaylist", playlist(500)},
	{Ping, fmt.Sprintf("ping with token and salt, %d apps", appKeys), 0.2, 200, "ping", fixed()},
}

func pick(ids []string) string { return ids[rand.IntN(len(ids))] }

func playlist(n int) func(*server) []string {
	return func(s *server) []string { return []string{"id", s.playlists[n]} }
}

func (m *bench) rows() (rows []table.Row, err error) {
	if m.run.Wants(Sync) {
		row, err := m.sync()
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	if m.run.Wants(Playlist) {
		for _, s := range m.servers {
			if _, err := s.createPlaylist(500); err != nil {
				return rows, err
			}
		}
	}
	for _, r := range reads {
		if !m.run.Wants(r.key) {
			continue
		}
		row, err := m.read(r)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	if m.run.Wants(LongPlaylist) {
		more, err := m.longPlaylist()
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// alternate measures, in ms, all servers in every round, after a warm-up round.
func (m *bench) alternate(
	what string, servers []*server, f func(i int) (time.Duration, error),
) ([]table.Figure, error) {
	figures := make([]table.Figure, len(servers))
	for round := range m.run.Rounds + 1 {
		for i, s := range servers {
			var took time.Duration
			err := s.connect()
			if err == nil {
				took, err = f(i)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", what, err)
			}
			figures[i].Of, figures[i].Unit = s.name, " ms"
			if round > 0 {
				figures[i].Values = append(figures[i].Values, gauge.Millis(took))
			}
		}
	}
	return figures, nil
}

// median calls a path several times.
func (s *server) median(samples int, path func() string) (time.Duration, error) {
	var all []time.Duration
	for range samples {
		took, err := s.time(path())
		if err != nil {
			return 0, err
		}
		all = append(all, took)
	}
	return gauge.Percentile(all, 50), nil
}

func (m *bench) row(key, what string, goal float64, figures []table.Figure) table.Row {
	return table.Row{Key: key, What: what, Ours: figures[0], Beside: figures[1:], Absent: m.absent,
		Goal: table.AtMost(goal, figures[0].Values, " ms")}
}

func (m *bench) read(r read) (table.Row, error) {
	figures, err := m.alternate(r.what, m.servers, func(i int) (time.Duration, error) {
		s := m.servers[i]
		return s.median(r.samples, func() string { return s.uncached(r.method, r.params(s)...) })
	})
	if err != nil {
		return table.Row{}, err
	}
	row := m.row(r.key, r.what, r.goal, figures)
	ours := m.servers[0]
	if err := ours.connect(); err != nil {
		return row, err
	}
	again := ours.uncached(r.method, r.params(ours)...)
	var cached []float64
	for range m.run.Rounds {
		took, err := ours.median(r.samples, func() string { return again })
		if err != nil {
			return row, err
		}
		cached = append(cached, gauge.Millis(took))
	}
	row.Beside = append([]table.Figure{{Of: "ours, the same call again,", Values: cached, Unit: " ms"}}, row.Beside...)
	return row, nil
}

// sync reads everything by pages.
func (m *bench) sync() (table.Row, error) {
	figures, err := m.alternate("sync", m.servers, func(i int) (total time.Duration, err error) {
		s := m.servers[i]
		for k, kind := range kinds {
			for number := range m.pages[i][k] {
				took, err := s.time(s.uncached("search3", page(kind, number)...))
				if err != nil {
					return 0, err
				}
				total += took
			}
		}
		return total, nil
	})
	if err != nil {
		return table.Row{}, err
	}
	return m.row(Sync, fmt.Sprintf("full sync of %d songs by %d", gauge.LibraryFiles, pageSize), 150, figures), nil
}

// longPlaylist creates and reads playlists of all songs. A server that cannot is left out.
func (m *bench) longPlaylist() ([]table.Row, error) {
	const n = gauge.LibraryFiles
	var able []*server
	var absent []string
	for _, s := range m.servers {
		if _, err := s.createPlaylist(n); err != nil {
			if s.name == "ours" {
				return nil, err
			}
			absent = append(absent, fmt.Sprintf("%s: %.120v", s.name, err))
			continue
		}
		able = append(able, s)
	}
	created, err := m.alternate("create a playlist", able, func(i int) (time.Duration, error) {
		return able[i].createPlaylist(n)
	})
	if err != nil {
		return nil, err
	}
	read, err := m.alternate("read a playlist", able, func(i int) (time.Duration, error) {
		return able[i].time(able[i].uncached("getPlaylist", "id", able[i].playlists[n]))
	})
	if err != nil {
		return nil, err
	}
	rows := []table.Row{
		m.row(LongPlaylist, fmt.Sprintf("createPlaylist of %d", n), 60, created),
		m.row(LongPlaylist, fmt.Sprintf("getPlaylist of %d", n), 50, read),
	}
	for i := range rows {
		rows[i].Absent = append(rows[i].Absent[:len(rows[i].Absent):len(rows[i].Absent)], absent...)
	}
	return rows, nil
}
