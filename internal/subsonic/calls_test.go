package subsonic_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// in returns the value at a path of names and indexes in a reply; nil if there is none.
func in(v any, path ...any) any {
	for _, step := range path {
		switch at := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[at]
		case int:
			list, _ := v.([]any)
			if at >= len(list) {
				return nil
			}
			v = list[at]
		}
	}
	return v
}

// ok fails the test unless a reply is a success.
func ok(t testing.TB, call string, got map[string]any) map[string]any {
	t.Helper()
	if got["status"] != "ok" {
		t.Fatalf("%s: got %v, want ok", call, got["error"])
	}
	return got
}

// must is ask for a call that succeeds.
func (h *fixture) must(t testing.TB, app, call string, values ...string) map[string]any {
	t.Helper()
	return ok(t, call, h.ask(t, app, call, values...))
}

// fails is ask for a call that fails with a code.
func (h *fixture) fails(t testing.TB, code int, app, call string, values ...string) {
	t.Helper()
	got := h.ask(t, app, call, values...)
	if got["status"] != "failed" || in(got, "error", "code") != json.Number(fmt.Sprint(code)) {
		t.Errorf("%s %v: got %v %v, want failed with code %d", call, values, got["status"], got["error"], code)
	}
}

// list returns the values of a field of the objects in a list.
func list(v any, name string) (values []any) {
	items, _ := v.([]any)
	for _, item := range items {
		values = append(values, in(item, name))
	}
	return values
}

func TestEveryReadValidatesInThreeFormats(t *testing.T) {
	onBoth(t, 60, func(t *testing.T, h *fixture) {
		h.annotate(t)
		artists := h.must(t, "app", "getArtists")
		artist, _ := in(artists, "artists", "index", 0, "artist", 0, "id").(string)
		albums := h.must(t, "app", "getAlbumList2", "type", "alphabeticalByName", "size", "500")
		album, _ := in(albums, "albumList2", "album", 0, "id").(string)
		playlist, _ := in(h.must(t, "app", "getPlaylists"), "playlists", "playlist", 0, "id").(string)
		for _, call := range []string{"ping", "getLicense", "getOpenSubsonicExtensions", "tokenInfo", "getUser",
			"getScanStatus",
			"getMusicFolders", "getIndexes", "getGenres", "getStarred", "getStarred2", "getNowPlaying", "getPlayQueue",
			"getPlayQueueByIndex", "getBookmarks", "getPodcasts", "getNewestPodcasts", "getInternetRadioStations", "getShares",
			"getVideos", "getChatMessages", "search2", "search3", "getRandomSongs"} {
			h.must(t, "app", call)
		}
		for _, kind := range []string{"random", "newest", "highest", "frequent", "recent", "alphabeticalByName",
			"alphabeticalByArtist", "starred"} {
			h.must(t, "app", "getAlbumList", "type", kind)
			h.must(t, "app", "getAlbumList2", "type", kind)
		}
		for _, ask := range [][]string{
			{"getAlbumList2", "type", "byYear", "fromYear", "1990", "toYear", "1999"},
			{"getAlbumList2", "type", "byYear", "fromYear", "1999", "toYear", "1990"},
			{"getAlbumList2", "type", "byGenre", "genre", "pop"}, {"getAlbumList", "type", "byGenre", "genre", "Pop"},
			{"getArtist", "id", artist}, {"getAlbum", "id", album}, {"getSong", "id", h.ids[0]}, {"getSong", "id", h.ids[3]},
			{"getMusicDirectory", "id", "1"}, {"getMusicDirectory", "id", artist}, {"getMusicDirectory", "id", album},
			{"getSongsByGenre", "genre", "Rock & Roll", "count", "500"},
			{"getRandomSongs", "genre", "Pop", "fromYear", "1990", "toYear", "1993", "size", "50"},
			{"search2", "query", "album"}, {"search3", "query", "artist"}, {"search3", "query", `""`, "songCount", "500"},
			{"search3", "query", "söng", "songCount", "5", "songOffset", "5", "albumCount", "0"},
			{"getPlaylist", "id", playlist}, {"getPlaylists", "username", "ann"},
			{"getArtistInfo", "id", artist}, {"getArtistInfo2", "id", artist}, {"getArtistInfo2", "id", h.ids[1]},
			{"getAlbumInfo", "id", album}, {"getAlbumInfo2", "id", album},
			{"getSimilarSongs", "id", h.ids[1]}, {"getSimilarSongs2", "id", artist},
			{"getTopSongs", "artist", "the artist 0"}, {"getTopSongs", "id", artist},
			{"getTopSongs", "artist", "nobody has this name"},
			{"getLyrics", "artist", "The Artist 0", "title", "Söng <6> & \"more\""}, {"getLyrics"},
			{"getLyricsBySongId", "id", h.ids[6]}, {"getLyricsBySongId", "id", h.ids[6], "enhanced", "true"},
			{"getLyricsBySongId", "id", h.ids[0]},
		} {
			h.must(t, "app", ask[0], ask[1:]...)
		}
	})
}

// annotate lets Ann like, rate, play and save things.
func (h *fixture) annotate(t testing.TB) {
	t.Helper()
	song := h.must(t, "app", "getSong", "id", h.ids[0])
	album, _ := in(song, "song", "albumId").(string)
	artist, _ := in(song, "song", "artistId").(string)
	h.must(t, "app", "star", "id", h.ids[0], "id", h.ids[4], "albumId", album, "artistId", artist)
	h.must(t, "app", "setRating", "id", h.ids[0], "rating", "4")
	h.must(t, "app", "setRating", "id", album, "rating", "5")
	h.must(t, "app", "scrobble", "id", h.ids[0], "time", "1700000000000", "id", h.ids[1], "time", "1700000200000")
	h.must(t, "app", "scrobble", "id", h.ids[2], "submission", "false")
	h.must(t, "app", "createPlaylist", "name", "My <list>", "songId", h.ids[1], "songId", h.ids[3], "songId", h.ids[1])
	h.must(t, "app", "savePlayQueueByIndex", "id", h.ids[1], "id", h.ids[1], "currentIndex", "1", "position", "5000")
	h.must(t, "app", "createBookmark", "id", h.ids[5], "position", "123456", "comment", "here & <there>")
}
