package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/internal/catalog"
	"waxwing/internal/rules"
)

// libraryLists returns the lists in other orders and with filters, and those of the listener.
func (s *server) libraryLists() ([]*list, error) {
	var lists []*list
	for _, sort := range catalog.SongSorts() {
		lists = append(lists, &list{name: "songs by " + sort, path: "/api/songs?sort=" + sort})
	}
	lists = append(lists,
		&list{name: "songs by title, descending", path: "/api/songs?sort=title&order=desc"},
		&list{name: "songs of one year", path: "/api/songs?year=1999"},
		&list{name: "songs of ten years by title", path: "/api/songs?year=1990-1999&sort=title"},
		&list{name: "songs of one format", path: "/api/songs?format=flac"},
		&list{name: "liked songs", path: "/api/songs?liked=true"})
	genre, err := s.longestGenre()
	if err != nil {
		return nil, err
	}
	if genre != "" {
		path := "/api/genres/" + url.PathEscape(genre)
		lists = append(lists, &list{name: "songs of a genre", path: path + "/songs"},
			&list{name: "songs of a genre by title", path: path + "/songs?sort=title"},
			&list{name: "albums of a genre", path: path + "/albums"})
	}
	for _, sort := range append(catalog.AlbumSorts(), catalog.PersonalAlbumSorts()...) {
		lists = append(lists, &list{name: "albums by " + sort, path: "/api/albums?seed=1&sort=" + sort})
	}
	return append(lists, &list{name: "album artists", path: "/api/artists?role=albumartist"},
		&list{name: "likes", path: "/api/me/likes"}, &list{name: "history", path: "/api/me/history"},
		&list{name: "top songs", path: "/api/me/top"}, &list{name: "top songs of a year", path: "/api/me/top?range=1y"},
		&list{name: "songs of a smart playlist", path: "/api/playlists/" + s.smart + "/songs"}), nil
}

// longestGenre returns the name of the genre with the most songs; "" if there is none.
func (s *server) longestGenre() (name string, err error) {
	most := 0
	for page := 1; ; page++ {
		var reply struct {
			Genres []struct {
				Name      string
				SongCount int `json:"song_count"`
			}
		}
		if err := s.target.Request("GET", fmt.Sprintf("/api/genres?page=%d&limit=200", page), "", &reply); err != nil {
			return "", err
		}
		for _, g := range reply.Genres {
			if g.SongCount > most {
				name, most = g.Name, g.SongCount
			}
		}
		if len(reply.Genres) < 200 {
			return name, nil
		}
	}
}

// withParam adds a parameter to a path, which may have others.
func withParam(path, param string) string {
	if strings.Contains(path, "?") {
		return path + "&" + param
	}
	return path + "?" + param
}

// createSmart creates a smart playlist of five rules. Creating it evaluates the rules, with nothing
// in the cache.
func (s *server) createSmart(ctx context.Context, owner catalog.Viewer) error {
	set := rules.Set{Match: rules.All, Sort: "title", Rules: []rules.Rule{
		{Field: "title", Op: "contains", Value: "o"}, {Field: "year", Op: "between", Value: []any{1980, 2010}},
		{Field: "duration", Op: "gt", Value: 150_000}, {Field: "format", Op: "is_not", Value: "opus"},
		{Field: "play_count", Op: "lt", Value: 3},
	}}
	began := time.Now()
	list, err := s.store.CreatePlaylist(ctx, owner, catalog.NewPlaylist{Name: "bench", Rules: &set})
	s.smart, s.listener, s.evaluated = list.ID, owner, time.Since(began)
	return err
}

// firstOfSmart measures the first page of the smart playlist; every limit is another response.
func (s *server) firstOfSmart(round int) error {
	var took []time.Duration
	for i := range 20 {
		t, err := s.conn.Time("GET", fmt.Sprintf("/api/playlists/%s/songs?limit=%d", s.smart, 50+(20*round+i)%150), "")
		if err != nil {
			return err
		}
		took = append(took, t)
	}
	s.smartPages = append(s.smartPages, gauge.Millis(gauge.Percentile(took, 50)))
	return nil
}

// personalPages alternates between pages of songs with and without personal data, from the middle
// of the list, where depth requests none.
func (s *server) personalPages(round int) error {
	middle := s.lists[0].rows / 100
	var plain, own []time.Duration
	for i := range mostPages {
		i = middle + 2*(round*mostPages+i)
		for took, path := range map[*[]time.Duration]string{
			&plain: fmt.Sprintf("/api/songs?page=%d", i), &own: fmt.Sprintf("/api/songs?page=%d&with=me", i+1),
		} {
			t, err := s.conn.Time("GET", path, "")
			if err != nil {
				return err
			}
			*took = append(*took, t)
		}
	}
	s.plain = append(s.plain, gauge.Micros(gauge.Percentile(plain, 50)))
	s.own = append(s.own, gauge.Micros(gauge.Percentile(own, 50)))
	return nil
}

func (m *report) writeLibrary(b *strings.Builder) {
	fmt.Fprint(b, "\n## Personal data\n\nPages of 50 songs with what the listener likes, rates and plays (`with=me`) "+
		"beside pages without. Goal: p50 at most 1.5 times as long.\n\n")
	heading(b, "database", "plain, p50", "with=me, p50", "with=me ÷ plain", "reached")
	for _, s := range m.all {
		ratios := gauge.Ratios(s.own, s.plain)
		line(b, s.engine, figure(s.plain, " µs"), figure(s.own, " µs"), figure(ratios, " ×"),
			verdict(gauge.Median(ratios) <= 1.5))
	}
	fmt.Fprint(b, "\n## A smart playlist of five rules\n\nServers evaluate the rules in advance: after the start, and "+
		"when songs or rules have changed. Goal: the first page takes at most 50 ms then.\n\n")
	heading(b, "database", "evaluation with an empty cache", "first page, p50", "reached")
	for _, s := range m.all {
		line(b, s.engine, figure([]float64{gauge.Millis(s.evaluated)}, " ms"), figure(s.smartPages, " ms"),
			verdict(gauge.Median(s.smartPages) <= 50))
	}
}
