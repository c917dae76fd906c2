package main

import (
	"fmt"
	"time"

	"waxwing/bench/gauge"
)

// list is one list of the API with the latency of its pages, in microseconds per round.
type list struct {
	name, path  string
	rows        int
	first, last []float64
	middle      float64 // milliseconds of the first request that does not ask for the first page
}

// page returns the path of a page.
func (l *list) page(number int) string { return withParam(l.path, fmt.Sprintf("page=%d", number)) }

// findLists returns every list in a fixed order. Of the lists that belong to an artist, album,
// playlist or user it returns the longest.
func (s *server) findLists() ([]*list, error) {
	lists := []*list{
		{name: "songs", path: "/api/songs"}, {name: "albums", path: "/api/albums"},
		{name: "artists", path: "/api/artists"}, {name: "playlists", path: "/api/playlists"},
	}
	owner := ""
	for _, of := range []struct{ kind, path string }{
		{"artists", "/api/artists"}, {"albums", "/api/albums"}, {"playlists", "/api/playlists"},
	} {
		var longest item
		for page := 1; ; page++ {
			var reply map[string]any
			if err := s.target.Request("GET", fmt.Sprintf("%s?page=%d&limit=200", of.path, page), "", &reply); err != nil {
				return nil, err
			}
			rows, _ := reply[of.kind].([]any)
			for _, row := range rows {
				if i := itemOf(row); i.songs > longest.songs && i.id != s.smart {
					longest = i
				}
			}
			if len(rows) < 200 {
				break
			}
		}
		if longest.id != "" {
			lists = append(lists, &list{name: "songs of one of the " + of.kind, path: of.path + "/" + longest.id + "/songs"})
		}
		if longest.owner != "" {
			owner = longest.owner
		}
	}
	if owner != "" {
		lists = append(lists, &list{name: "playlists of a user", path: "/api/users/" + owner + "/playlists"})
	}
	more, err := s.libraryLists()
	if err != nil {
		return nil, err
	}
	lists = append(lists, more...)
	for _, l := range lists {
		var head struct{ Total int }
		if err := s.target.Request("GET", l.path, "", &head); err != nil {
			return nil, err
		}
		l.rows = head.Total
	}
	return lists, nil
}

// item is an artist, album or playlist.
type item struct {
	id, owner string
	songs     float64
}

func itemOf(row any) (i item) {
	fields, _ := row.(map[string]any)
	i.id, _ = fields["id"].(string)
	i.songs, _ = fields["song_count"].(float64)
	if owner, ok := fields["owner"].(map[string]any); ok {
		i.owner, _ = owner["username"].(string)
	}
	return i
}

// mostPages is how many pages of each end are requested per round.
const mostPages = 40

// depth alternates between the first and the last pages of a list. No page is requested twice in
// any round, because the second response would come from the cache.
func (s *server) depth(l *list, round, rounds int) error {
	last := l.rows / 50
	pages := min(mostPages, (last/2-2)/rounds)
	if pages < 5 {
		return nil // too short to compare
	}
	if round == 0 {
		took, err := s.conn.Time("GET", l.page(last/2), "")
		if err != nil {
			return err
		}
		l.middle = gauge.Millis(took)
	}
	var first, deep []time.Duration
	for i := range pages {
		i += round * pages
		for took, page := range map[*[]time.Duration]int{&first: 2 + i, &deep: last - 1 - i} {
			t, err := s.conn.Time("GET", l.page(page), "")
			if err != nil {
				return err
			}
			*took = append(*took, t)
		}
	}
	l.first = append(l.first, gauge.Micros(gauge.Percentile(first, 50)))
	l.last = append(l.last, gauge.Micros(gauge.Percentile(deep, 50)))
	return nil
}
