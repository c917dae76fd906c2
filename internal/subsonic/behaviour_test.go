package subsonic_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

func TestSongsHaveWhatAppsNeed(t *testing.T) {
	onBoth(t, 24, func(t *testing.T, h *fixture) {
		h.annotate(t)
		song := in(h.must(t, "app", "getSong", "id", h.ids[1]), "song")
		for name, want := range map[string]any{
			"title": "Söng <1> & \"more\"", "isDir": false, "isVideo": false, "type": "music", "mediaType": "song",
			"suffix": "flac", "contentType": "audio/flac", "size": json.Number("1001"), "duration": json.Number("101"),
			"bitRate": json.Number("800"), "track": json.Number("2"), "discNumber": json.Number("1"),
			"samplingRate": json.Number("44100"), "channelCount": json.Number("2"), "bitDepth": json.Number("16"),
			"musicBrainzId": "7f5c23b4-1111-4c6e-9d8e-000000000001", "playCount": json.Number("1"),
			"played": "2023-11-14T22:16:40.000Z", "path": "The Artist 0/Album 0/01-02 Söng <1> & \"more\".flac",
		} {
			if got := in(song, name); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, want %v", name, got, want)
			}
		}
		if got := list(in(song, "genres"), "name"); !reflect.DeepEqual(got, []any{"Pop", "Rock & Roll"}) {
			t.Errorf("genres: got %v", got)
		}
		if got := in(song, "replayGain", "trackGain"); got != json.Number("-7.25") {
			t.Errorf("track gain: got %v, want -7.25", got)
		}
		liked := in(h.must(t, "app", "getSong", "id", h.ids[0]), "song")
		if in(liked, "starred") == nil || in(liked, "userRating") != json.Number("4") {
			t.Errorf("a song that Ann likes: got %v, want its like and rating", liked)
		}
		others := in(h.must(t, "bobs", "getSong", "id", h.ids[0]), "song")
		if in(others, "starred") != nil || in(others, "userRating") != nil || in(others, "playCount") != json.Number("0") {
			t.Errorf("the same song for Bob: got %v, want nothing of Ann", others)
		}
		unknown := in(h.must(t, "app", "getSong", "id", h.ids[3]), "song")
		if in(unknown, "artist") != "Unknown Artist" || in(unknown, "album") != nil || in(unknown, "year") != nil {
			t.Errorf("a song without tags: got %v", unknown)
		}
	})
}

func TestEveryAlbumHasAnArtist(t *testing.T) {
	h := start(t, 48)
	albums := in(h.must(t, "app", "getAlbumList2", "type", "alphabeticalByArtist", "size", "500"), "albumList2", "album")
	artists := map[any]bool{}
	for _, group := range in(h.must(t, "app", "getArtists"), "artists", "index").([]any) {
		for _, id := range list(in(group, "artist"), "id") {
			artists[id] = true
		}
	}
	indexed := map[any]bool{}
	for _, group := range in(h.must(t, "app", "getIndexes"), "indexes", "index").([]any) {
		for _, id := range list(in(group, "artist"), "id") {
			indexed[id] = true
		}
	}
	if !reflect.DeepEqual(artists, indexed) {
		t.Errorf("artists of getArtists and getIndexes: got %v and %v, want the same", artists, indexed)
	}
	songs := 0
	for _, album := range albums.([]any) {
		id, artist := in(album, "id").(string), in(album, "artistId").(string)
		if !artists[artist] || in(album, "artist") == "" {
			t.Errorf("album %v: its artist %s is in no list", in(album, "name"), artist)
		}
		own := in(h.must(t, "app", "getArtist", "id", artist), "artist", "album")
		if !slices.Contains(list(own, "id"), any(id)) {
			t.Errorf("album %v is not among those of its artist", in(album, "name"))
		}
		songs += len(in(h.must(t, "app", "getAlbum", "id", id), "album", "song").([]any))
		folder := in(h.must(t, "app", "getMusicDirectory", "id", id), "directory")
		if in(folder, "parent") != artist {
			t.Errorf("folder of %v: got parent %v, want %s", in(album, "name"), in(folder, "parent"), artist)
		}
	}
	loose := 0
	for artist := range artists {
		for _, child := range in(h.must(t, "app", "getMusicDirectory", "id", artist.(string)), "directory", "child").([]any) {
			if in(child, "isDir") == false {
				loose++
			}
		}
	}
	if songs != 48-8 || loose != 4 {
		t.Errorf("songs of albums and of artists' folders: got %d and %d, want 40 and 4", songs, loose)
	}
}

