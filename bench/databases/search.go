package main

import (
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"waxwing/bench/gauge"
)

// queryKind is one way in which people search.
type queryKind struct {
	name string
	// of builds a query from the words of a title and an artist, or "" if they are too short.
	of func(title, artist []string) string
}

var queryKinds = []queryKind{
	{"1 letter", prefixOf(1)},
	{"2 letters", prefixOf(2)},
	{"3 letters", prefixOf(3)},
	{"4 letters", prefixOf(4)},
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
	{"a word and the start of another", func(title, artist []string) string {
		return title[0] + " " + prefix(artist[len(artist)-1], 3)
	}},
	{"two letters swapped", func(title, _ []string) string { return swapped(strings.Join(title, " ")) }},
	{"a rare word", func(_, artist []string) string { return artist[len(artist)-1] }},
}

func prefixOf(n int) func(title, _ []string) string {
	return func(title, _ []string) string { return prefix(title[0], n) }
}

// prefix returns the first n letters of a word, or "" if it is not longer than that.
func prefix(word string, n int) string {
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

// queries builds at most n queries of each kind from random songs. No query is used twice in a run,
// because the second response would come from the cache.
func (m *report) queries(n int) ([][]string, error) {
	first := m.all[0]
	list := make([][]string, len(queryKinds))
	for range n {
		var page struct {
			Songs []struct{ Title, Artist string }
		}
		if err := first.target.Request("GET", first.random(first.lists[0])(), "", &page); err != nil {
			return nil, err
		}
		for _, song := range page.Songs[:min(4, len(page.Songs))] {
			title, artist := strings.Fields(song.Title), strings.Fields(song.Artist)
			if len(title) == 0 || len(artist) == 0 {
				continue
			}
			for i, way := range queryKinds {
				query := strings.ToLower(way.of(title, artist))
				if query == "" || m.used[query] || len(list[i]) == n {
					continue
				}
				m.used[query] = true
				list[i] = append(list[i], query)
			}
		}
	}
	return list, nil
}

// typing searches on all servers in turn, n times in every way.
func (m *report) typing(n int) error {
	queries, err := m.queries(n)
	if err != nil {
		return err
	}
	round := make([][]time.Duration, len(m.all))
	for way := range queryKinds {
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
