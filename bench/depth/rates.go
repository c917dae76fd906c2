package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// kind is something that is asked for as often as it is answered.
type kind struct {
	name string
	// path gives what is asked for next; it is called by several goroutines at once.
	path func(s *served) func() string
}

var kinds = []kind{
	{"a page of songs, warm", func(*served) func() string { return func() string { return "/api/songs?page=3" } }},
	{"random pages of songs, uncached", func(s *served) func() string { return s.random(s.lists[0]) }},
	{"random pages of albums", func(s *served) func() string { return s.random(s.lists[1]) }},
	{"random pages of artists", func(s *served) func() string { return s.random(s.lists[2]) }},
	{"one song by id, uncached", func(s *served) func() string {
		return func() string { return "/api/songs/" + s.ids[rand.IntN(len(s.ids))] }
	}},
}

// random asks for any page of a list. The cache holds few of the pages of a long one.
func (s *served) random(l *list) func() string {
	return func() string { return fmt.Sprintf("%s?page=%d", l.path, 1+rand.IntN(max(1, l.rows/50))) }
}

// someSongs reads ids of songs from all over the catalog: more than any cache of replies holds.
func (s *served) someSongs() error {
	const wanted, perPage = 30_000, 200
	pages := max(s.lists[0].rows/perPage, 1)
	for _, number := range rand.Perm(pages)[:min(wanted/perPage, pages)] {
		var page struct{ Songs []struct{ ID string } }
		if err := s.target.Ask("GET", fmt.Sprintf("%s?page=%d&limit=%d", s.lists[0].path, number+1, perPage), "", &page); err != nil {
			return err
		}
		for _, song := range page.Songs {
			s.ids = append(s.ids, song.ID)
		}
	}
	return nil
}

// rate counts the answers of a second.
func (s *served) rate(k kind) error {
	n, err := s.target.Throughput(time.Second, k.path(s))
	s.rates[k.name] = append(s.rates[k.name], n)
	return err
}
