package main

import (
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"waxwing/bench/gauge"
)

// typed is one way in which people search.
type typed struct {
	name string
	// of makes a query of a song's title and artist; empty: this song has none.
	of func(title, artist []string) string
}

var ways = []typed{
	{"1 letter", beginning(1)},
	{"2 letters", beginning(2)},
	{"3 letters", beginning(3)},
	{"4 letters", beginning(4)},
	{"a whole word", func(title, _ []string) string { return title[0] }},
	{"two words of a title", func(title, _ []string) string {
		if len(title) < 2 {
			return ""
		}
		return title[0] + " " + title[1]
	}},
	{"a whole title and its artist", func(title, artist []string) string {
		return strings.Join(title, " ") + " " + strings.Join(artist, " ")
	}},
	{"a word and one begun", func(title, artist []string) string {
		return title[0] + " " + begun(artist[len(artist)-1], 3)
	}},
	{"two letters in the wrong order", func(title, _ []string) string { return swapped(strings.Join(title, " ")) }},
	{"a word that is in few songs", func(_, artist []string) string { return artist[len(artist)-1] }},
}

func beginning(n int) func(title, _ []string) string {
	return func(title, _ []string) string { return begun(title[0], n) }
}

// begun is the first n letters of a word, or nothing where it has no more than that.
func begun(word string, n int) string {
	if utf8.RuneCountInString(word) <= n {
		return ""
	}
	return string([]rune(word)[:n])
}

func swapped(text string) string {
	letters := []rune(text)
	if len(letters) < 6 {
		return ""
	}
	letters[2], letters[3] = letters[3], letters[2]
	return string(letters)
}

// queries draws what is searched for from the songs of the catalog: for every way at most n, and none twice in a run,
// because the second answer would come from the cache.
func (m *measured) queries(n int) ([][]string, error) {
	first := m.all[0]
	list := make([][]string, len(ways))
	for range n {
		var page struct {
			Songs []struct{ Title, Artist string }
		}
		if err := first.target.Ask("GET", first.random(first.lists[0])(), "", &page); err != nil {
			return nil, err
		}
		for _, song := range page.Songs[:min(4, len(page.Songs))] {
			title, artist := strings.Fields(song.Title), strings.Fields(song.Artist)
			if len(title) == 0 || len(artist) == 0 {
				continue
			}
			for i, way := range ways {
				query := strings.ToLower(way.of(title, artist))
				if query == "" || m.asked[query] || len(list[i]) == n {
					continue
				}
				m.asked[query] = true
				list[i] = append(list[i], query)
			}
		}
	}
	return list, nil
}

// typing searches on all servers in turn, n times in every way.
func (m *measured) typing(n int) error {
	queries, err := m.queries(n)
	if err != nil {
		return err
	}
	round := make([][]time.Duration, len(m.all))
	for way := range ways {
		for turn, query := range queries[way] {
			for i := range m.all {
				i = (i + turn) % len(m.all)
				s := m.all[i]
				t, err := s.conn.Time("GET", "/api/search?q="+url.QueryEscape(query), "")
				if err != nil {
					return err
				}
				s.searches[way] = append(s.searches[way], t)
				round[i] = append(round[i], t)
			}
		}
	}
	for i, s := range m.all {
		s.p50 = append(s.p50, gauge.Millis(gauge.Percentile(round[i], 50)))
		s.p99 = append(s.p99, gauge.Millis(gauge.Percentile(round[i], 99)))
	}
	return nil
}
