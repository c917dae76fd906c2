package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// kind is a request whose throughput is measured.
type kind struct {
	name string
	// path returns the next path; several goroutines call it at once.
	path func(s *server) func() string
}

var kinds = []kind{
	{"a page of songs, warm", func(*server) func() string { return func() string { return "/api/songs?page=3" } }},
	{"random pages of songs, uncached", func(s *server) func() string { return s.random(s.lists[0]) }},
	{"random pages of albums", func(s *server) func() string { return s.random(s.lists[1]) }},
	{"random pages of artists", func(s *server) func() string { return s.random(s.lists[2]) }},
	{"one song by id, uncached", func(s *server) func() string {
		return func() string { return "/api/songs/" + s.ids[rand.IntN(len(s.ids))] }
	}},
}

// random returns random pages of a list. The cache holds only few pages of a long list.
func (s *server) random(l *list) func() string {
	return func() string { return l.page(1 + rand.IntN(max(1, l.rows/50))) }
}

// sampleSongs reads more song ids, from the whole catalog, than the response cache can hold.
func (s *server) sampleSongs() error {
	const wanted, perPage = 30_000, 200
	pages := max(s.lists[0].rows/perPage, 1)
	for _, number := range rand.Perm(pages)[:min(wanted/perPage, pages)] {
		var page struct{ Songs []struct{ ID string } }
		path := fmt.Sprintf("%s?page=%d&limit=%d", s.lists[0].path, number+1, perPage)
		if err := s.target.Request("GET", path, "", &page); err != nil {
			return err
		}
		for _, song := range page.Songs {
			s.ids = append(s.ids, song.ID)
		}
	}
	return nil
}

// rate measures the throughput for one second.
func (s *server) rate(k kind) error {
	n, err := s.target.Throughput(time.Second, k.path(s))
	s.rates[k.name] = append(s.rates[k.name], n)
	return err
}
