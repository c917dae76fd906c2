package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	"waxwing/bench/gauge"
)

// list is one list of the API.
type list struct{ name, path string }

// findLists names every list, in one order; of those that belong to something, the longest.
func (s *served) findLists() ([]list, error) {
	lists := []list{{"songs", "/api/songs"}, {"albums", "/api/albums"}, {"artists", "/api/artists"}, {"playlists", "/api/playlists"}}
	owner := ""
	for _, of := range []struct{ kind, path string }{{"artists", "/api/artists"}, {"albums", "/api/albums"}, {"playlists", "/api/playlists"}} {
		var longest item
		for page := 1; ; page++ {
			var reply map[string]any
			if err := s.target.Ask("GET", fmt.Sprintf("%s?page=%d&limit=200", of.path, page), "", &reply); err != nil {
				return nil, err
			}
			rows, _ := reply[of.kind].([]any)
			for _, row := range rows {
				if i := itemOf(row); i.songs > longest.songs {
					longest = i
				}
			}
			if len(rows) < 200 {
				break
			}
		}
		if longest.id != "" {
			lists = append(lists, list{"songs of one of the " + of.kind, of.path + "/" + longest.id + "/songs"})
		}
		if longest.owner != "" {
			owner = longest.owner
		}
	}
	if owner != "" {
		lists = append(lists, list{"playlists of a user", "/api/users/" + owner + "/playlists"})
	}
	return lists, nil
}

// item is what has songs.
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

// depth compares the first pages of a list with its last ones, by turns, each asked for once.
func (s *served) depth(l list) error {
	var head struct{ Total int }
	if err := s.target.Ask("GET", l.path, "", &head); err != nil {
		return err
	}
	last := head.Total / 50
	bands := min(150, last/2-2)
	if bands < 10 {
		fmt.Printf("%-34s %-18s %9d   too short to have a depth\n", l.name, s.engine, head.Total)
		return nil
	}
	if _, err := s.conn.Time("GET", fmt.Sprintf("%s?page=%d", l.path, last), ""); err != nil { // finds the bookmarks of this revision
		return err
	}
	var first, deep []time.Duration
	for i := range bands {
		for took, page := range map[*[]time.Duration]int{&first: 2 + i, &deep: last - 1 - i} {
			t, err := s.conn.Time("GET", fmt.Sprintf("%s?page=%d", l.path, page), "")
			if err != nil {
				return err
			}
			*took = append(*took, t)
		}
	}
	a, b := gauge.Percentile(first, 50), gauge.Percentile(deep, 50)
	fmt.Printf("%-34s %-18s %9d %10v %10v %6.2f×\n", l.name, s.engine, head.Total, a.Round(time.Microsecond), b.Round(time.Microsecond), float64(b)/float64(a))
	return nil
}

// typing searches for titles as they are typed: their beginnings, and once with two letters changed places.
func typing(all []*served) error {
	took := make([][]time.Duration, len(all))
	var head struct{ Total int }
	if err := all[0].target.Ask("GET", "/api/songs", "", &head); err != nil {
		return err
	}
	for range 100 {
		var page struct{ Songs []struct{ Title string } }
		if err := all[0].target.Ask("GET", fmt.Sprintf("/api/songs?page=%d", 1+rand.IntN(max(head.Total/50, 1))), "", &page); err != nil {
			return err
		}
		if len(page.Songs) == 0 {
			continue
		}
		letters := []rune(page.Songs[0].Title)
		var queries []string
		for _, n := range []int{2, 4, len(letters)} {
			queries = append(queries, string(letters[:min(n, len(letters))]))
		}
		if len(letters) > 5 {
			letters[2], letters[3] = letters[3], letters[2]
			queries = append(queries, string(letters))
		}
		for _, q := range queries {
			for i, s := range all {
				t, err := s.conn.Time("GET", "/api/search?q="+url.QueryEscape(q), "")
				if err != nil {
					return err
				}
				took[i] = append(took[i], t)
			}
		}
	}
	fmt.Printf("\n%-34s %-18s %9s %10s %10s\n", "search as one types", "engine", "searches", "p50", "p99")
	for i, s := range all {
		fmt.Printf("%-34s %-18s %9d %10v %10v\n", "a typing error in one of four", s.engine, len(took[i]),
			gauge.Percentile(took[i], 50).Round(time.Microsecond), gauge.Percentile(took[i], 99).Round(time.Microsecond))
	}
	return nil
}
