package cataloghttp

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// mine returns what the viewer did with each of the rows, or nil if the request does not want it.
func mine[T catalog.Item](ctx context.Context, s *server, a readRequest, rows []T) ([]catalog.Personal, error) {
	if !a.me {
		return nil, nil
	}
	return catalog.Personals(ctx, s.store, a.viewer, rows)
}

// wireMine converts rows to their wire types, with what the viewer did with each if the request
// wants it.
func wireMine[Row catalog.Item, Wire any](
	ctx context.Context, s *server, a readRequest, rows []Row, wire func(links, Row, *catalogapi.Me) Wire,
) ([]Wire, error) {
	values, err := mine(ctx, s, a, rows)
	if err != nil {
		return nil, err
	}
	list := make([]Wire, len(rows))
	for i, row := range rows {
		var me *catalogapi.Me
		if values != nil {
			me = wireMe(values[i])
		}
		list[i] = wire(a.links, row, me)
	}
	return list, nil
}

// unrate separates rows from what a user did with them.
func unrate[T any](rated []catalog.Rated[T]) ([]T, []catalog.Personal) {
	rows, values := make([]T, len(rated)), make([]catalog.Personal, len(rated))
	for i, r := range rated {
		rows[i], values[i] = r.Row, r.Personal
	}
	return rows, values
}

func wireMe(p catalog.Personal) *catalogapi.Me {
	return &catalogapi.Me{
		Liked: !p.LikedAt.IsZero(), Rating: p.Rating, PlayCount: int(p.PlayCount),
		LastPlayedAt: timestamp.Known(p.LastPlayedAt),
	}
}

// appendMe appends what a user did with an object to the end of its JSON.
func appendMe(b []byte, p catalog.Personal) []byte {
	b = append(b[:len(b)-1], `,"me":{"liked":`...)
	b = strconv.AppendBool(b, !p.LikedAt.IsZero())
	b = append(b, `,"rating":`...)
	b = strconv.AppendInt(b, int64(p.Rating), 10)
	b = append(b, `,"play_count":`...)
	b = strconv.AppendInt(b, p.PlayCount, 10)
	b = append(b, `,"last_played_at":`...)
	if p.LastPlayedAt.IsZero() {
		b = append(b, `null`...)
	} else {
		b = timestamp.At(p.LastPlayedAt).AppendFormat(b)
	}
	return append(b, `}}`...)
}

// me returns the user of the key.
func (s *server) me(ctx context.Context, a readRequest) ([]byte, int64, error) {
	row, err := s.store.UserOf(ctx, a.viewer)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.UserReply{User: wireUser(a.links, row)})
	return body, 1, err
}

func (s *server) like(r *http.Request, _ httpkit.None) (catalogapi.OK, error) {
	err := s.store.SetLiked(r.Context(), viewer(r.Context()), true, r.PathValue("id"))
	return catalogapi.OK{OK: true}, err
}

func (s *server) unlike(r *http.Request, _ httpkit.None) (catalogapi.OK, error) {
	err := s.store.SetLiked(r.Context(), viewer(r.Context()), false, r.PathValue("id"))
	return catalogapi.OK{OK: true}, err
}

func (s *server) rate(r *http.Request, in catalogapi.NewRating) (catalogapi.OK, error) {
	err := s.store.SetRating(r.Context(), viewer(r.Context()), in.Rating, r.PathValue("id"))
	return catalogapi.OK{OK: true}, err
}

func (s *server) deleteHistory(r *http.Request, _ httpkit.None) (catalogapi.OK, error) {
	if !slices.Equal(r.URL.Query()["all"], []string{"true"}) {
		return catalogapi.OK{}, fault.New(fault.Invalid, "all must be true: this deletes the whole history")
	}
	err := s.store.ForgetPlays(r.Context(), viewer(r.Context()))
	return catalogapi.OK{OK: true}, err
}

func (s *server) deletePlay(r *http.Request, _ httpkit.None) (catalogapi.OK, error) {
	err := s.store.ForgetPlay(r.Context(), viewer(r.Context()), r.PathValue("play_id"))
	return catalogapi.OK{OK: true}, err
}

func (s *server) history(ctx context.Context, a readRequest) ([]byte, int64, error) {
	entries, total, err := s.store.History(ctx, a.viewer, a.page)
	if err != nil {
		return nil, 0, err
	}
	songs := make([]catalog.Song, len(entries))
	for i, e := range entries {
		songs[i] = e.Song
	}
	mine, err := mine(ctx, s, a, songs)
	if err != nil {
		return nil, 0, err
	}
	b := append(a.buf, `{"history":[`...)
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"play_id":"`...)
		b = append(b, e.ID...)
		b = append(b, `","played_at":`...)
		b = timestamp.At(e.PlayedAt).AppendFormat(b)
		b = append(b, `,"source":`...)
		if e.Source == "" {
			b = append(b, `null`...)
		} else {
			b = appendString(b, e.Source)
		}
		b = append(b, `,"song":`...)
		b = appendSong(b, a.links, e.Song)
		if mine != nil {
			b = appendMe(b, mine[i])
		}
		b = append(b, '}')
	}
	return appendPage(append(b, ']'), a.page, total), total, nil
}

