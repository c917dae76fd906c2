package catalog_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/rules"
	"waxwing/internal/words"
)

// ruledSong is what rules compare, known to the test.
type ruledSong struct {
	id                  string
	title, album, path  string
	artists, genres     []string
	year, rating, plays int64
	duration            int64
	format              string
	liked               bool
	added, played       time.Time
}

// someWords fold to few keys in several spellings.
var someWords = strings.Fields("Blue BLUE blüe Night night's The the Straße strasse 100% _ \\ 東京 Ünder")

func pick(r *rand.Rand) string { return someWords[r.IntN(len(someWords))] }

// ruledSongs ingests songs and gives the user likes, ratings and plays.
func ruledSongs(t *testing.T, s *catalog.Store, r *rand.Rand, v catalog.Viewer, n int) []ruledSong {
	t.Helper()
	var known []ruledSong
	var tags []catalog.ScannedSong
	for i := range n {
		tag := song(i + 1)
		tag.Title, tag.File.Path = pick(r)+" "+pick(r), fmt.Sprintf("%s/%s %d.flac", pick(r), pick(r), i)
		tag.Year, tag.Duration = []int{0, 1980, 1999, 2020}[r.IntN(4)], time.Duration(1+r.IntN(4))*time.Minute
		tag.Format = []string{"flac", "mp3"}[r.IntN(2)]
		k := ruledSong{title: tag.Title, path: tag.File.Path, year: int64(tag.Year), duration: tag.Duration.Milliseconds(),
			format: tag.Format}
		tag.Credits, tag.Genres, tag.Album = nil, nil, nil
		for range r.IntN(3) {
			name := pick(r)
			tag.Credits = append(tag.Credits, catalog.Credit{Artist: catalog.ArtistTag{Name: name}, Role: catalog.MainArtist})
			k.artists = append(k.artists, name)
		}
		for range r.IntN(3) {
			k.genres = append(k.genres, pick(r))
		}
		tag.Genres = slices.Clone(k.genres)
		if r.IntN(3) > 0 {
			k.album = pick(r) + " " + pick(r)
			tag.Album = &catalog.AlbumTag{Title: k.album, Artists: []catalog.ArtistTag{{Name: "Various"}}}
		}
		tags, known = append(tags, tag), append(known, k)
	}
	half := n / 2
	ids := ingest(t, s, tags[:half]...)
	ids = append(ids, ingest(t, s, tags[half:]...)...)
	now := time.Now().Truncate(time.Millisecond)
	for i := range known {
		k := &known[i]
		k.id = ids[i]
		stored, err := s.Song(t.Context(), k.id)
		if err != nil {
			t.Fatal(err)
		}
		k.added = stored.CreatedAt
		if r.IntN(3) == 0 {
			k.liked = true
			if err := s.SetLiked(t.Context(), v, true, k.id); err != nil {
				t.Fatal(err)
			}
		}
		if k.rating = int64(r.IntN(6)); k.rating > 0 {
			if err := s.SetRating(t.Context(), v, int(k.rating), k.id); err != nil {
				t.Fatal(err)
			}
		}
		for range r.IntN(3) {
			k.plays++
			k.played = now.Add(-time.Duration(100-10*k.plays) * 24 * time.Hour)
			_, err := s.RecordPlay(t.Context(), catalog.Play{SongID: k.id, Listener: v, PlayedAt: k.played})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return known
}

// matches evaluates a rule on a song in plain Go.
func matches(r rules.Rule, k ruledSong) bool {
	if r.Rules != nil {
		match := func(r rules.Rule) bool { return matches(r, k) }
		if r.Match == rules.Any {
			return slices.ContainsFunc(r.Rules, match)
		}
		return !slices.ContainsFunc(r.Rules, func(r rules.Rule) bool { return !match(r) })
	}
	switch r.Field {
	case "title", "album", "path", "format", "artist", "genre":
		texts := map[string][]string{"title": {k.title}, "album": {k.album}, "path": {k.path}, "format": {k.format},
			"artist": k.artists, "genre": k.genres}[r.Field]
		negated := strings.HasPrefix(r.Op, "is_not") || strings.HasPrefix(r.Op, "not_")
		return negated != slices.ContainsFunc(texts, func(text string) bool { return matchesText(r, words.Key(text)) })
	case "liked":
		return k.liked == r.Value.(bool) == (r.Op == "is")
	case "added", "last_played":
		at := k.added
		if r.Field == "last_played" {
			at = k.played
		}
		return !at.IsZero() && matchesTime(r, at)
	}
	n := map[string]int64{"year": k.year, "rating": k.rating, "play_count": k.plays, "duration": k.duration}[r.Field]
	if r.Field == "year" && n == 0 {
		return r.Op == "is_not"
	}
	return matchesNumber(r, n)
}

func matchesText(r rules.Rule, text string) bool {
	if list, ok := r.Value.([]any); ok {
		return slices.ContainsFunc(list, func(v any) bool { return words.Key(v.(string)) == text })
	}
	value := words.Key(r.Value.(string))
	switch r.Op {
	case "contains", "not_contains":
		return strings.Contains(text, value)
	case "starts_with":
		return strings.HasPrefix(text, value)
	}
	return text == value
}

func matchesNumber(r rules.Rule, n int64) bool {
	if list, ok := r.Value.([]any); ok {
		if r.Op == "between" {
			return n >= int64(list[0].(float64)) && n <= int64(list[1].(float64))
		}
		return slices.Contains(list, any(float64(n)))
	}
	value := int64(r.Value.(float64))
	return map[string]bool{"is": n == value, "is_not": n != value, "lt": n < value, "gt": n > value}[r.Op]
}

func matchesTime(r rules.Rule, at time.Time) bool {
	moment := func(v any) time.Time {
		if days, ok := strings.CutSuffix(v.(string), "d"); ok {
			var n int
			_, _ = fmt.Sscan(days, &n)
			return time.Now().AddDate(0, 0, 0).Add(-time.Duration(n) * 24 * time.Hour)
		}
		when, _ := time.Parse(time.RFC3339, v.(string))
		return when
	}
	switch r.Op {
	case "in_last":
		return !at.Before(time.Now().Add(-time.Duration(r.Value.(float64)) * 24 * time.Hour))
	case "before":
		return at.Before(moment(r.Value))
	case "after":
		return !at.Before(moment(r.Value))
	}
	list := r.Value.([]any)
	return !at.Before(moment(list[0])) && at.Before(moment(list[1]))
}

// randomRule returns a valid rule or group. Times are at least a day from those of the songs, or
// exactly one of them.
func randomRule(r *rand.Rand, known []ruledSong, depth int) rules.Rule {
	if depth < 3 && r.IntN(4) == 0 {
		group := rules.Rule{Match: []string{rules.All, rules.Any}[r.IntN(2)]}
		for range 1 + r.IntN(3) {
			group.Rules = append(group.Rules, randomRule(r, known, depth+1))
		}
		return group
	}
	rule := rules.Rule{Field: rules.Fields()[r.IntN(len(rules.Fields()))]}
	choose := func(ops ...string) { rule.Op = ops[r.IntN(len(ops))] }
	several := func(value func() any, n int) {
		var list []any
		for range n {
			list = append(list, value())
		}
		rule.Value = list
	}
	switch rule.Field {
	case "liked":
		choose("is", "is_not")
		rule.Value = r.IntN(2) == 0
	case "added", "last_played":
		choose("before", "after", "between", "in_last")
		at := func() any { return known[r.IntN(len(known))].added.UTC().Format(time.RFC3339Nano) }
		if r.IntN(3) == 0 || rule.Field == "last_played" {
			at = func() any { return fmt.Sprintf("%dd", 5+10*r.IntN(11)) }
		}
		switch rule.Value = at(); rule.Op {
		case "in_last":
			rule.Value = float64(5 + 10*r.IntN(11))
		case "between":
			several(at, 2)
		}
	case "year", "rating", "play_count", "duration":
		choose("is", "is_not", "lt", "gt", "between", "in")
		number := func() any {
			n := map[string]int{"year": 1978 + r.IntN(50), "rating": r.IntN(7), "play_count": r.IntN(4),
				"duration": r.IntN(6) * 60000}[rule.Field]
			return float64(n)
		}
		switch rule.Value = number(); rule.Op {
		case "between", "in":
			several(number, 2)
		}
	default:
		choose("is", "is_not", "contains", "not_contains", "starts_with", "in")
		text := func() any {
			k := known[r.IntN(len(known))]
			return []string{pick(r), k.title, k.path, k.format, "b", "%", "_", "東", "THE", cmp.Or(k.album, "x")}[r.IntN(10)]
		}
		if rule.Value = text(); rule.Op == "in" {
			several(text, 1+r.IntN(3))
		}
	}
	return rule
}

func TestRulesSelectWhatPlainCodeSelects(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		r := rand.New(rand.NewPCG(3, 10))
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		known := ruledSongs(t, s, r, ann, 80)
		if err := s.MarkMissing(t.Context(), []catalog.FileRef{{Root: "/music", Path: known[7].path}}); err != nil {
			t.Fatal(err)
		}
		known = slices.Delete(known, 7, 8)
		p, err := s.CreatePlaylist(t.Context(), ann, catalog.NewPlaylist{Name: "Smart", Public: true,
			Rules: &rules.Set{Match: rules.All, Rules: []rules.Rule{{Field: "liked", Op: "is", Value: true}}}})
		if err != nil {
			t.Fatal(err)
		}
		filled := 0
		for i := range 200 {
			set := rules.Set{Match: []string{rules.All, rules.Any}[r.IntN(2)], Sort: rules.Sorts()[i%len(rules.Sorts())],
				Order: []string{"", "asc", "desc"}[r.IntN(3)]}
			for range 1 + r.IntN(3) {
				set.Rules = append(set.Rules, randomRule(r, known, 1))
			}
			p, err := s.ChangePlaylist(t.Context(), ann, p.ID, catalog.PlaylistChange{Rules: &set})
			if err != nil {
				t.Fatalf("%+v: %v", set, err)
			}
			var want []string
			var duration int64
			for _, k := range known {
				if matches(rules.Rule{Match: set.Match, Rules: set.Rules}, k) {
					want = append(want, k.id)
					duration += k.duration
				}
			}
			got := smartIDs(t, s, bob, p.ID)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || p.SongCount != int64(len(want)) || p.Duration != duration {
				t.Fatalf("%+v: got %d songs, count %d, duration %d; want %d songs, duration %d", set, len(got),
					p.SongCount, p.Duration, len(want), duration)
			}
			if len(want) > 0 && len(want) < len(known) {
				filled++
			}
		}
		if filled < 60 {
			t.Errorf("sets that select some songs and not all: got %d of 200, want at least 60", filled)
		}
	})
}