func TestListsOfAlbums(t *testing.T) {
	h := start(t, 240)
	h.annotate(t)
	names := func(values ...string) []any {
		got := h.must(t, "app", "getAlbumList2", values...)
		return list(in(got, "albumList2", "album"), "name")
	}
	all := names("type", "alphabeticalByName", "size", "500")
	if len(all) != 30 || len(names("type", "alphabeticalByName")) != 10 {
		t.Errorf("albums: got %d, and %d by default; want 30 and 10", len(all), len(names("type", "alphabeticalByName")))
	}
	var paged []any
	for offset := 0; offset < 40; offset += 7 {
		paged = append(paged, names("type", "alphabeticalByName", "limit", "7", "offset", strconv.Itoa(offset))...)
	}
	if !reflect.DeepEqual(paged, all) {
		t.Errorf("pages of 7: got %v, want %v", paged, all)
	}
	if got := names("type", "newest", "size", "0"); len(got) != 0 {
		t.Errorf("size 0: got %v", got)
	}
	years := func(from, to string) (list []string) {
		got := h.must(t, "app", "getAlbumList2", "type", "byYear", "fromYear", from, "toYear", to, "size", "500")
		for _, album := range in(got, "albumList2", "album").([]any) {
			list = append(list, fmt.Sprint(in(album, "year")))
		}
		return list
	}
	up, down := years("1992", "1996"), years("1996", "1992")
	if len(up) == 0 || !slices.IsSorted(up) || up[0] != "1992" || down[0] != "1996" || len(up) != len(down) {
		t.Errorf("by year: got %v and %v, want both directions", up, down)
	}
	if got := years("0", "3000"); slices.Contains(got, "0") || len(got) != 20 {
		t.Errorf("all years: got %d %v, want the 20 albums with one", len(got), got)
	}
	if got := names("type", "starred"); len(got) != 1 || got[0] != "Album 0" {
		t.Errorf("starred: got %v, want Album 0", got)
	}
	if got := names("type", "highest"); len(got) != 1 {
		t.Errorf("highest: got %v, want one", got)
	}
	if got := names("type", "frequent"); len(got) != 1 {
		t.Errorf("frequent: got %v, want one", got)
	}
	seen := map[string]bool{}
	for range 8 {
		got := names("type", "random", "size", "5")
		if len(got) != 5 {
			t.Errorf("random: got %v, want 5", got)
		}
		seen[fmt.Sprint(got)] = true
	}
	if len(seen) < 2 {
		t.Error("random: got the same list eight times")
	}
	random := list(in(h.must(t, "app", "getRandomSongs", "size", "500"), "randomSongs", "song"), "id")
	if unique := slices.Compact(slices.Sorted(slices.Values(texts(random)))); len(random) != 240 || len(unique) != 240 {
		t.Errorf("random songs: got %d, %d different; want all 240", len(random), len(unique))
	}
	some := in(h.must(t, "app", "getRandomSongs", "size", "50", "fromYear", "1992", "toYear", "1993"), "randomSongs",
		"song")
	for _, year := range list(some, "year") {
		if year != json.Number("1992") && year != json.Number("1993") {
			t.Errorf("random song of 1992 and 1993: got %v", year)
		}
	}
}

func texts(values []any) (list []string) {
	for _, v := range values {
		list = append(list, fmt.Sprint(v))
	}
	return list
}

