package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waxwing/client"
	"waxwing/internal/words"
)

// The kinds of things that have a name.
const (
	songKind     = "song"
	albumKind    = "album"
	artistKind   = "artist"
	playlistKind = "playlist"
)

// match is something that a search found.
type match struct{ kind, id, name, by string }

func (m match) label() string {
	if m.by == "" || m.kind == playlistKind {
		return m.name
	}
	return m.name + " — " + m.by
}

func (m match) selected() (s selected) {
	switch m.kind {
	case songKind:
		s.songs = []string{m.id}
	case albumKind:
		s.album = m.id
	case artistKind:
		s.artist = m.id
	case playlistKind:
		s.playlist = m.id
	}
	s.label = m.label()
	return s
}

// matchLimit is the largest number of matches of each kind.
const matchLimit = 10

// search returns what the catalog finds: songs, then albums, artists and playlists, or only those
// of one kind.
func search(ctx context.Context, p *client.Player, name, kind string) ([]match, error) {
	found, err := p.Search(ctx, name, matchLimit)
	if err != nil {
		return nil, err
	}
	var all []match
	for _, s := range found.Songs {
		all = append(all, match{songKind, s.ID, s.Title, orEmpty(s.Artist)})
	}
	for _, a := range found.Albums {
		all = append(all, match{albumKind, a.ID, a.Title, orEmpty(a.Artist)})
	}
	for _, a := range found.Artists {
		all = append(all, match{artistKind, a.ID, a.Name, ""})
	}
	for _, l := range found.Playlists {
		all = append(all, match{playlistKind, l.ID, l.Name, l.Owner.Name})
	}
	if kind != "" {
		all = slices.DeleteFunc(all, func(m match) bool { return m.kind != kind })
	}
	return all, nil
}

// bestMatches returns the one match that a name means, or all that it may mean. A whole name is
// better than a part of it, that is better than a part of the name and the artist, and that is
// better than a similar spelling. Among equally good ones the first kind counts, and the same name
// by the same artist is the same thing, except for playlists.
func bestMatches(name string, all []match) []match {
	key, clauses := words.Key(name), words.ParseQuery(name)
	whole := func(m match) bool {
		title, by := words.Key(m.name), words.Key(m.by)
		return key == title || key == title+" "+by || key == by+" "+title
	}
	named := func(m match) bool { return words.Match(clauses, words.Spaced(words.Tokens(m.name))) }
	part := func(m match) bool { return words.Match(clauses, words.Spaced(words.Tokens(m.name, m.by))) }
	for _, good := range []func(match) bool{whole, named, part, func(match) bool { return true }} {
		var pool, first []match
		for _, m := range all {
			if !good(m) {
				continue
			}
			pool = append(pool, m)
			if m.kind == pool[0].kind && !slices.ContainsFunc(first, m.sameName) {
				first = append(first, m)
			}
		}
		switch len(first) {
		case 0:
		case 1:
			return first
		default:
			return pool
		}
	}
	return nil
}

func (m match) sameName(other match) bool {
	return m.kind != playlistKind && words.Key(m.name) == words.Key(other.name) && words.Key(m.by) == words.Key(other.by)
}

// choose asks which of several matches is meant. If nobody can answer, it prints them.
func choose(ctx context.Context, std IO, name string, among []match, command string) (match, error) {
	if !std.Interactive {
		for _, m := range among {
			fmt.Fprintf(std.Err, "%s  %s  %s\n", m.id, m.kind, plain(m.label()))
		}
		return match{}, fmt.Errorf("“%s” may mean each of these %d; name one by its id: waxwing %s %s", plain(name),
			len(among), command, among[0].id)
	}
	t := newTable(std.Err, "#", "KIND", "NAME", "BY")
	for i, m := range among {
		t.row(strconv.Itoa(i+1), m.kind, m.name, m.by)
	}
	if err := t.flush(); err != nil {
		return match{}, fmt.Errorf("print the matches: %w", err)
	}
	in, lines := bufio.NewScanner(std.In), make(chan string, 1)
	for {
		fmt.Fprintf(std.Err, "Which one? (1 to %d, Enter for none) ", len(among))
		go func() { // a read of the terminal cannot be cancelled
			in.Scan()
			lines <- strings.TrimSpace(in.Text())
		}()
		select {
		case <-ctx.Done():
			return match{}, ctx.Err()
		case line := <-lines:
			if line == "" {
				return match{}, errors.New("nothing was chosen")
			}
			if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(among) {
				return among[n-1], nil
			}
		}
	}
}