// smartIDs returns the ids of all songs of a playlist, read in small pages.
func smartIDs(t *testing.T, s *catalog.Store, v catalog.Viewer, id string) (ids []string) {
	t.Helper()
	for page := int64(1); ; page++ {
		entries, total, err := s.PlaylistSongs(t.Context(), v, id, catalog.Page{Number: page, Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Position != int64(len(ids)) {
				t.Errorf("position: got %d, want %d", e.Position, len(ids))
			}
			ids = append(ids, e.ID)
		}
		if page*50 >= total {
			return ids
		}
	}
}

func TestSmartPlaylistFollowsItsOwnersLikesInOrderAndLimit(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(5)...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		p, err := s.CreatePlaylist(ctx, ann, catalog.NewPlaylist{Name: "Best", Public: true, Rules: &rules.Set{
			Match: rules.All, Sort: rules.SortRating, Limit: 2,
			Rules: []rules.Rule{{Field: "rating", Op: "gt", Value: 2.0}}}})
		if err != nil || p.SongCount != 0 {
			t.Fatalf("new smart playlist: got %d songs, error %v; want 0", p.SongCount, err)
		}
		before := s.View().Revision
		for i, rating := range []int{3, 5, 1, 4, 2} {
			if err := s.SetRating(ctx, ann, rating, ids[i]); err != nil {
				t.Fatal(err)
			}
			if err := s.SetRating(ctx, bob, 5, ids[i]); err != nil {
				t.Fatal(err)
			}
		}
		if s.View().Revision == before {
			t.Error("revision after a rating that others see in a smart playlist: got the same, want a new one")
		}
		if got, want := smartIDs(t, s, bob, p.ID), []string{ids[1], ids[3]}; !slices.Equal(got, want) {
			t.Errorf("songs: got %v, want %v", got, want)
		}
		lists, _, err := s.Playlists(ctx, bob, firstPage)
		if err != nil || lists[0].SongCount != 2 || lists[0].Duration != 2*180000 {
			t.Errorf("list: got %+v, error %v; want 2 songs of 6 minutes", lists, err)
		}
		found, err := s.Search(ctx, bob, "best", 5)
		if err != nil || len(found.Playlists) != 1 || found.Playlists[0].SongCount != 2 {
			t.Errorf("search: got %+v, error %v; want one playlist of 2 songs", found.Playlists, err)
		}
	})
}

