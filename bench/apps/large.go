package apps

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

// large measures the large catalog, which the other servers could not scan in reasonable time.
func large(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	run.Logf("the Subsonic API over %d songs", run.Songs)
	data, err := run.FilledCatalog(ctx)
	if err != nil {
		return nil, err
	}
	empty := filepath.Join(run.Temp, "no-music-for-apps") // nothing to scan
	if err := os.MkdirAll(empty, 0o700); err != nil {
		return nil, err
	}
	user, secret, err := storedApp(ctx, run, data)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		keys    []string
		measure func(*gauge.Waxwing, *server, *gauge.Run) ([]table.Row, error)
	}{{[]string{Large, LargeRandom}, syncLarge}, {[]string{HugePlaylist}, hugePlaylist}} {
		if !run.Wants(part.keys...) {
			continue
		}
		ours, _, err := run.StartWaxwing(ctx, gauge.Role{
			Command: "catalog", Data: data, Args: []string{"--scan-every", "0", "--music", empty},
		})
		if err != nil {
			return rows, err
		}
		s := newServer("ours", ours.Catalog, user, secret)
		if err = s.connect(); err == nil {
			var more []table.Row
			more, err = part.measure(ours, s, run)
			rows = append(rows, more...)
			s.close()
		}
		ours.Stop()
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// storedApp returns the key of an app of the cached catalog, creating it on first use.
func storedApp(ctx context.Context, run *gauge.Run, data string) (user, secret string, err error) {
	file := filepath.Join(data, "bench-app.key")
	if kept, err := os.ReadFile(file); err == nil {
		user, secret, _ = strings.Cut(string(kept), " ")
		return user, secret, nil
	}
	if user, secret, err = createApp(ctx, run, data, "bench"); err != nil {
		return "", "", err
	}
	return user, secret, os.WriteFile(file, []byte(user+" "+secret), 0o600)
}

// syncLarge reads everything by pages, once, and random songs.
func syncLarge(ours *gauge.Waxwing, s *server, run *gauge.Run) ([]table.Row, error) {
	counts, err := s.sizes()
	if err != nil {
		return nil, err
	}
	var first, last, total []float64
	for range 2 { // the first sync reads the file into memory
		var took time.Duration
		first, last = nil, nil
		for i, kind := range kinds {
			pages := counts[i]/pageSize + 1
			for number := range pages {
				t, err := s.time(s.uncached("search3", page(kind, number)...))
				if err != nil {
					return nil, err
				}
				took += t
				switch {
				case kind != "song":
				case number < 20:
					first = append(first, gauge.Millis(t))
				case number >= pages-21 && number < pages-1:
					last = append(last, gauge.Millis(t))
				}
			}
		}
		total = append(total, took.Seconds())
	}
	peak, err := ours.PeakMemory()
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("full sync of %d songs by %d", run.Songs, pageSize)
	rows := []table.Row{
		{Key: Large, What: what, Ours: table.Figure{Of: "ours", Values: total, Unit: " s"},
			Goal: table.AtMost(25, total, " s"), Note: fmt.Sprintf("%d albums, %d artists; our peak was %.0f MB", counts[1],
				counts[0], peak)},
		{Key: Large, What: what + ", last pages of songs compared with first", Ours: table.Figure{Values: last, Unit: " ms"},
			Beside: []table.Figure{{Of: "first pages", Values: first, Unit: " ms"}},
			Goal:   table.AtMost(1.5, []float64{gauge.Median(last) / gauge.Median(first)}, " × first pages")},
	}
	var random []float64
	for range run.Rounds {
		took, err := s.median(20, func() string { return s.uncached("getRandomSongs", "size", "200") })
		if err != nil {
			return rows, err
		}
		random = append(random, gauge.Millis(took))
	}
	return append(rows, table.Row{Key: LargeRandom, What: fmt.Sprintf("getRandomSongs of 200 of %d", run.Songs),
		Ours: table.Figure{Values: random, Unit: " ms"}, Goal: table.AtMost(3, random, " ms")}), nil
}

// sizes returns the number of artists, albums and songs, by halving the range of offsets.
func (s *server) sizes() (counts [3]int, err error) {
	for i, kind := range kinds {
		low, high := 0, 1<<24
		for low < high {
			middle := (low + high) / 2
			var found struct {
				SearchResult3 map[string][]struct{ ID string }
			}
			params := append(page(kind, 0)[:8], kind+"Offset", strconv.Itoa(middle))
			params[slices.Index(params, kind+"Count")+1] = "1"
			if err := s.read(&found, "search3", params...); err != nil {
				return counts, err
			}
			if len(found.SearchResult3[kind]) > 0 {
				low = middle + 1
			} else {
				high = middle
			}
		}
		counts[i] = low
	}
	return counts, nil
}

// hugeEntries is the number of entries of the playlist that must not be built in memory.
const hugeEntries = 200_000

// hugePlaylist creates a playlist in parts, reads it, and watches the memory meanwhile.
func hugePlaylist(ours *gauge.Waxwing, s *server, run *gauge.Run) (rows []table.Row, err error) {
	entries := min(hugeEntries, run.Songs)
	id, err := s.fillPlaylist(entries)
	if err != nil {
		return nil, err
	}
	defer func() {
		_, failed := s.post("deletePlaylist", nil, "id", id)
		if err == nil {
			err = failed
		}
	}()
	figures := [3]table.Figure{{Unit: " ms"}, {Of: "all of it", Unit: " ms"}, {Of: "ours", Unit: " MB"}}
	for range run.Rounds + 1 {
		before, err := ours.Memory()
		if err != nil {
			return nil, err
		}
		if err := ours.ResetPeak(); err != nil {
			return nil, err
		}
		first, total, err := s.conn.TimeFirstByte(s.uncached("getPlaylist", "id", id))
		if err != nil {
			return nil, err
		}
		peak, err := ours.PeakMemory()
		if err != nil {
			return nil, err
		}
		for i, v := range []float64{gauge.Millis(first), gauge.Millis(total), max(0, peak-before)} {
			figures[i].Values = append(figures[i].Values, v)
		}
	}
	for i := range figures[:2] {
		figures[i].Values = figures[i].Values[1:] // the first one read the file into memory
	}
	what := fmt.Sprintf("getPlaylist of %d", entries)
	return []table.Row{
		{Key: HugePlaylist, What: what + ", first byte", Ours: figures[0], Beside: figures[1:2],
			Goal: table.AtMost(100, figures[0].Values, " ms")},
		{Key: HugePlaylist, What: what + ", additional memory", Ours: figures[2],
			Goal: table.AtMost(20, []float64{slices.Max(figures[2].Values)}, " MB")},
	}, nil
}

// fillPlaylist creates a playlist in requests of as many songs as the server accepts.
func (s *server) fillPlaylist(entries int) (id string, err error) {
	const atOnce = 20_000
	var created struct{ Playlist struct{ ID string } }
	if _, err := s.post("createPlaylist", &created, "name", "bench"); err != nil {
		return "", err
	}
	for from := 0; from < entries; from += atOnce {
		var songs []string
		for offset := from; offset < min(entries, from+atOnce); offset += pageSize {
			var found struct {
				SearchResult3 struct{ Song []struct{ ID string } }
			}
			if err := s.read(&found, "search3", page("song", offset/pageSize)...); err != nil {
				return "", err
			}
			for _, song := range found.SearchResult3.Song {
				songs = append(songs, song.ID)
			}
		}
		params := append([]string{"playlistId", created.Playlist.ID}, ids("songIdToAdd", songs)...)
		if _, err := s.post("updatePlaylist", nil, params...); err != nil {
			return "", err
		}
	}
	return created.Playlist.ID, nil
}