func (s *server) likes(ctx context.Context, a readRequest) ([]byte, int64, error) {
	switch a.chosen[0] {
	case "album":
		rows, total, err := s.store.LikedAlbums(ctx, a.viewer, a.page)
		return likePage(a, rows, total, err, func(row catalog.Album, me *catalogapi.Me) catalogapi.Like {
			album := wireAlbum(a.links, row, me)
			return catalogapi.Like{Album: &album}
		})
	case "artist":
		rows, total, err := s.store.LikedArtists(ctx, a.viewer, a.page)
		return likePage(a, rows, total, err, func(row catalog.Artist, me *catalogapi.Me) catalogapi.Like {
			artist := wireArtist(a.links, row, me)
			return catalogapi.Like{Artist: &artist}
		})
	case "playlist":
		rows, total, err := s.store.LikedPlaylists(ctx, a.viewer, a.page)
		return likePage(a, rows, total, err, func(row catalog.Playlist, me *catalogapi.Me) catalogapi.Like {
			playlist := wirePlaylist(a.links, row, me)
			return catalogapi.Like{Playlist: &playlist}
		})
	}
	rows, total, err := s.store.LikedSongs(ctx, a.viewer, a.page)
	if err != nil {
		return nil, 0, err
	}
	b := append(a.buf, `{"likes":[`...)
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"liked_at":`...)
		b = timestamp.At(row.LikedAt).AppendFormat(b)
		b = append(b, `,"song":`...)
		b = appendSong(b, a.links, row.Row)
		if a.me {
			b = appendMe(b, row.Personal)
		}
		b = append(b, '}')
	}
	return appendPage(append(b, ']'), a.page, total), total, nil
}

func likePage[T any](
	a readRequest, rows []catalog.Rated[T], total int64, err error, wire func(T, *catalogapi.Me) catalogapi.Like,
) ([]byte, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	list := catalogapi.LikeList{
		Likes: []catalogapi.Like{}, Page: int(a.page.Number), Limit: int(a.page.Limit), Total: int(total),
	}
	for _, row := range rows {
		var me *catalogapi.Me
		if a.me {
			me = wireMe(row.Personal)
		}
		like := wire(row.Row, me)
		like.LikedAt = timestamp.At(row.LikedAt)
		list.Likes = append(list.Likes, like)
	}
	body, err := encode(list)
	return body, total, err
}

// topPeriods are the days of the values of range.
var topPeriods = map[string]int{"7d": 7, "30d": 30, "1y": 365}

func (s *server) top(ctx context.Context, a readRequest) ([]byte, int64, error) {
	var since time.Time
	if days := topPeriods[a.chosen[1]]; days > 0 {
		since = a.hour.Add(-time.Duration(days) * 24 * time.Hour)
	}
	switch a.chosen[0] {
	case "album":
		rows, total, err := s.store.TopAlbums(ctx, a.viewer, since, a.page)
		return topPage(ctx, s, a, rows, total, err, wireAlbum, func(t *catalogapi.Top, album *catalogapi.Album) {
			t.Album = album
		})
	case "artist":
		rows, total, err := s.store.TopArtists(ctx, a.viewer, since, a.page)
		return topPage(ctx, s, a, rows, total, err, wireArtist, func(t *catalogapi.Top, artist *catalogapi.Artist) {
			t.Artist = artist
		})
	}
	rows, total, err := s.store.TopSongs(ctx, a.viewer, since, a.page)
	if err != nil {
		return nil, 0, err
	}
	songs, plays := uncount(rows)
	mine, err := mine(ctx, s, a, songs)
	if err != nil {
		return nil, 0, err
	}
	b := append(a.buf, `{"top":[`...)
	for i, song := range songs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"play_count":`...)
		b = strconv.AppendInt(b, plays[i], 10)
		b = append(b, `,"song":`...)
		b = appendSong(b, a.links, song)
		if mine != nil {
			b = appendMe(b, mine[i])
		}
		b = append(b, '}')
	}
	return appendPage(append(b, ']'), a.page, total), total, nil
}

// uncount separates rows from their numbers of plays.
func uncount[T any](counted []catalog.Counted[T]) ([]T, []int64) {
	rows, plays := make([]T, len(counted)), make([]int64, len(counted))
	for i, c := range counted {
		rows[i], plays[i] = c.Row, c.Plays
	}
	return rows, plays
}

func topPage[Row catalog.Item, Wire any](
	ctx context.Context, s *server, a readRequest, counted []catalog.Counted[Row], total int64, err error,
	wire func(links, Row, *catalogapi.Me) Wire, set func(*catalogapi.Top, *Wire),
) ([]byte, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	rows, plays := uncount(counted)
	wired, err := wireMine(ctx, s, a, rows, wire)
	if err != nil {
		return nil, 0, err
	}
	list := catalogapi.TopList{
		Top: make([]catalogapi.Top, len(wired)), Page: int(a.page.Number), Limit: int(a.page.Limit), Total: int(total),
	}
	for i := range wired {
		list.Top[i].PlayCount = int(plays[i])
		set(&list.Top[i], &wired[i])
	}
	body, err := encode(list)
	return body, total, err
}