func TestSmartPlaylistRejectsChangesOfItsEntries(t *testing.T) {
	s := openSQLite(t)
	ctx := t.Context()
	ids := ingest(t, s, songs(2)...)
	ann := createUser(t, s, "Ann").Viewer()
	set := &rules.Set{Match: rules.All, Rules: []rules.Rule{{Field: "year", Op: "is", Value: 1999.0}}}
	p, err := s.CreatePlaylist(ctx, ann, catalog.NewPlaylist{Name: "Smart", Rules: set})
	if err != nil || p.SongCount != 2 {
		t.Fatalf("smart playlist: got %d songs, error %v; want 2", p.SongCount, err)
	}
	_, added := s.AddSongs(ctx, ann, p.ID, ids, nil)
	_, moved := s.MoveSong(ctx, ann, p.ID, 0, 1, ids[0])
	_, removed := s.RemoveSong(ctx, ann, p.ID, 0, ids[0])
	_, replaced := s.ReplaceSongs(ctx, ann, p.ID, ids)
	plain, err := s.CreatePlaylist(ctx, ann, catalog.NewPlaylist{Name: "Plain", SongIDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	_, ruled := s.ChangePlaylist(ctx, ann, plain.ID, catalog.PlaylistChange{Rules: set})
	for what, err := range map[string]error{"add": added, "move": moved, "remove": removed, "replace": replaced,
		"rules of a plain playlist": ruled} {
		if kind, _ := fault.Of(err); kind != fault.Conflict {
			t.Errorf("%s: got %v, want a Conflict", what, err)
		}
	}
	_, both := s.CreatePlaylist(ctx, ann, catalog.NewPlaylist{Name: "Both", SongIDs: ids, Rules: set})
	if kind, _ := fault.Of(both); kind != fault.Invalid {
		t.Errorf("songs and rules: got %v, want an Invalid fault", both)
	}
}