func TestPlaylistsOfApps(t *testing.T) {
	onBoth(t, 12, func(t *testing.T, h *fixture) {
		made := in(h.must(t, "app", "createPlaylist", "name", "List", "songId", h.ids[0], "songId", h.ids[1],
			"songId", h.ids[2], "songId", h.ids[0]), "playlist")
		id := in(made, "id").(string)
		if len(in(made, "entry").([]any)) != 4 || in(made, "owner") != "ann" || in(made, "readonly") != false {
			t.Errorf("created: got %v", made)
		}
		entries := func() []any { return list(in(h.must(t, "app", "getPlaylist", "id", id), "playlist", "entry"), "id") }
		h.must(t, "app", "updatePlaylist", "playlistId", id, "songIndexToRemove", "3", "songIndexToRemove", "0",
			"songIdToAdd", h.ids[5], "name", "Renamed", "comment", "c", "public", "true")
		if got, want := entries(), []any{h.ids[1], h.ids[2], h.ids[5]}; !reflect.DeepEqual(got, want) {
			t.Errorf("after removing 0 and 3 and adding one: got %v, want %v", got, want)
		}
		h.fails(t, 0, "app", "updatePlaylist", "playlistId", id, "songIndexToRemove", "3", "songIdToAdd", h.ids[6])
		if got := entries(); len(got) != 3 {
			t.Errorf("after a change that failed: got %d entries, want 3", len(got))
		}
		seen := in(h.must(t, "bobs", "getPlaylist", "id", id), "playlist")
		if in(seen, "name") != "Renamed" || in(seen, "comment") != "c" || in(seen, "readonly") != true {
			t.Errorf("public playlist for Bob: got %v", seen)
		}
		h.fails(t, 50, "bobs", "updatePlaylist", "playlistId", id, "name", "mine")
		h.fails(t, 50, "bobs", "deletePlaylist", "id", id)
		h.fails(t, 50, "bobs", "createPlaylist", "playlistId", id, "songId", h.ids[0])
		h.must(t, "app", "updatePlaylist", "playlistId", id, "public", "false", "comment", "")
		h.fails(t, 70, "bobs", "getPlaylist", "id", id)
		h.fails(t, 70, "bobs", "updatePlaylist", "playlistId", id, "name", "mine")
		replaced := in(h.must(t, "app", "createPlaylist", "playlistId", id, "songId", h.ids[7]), "playlist")
		if got := list(in(replaced, "entry"), "id"); !reflect.DeepEqual(got, []any{h.ids[7]}) ||
			in(replaced, "comment") != nil {
			t.Errorf("replaced: got %v", replaced)
		}
		h.must(t, "app", "createPlaylist", "playlistId", id)
		if got := entries(); len(got) != 0 {
			t.Errorf("replaced by nothing: got %v", got)
		}
		h.must(t, "app", "deletePlaylist", "id", id)
		h.fails(t, 70, "app", "getPlaylist", "id", id)
		if got := in(h.must(t, "app", "getPlaylists"), "playlists", "playlist").([]any); len(got) != 0 {
			t.Errorf("playlists after the deletion: got %v", got)
		}
	})
}

func TestAnnotationsAreAllOrNothing(t *testing.T) {
	h := start(t, 12)
	unknown := "so_0000000000000000000000"
	h.fails(t, 70, "app", "star", "id", h.ids[0], "id", unknown)
	h.fails(t, 70, "app", "scrobble", "id", h.ids[0], "time", "1700000000000", "id", unknown, "time", "1700000000000")
	if got := in(h.must(t, "app", "getStarred2"), "starred2", "song").([]any); len(got) != 0 {
		t.Errorf("likes after a failure: got %v, want none", got)
	}
	count := func(id string) any { return in(h.must(t, "app", "getSong", "id", id), "song", "playCount") }
	if got := count(h.ids[0]); got != json.Number("0") {
		t.Errorf("plays after a failure: got %v, want 0", got)
	}
	for range 3 { // an app repeats what it got no reply to
		h.must(t, "app", "scrobble", "id", h.ids[0], "time", "1700000000000", "id", h.ids[0], "time", "1700009000000",
			"submission", "true")
	}
	if got := count(h.ids[0]); got != json.Number("2") {
		t.Errorf("plays after a repeated report of two: got %v, want 2", got)
	}
	h.must(t, "app", "scrobble", "id", h.ids[1], "submission", "false")
	if got := count(h.ids[1]); got != json.Number("0") {
		t.Errorf("plays after submission=false: got %v, want 0", got)
	}
	h.must(t, "app", "setRating", "id", h.ids[0], "rating", "3")
	h.must(t, "app", "setRating", "id", h.ids[0], "rating", "0")
	if got := in(h.must(t, "app", "getSong", "id", h.ids[0]), "song", "userRating"); got != nil {
		t.Errorf("rating 0: got %v, want none", got)
	}
	h.fails(t, 0, "app", "setRating", "id", h.ids[0], "rating", "-1")
	h.must(t, "app", "star", "id", h.ids[0])
	h.must(t, "app", "unstar", "id", h.ids[0])
	if got := in(h.must(t, "app", "getStarred"), "starred", "song").([]any); len(got) != 0 {
		t.Errorf("likes after unstar: got %v, want none", got)
	}
}

func TestSavedQueuesKeepRepeatedSongs(t *testing.T) {
	h := start(t, 12)
	a, b := h.ids[0], h.ids[1]
	if got := in(h.must(t, "app", "getPlayQueue"), "playQueue", "entry").([]any); len(got) != 0 {
		t.Errorf("queue at first: got %v", got)
	}
	h.must(t, "app", "savePlayQueueByIndex", "id", a, "id", b, "id", a, "currentIndex", "2", "position", "61000")
	q := in(h.must(t, "reader", "getPlayQueueByIndex"), "playQueueByIndex")
	if in(q, "currentIndex") != json.Number("2") || in(q, "position") != json.Number("61000") ||
		in(q, "changedBy") != "test" || !reflect.DeepEqual(list(in(q, "entry"), "id"), []any{a, b, a}) {
		t.Errorf("queue by index: got %v", q)
	}
	if got := in(h.must(t, "app", "getPlayQueue"), "playQueue", "current"); got != a {
		t.Errorf("current song by id: got %v, want %s", got, a)
	}
	if got := in(h.must(t, "bobs", "getPlayQueue"), "playQueue", "entry").([]any); len(got) != 0 {
		t.Errorf("queue of Bob: got %v, want none of Ann's", got)
	}
	h.must(t, "app", "savePlayQueue", "id", a, "id", b, "current", b)
	if got := in(h.must(t, "app", "getPlayQueueByIndex"), "playQueueByIndex", "currentIndex"); got != json.Number("1") {
		t.Errorf("index of the current song: got %v, want 1", got)
	}
	h.fails(t, 10, "app", "savePlayQueueByIndex", "currentIndex", "0")
	h.must(t, "app", "savePlayQueue")
	if got := in(h.must(t, "app", "getPlayQueue"), "playQueue", "entry").([]any); len(got) != 0 {
		t.Errorf("queue after it was cleared: got %v", got)
	}
	h.must(t, "app", "createBookmark", "id", a, "position", "1000")
	h.must(t, "app", "createBookmark", "id", a, "position", "2000", "comment", "later")
	marks := in(h.must(t, "app", "getBookmarks"), "bookmarks", "bookmark").([]any)
	if len(marks) != 1 || in(marks[0], "position") != json.Number("2000") || in(marks[0], "entry", "id") != a {
		t.Errorf("bookmarks: got %v", marks)
	}
	h.must(t, "app", "deleteBookmark", "id", a)
	if got := in(h.must(t, "app", "getBookmarks"), "bookmarks", "bookmark").([]any); len(got) != 0 {
		t.Errorf("bookmarks after the deletion: got %v", got)
	}
}

func TestReportedPlaybackIsShownToItsUserOnly(t *testing.T) {
	h := start(t, 12)
	report := func(song, state, position string, more ...string) {
		t.Helper()
		h.must(t, "app", "reportPlayback", append([]string{"mediaId", song, "mediaType", "song", "state", state,
			"positionMs", position}, more...)...)
	}
	report(h.ids[0], "starting", "0")
	report(h.ids[0], "playing", "5000", "playbackRate", "1.5")
	entry := in(h.must(t, "reader", "getNowPlaying"), "nowPlaying", "entry", 0)
	if in(entry, "id") != h.ids[0] || in(entry, "state") != "playing" || in(entry, "playerName") != "app" ||
		in(entry, "playbackRate") != json.Number("1.5") {
		t.Errorf("now playing: got %v", entry)
	}
	if got := in(h.must(t, "bobs", "getNowPlaying"), "nowPlaying", "entry").([]any); len(got) != 0 {
		t.Errorf("now playing for Bob: got %v, want nothing of Ann", got)
	}
	report(h.ids[0], "stopped", "6000")
	if got := in(h.must(t, "app", "getNowPlaying"), "nowPlaying", "entry").([]any); len(got) != 0 {
		t.Errorf("now playing after the stop: got %v", got)
	}
	if got := in(h.must(t, "app", "getSong", "id", h.ids[0]), "song", "playCount"); got != json.Number("0") {
		t.Errorf("plays of a song heard for a moment: got %v, want 0", got)
	}
	h.fails(t, 10, "app", "reportPlayback", "mediaId", h.ids[0])
	h.fails(t, 0, "app", "reportPlayback", "mediaId", h.ids[0], "mediaType", "song", "state", "dancing", "positionMs", "0")
}

func TestScanRequestsAreCoalesced(t *testing.T) {
	h := start(t, 3)
	for range 5 {
		h.must(t, "app", "startScan")
	}
	if h.scans != 1 {
		t.Errorf("five requests for a scan: got %d scans, want 1", h.scans)
	}
	h.fails(t, 50, "reader", "startScan")
}
