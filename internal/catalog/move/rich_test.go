package move_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/lyrics"
	"waxwing/internal/rules"
)

// rich contains ids and keys of a catalog with rows of every kind.
type rich struct {
	keys      map[string]string // secrets by name; only revoked is invalid
	songs     []string
	missing   []string // those of songs whose file is missing
	playlists []string
	private   string // a private playlist of Ann
	plays     []catalog.Play
}

// words are in many scripts. Some sort differently by language, some share a prefix, some are equal
// after folding.
var words = strings.Fields(
	`love Love LOVE lovely glove night Nacht noche nóche día dia Straße strasse STRASSE Ænima aenima
	Ångström angstrom zebra Zebra éclair eclair Eclair œuvre ÿ Ÿ ı İstanbul istanbul i I ß ſ ﬁre
	fire ｆｕｌｌ full naïve naive don't dont AC/DC acdc T.N.T. a-ha aha C++ C# !!! … — 100% $ 4′33″
	上を向いて歩こう 坂本九 東京 東京事変 사랑을 했다 Кино кровь ёлка елка Ελλάδα ελλας שלום سلام नमस्ते स्त्री ไทย ราตรี
	ຄວາມ ភាសា မြန်မာ ქართული Հայ 🎵 👩‍🚀 𝔘𝔫𝔦 𐐷 ŋ ʻokina O’Brien OBrien Bohemian Rhapsody rhapsodie
	rapsody yesterday Yesterdays today tomorrow blue blues Bluesy rain rainy train brain smells
	like teen spirit nevermind never ever everyone`,
)

func pick(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[r.IntN(len(words))]
	}
	return strings.Join(list, " ")
}

// fillRich fills a catalog. Songs share titles, years and tracks, so that every sort key matters.
func fillRich(t *testing.T, s *catalog.Store, songs int) *rich {
	t.Helper()
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(7, 11))
	k := &rich{keys: map[string]string{}}
	ann, err := s.CreateUser(ctx, catalog.NewUser{Username: "ann", Name: "Änn Ünïcode", Bio: "I ❤ \"quotes\" & <tags>"})
	ok(err)
	bob, err := s.CreateUser(ctx, catalog.NewUser{Username: "bob", Name: "Bob"})
	ok(err)
	_, err = s.UseUser(ctx, "bob")
	ok(err)
	for _, n := range []catalog.NewKey{
		{Name: "ann", Owner: "ann", Permissions: []string{"read", "write"}, Rate: 12.5, Burst: 7000},
		{Name: "bob", Owner: "bob", Permissions: []string{"read"}, ExpiresAt: time.Now().Add(time.Hour)},
		{Name: "active", Permissions: []string{"read"}},
		{Name: "revoked", Owner: "bob", Permissions: []string{"read"}},
	} {
		secret, hash := access.Mint(access.KeyPrefix)
		n.Hash = hash.String()
		created, err := s.CreateKey(ctx, n)
		ok(err)
		k.keys[n.Name] = secret
		switch n.Name {
		case "revoked":
			ok(s.RevokeKey(ctx, created.ID))
		case "active":
			secret, hash := access.Mint(access.KeyPrefix)
			ok(s.RotateKey(ctx, created.ID, hash.String(), nil))
			k.keys[n.Name] = secret
		}
	}
	app := catalog.NewKey{Name: "app", Owner: "ann", Permissions: []string{"read"}}
	_, app.Hash, app.AppState = access.MintKey(true)
	_, err = s.CreateKey(ctx, app)
	ok(err)
	var batch []catalog.ScannedSong
	for i := range songs {
		artist := catalog.ArtistTag{Name: pick(r, 1+r.IntN(2))}
		tag := catalog.ScannedSong{
			File: catalog.File{FileRef: catalog.FileRef{Root: "/music", Path: fmt.Sprintf("%04d \xff\xfe bytes.flac", i)},
				Size: int64(i), ModTime: time.UnixMicro(1_700_000_000_000_000 + int64(i))},
			Title: pick(r, 1+r.IntN(4)), Credits: []catalog.Credit{{Artist: artist, Role: catalog.MainArtist}},
			Track: r.IntN(3), Disc: r.IntN(2), Year: []int{0, 1969, 1999}[r.IntN(3)],
			Duration: time.Duration(1+r.IntN(400_000)) * time.Millisecond,
			Format:   []string{"flac", "mp3", "opus"}[i%3], Bitrate: []int{0, 320, 900}[i%3],
			Genres: [][]string{nil, {"Rock & Roll"}, {"J-Pop", "Rock & Roll"}}[r.IntN(3)],
			Identities: []catalog.Identity{{Kind: catalog.ByAudio, Value: fmt.Sprintf("audio %d", i)},
				{Kind: catalog.ByTags, Value: fmt.Sprintf("t\x00ags \xff %d", i)}},
		}
		if i%4 != 0 {
			tag.Album = &catalog.AlbumTag{Title: words[r.IntN(len(words))], Artists: []catalog.ArtistTag{artist},
				Year: tag.Year}
		}
		if i%2 == 0 {
			tag.Details = catalog.Details{SampleRate: 44100 + i, Channels: 2, BitDepth: 16, MusicBrainz: catalog.MusicBrainzIDs{
				Recording: fmt.Sprintf("recording %d", i), Artists: []string{"one", "two"}, AlbumArtists: []string{"three"}},
				Released: "1999-12-31", Composers: []string{pick(r, 1)}}
		}
		if i%6 == 0 {
			tag.Lyrics = []lyrics.Text{{Source: lyrics.Tag, Lang: "eng", Text: "[00:01.00]" + pick(r, 5)}}
		}
		if i%9 == 0 {
			tag.LyricFiles = []lyrics.Text{{Source: lyrics.LRCFile, Text: pick(r, 9)}}
		}
		if i%5 == 0 {
			tag.Credits = append(tag.Credits,
				catalog.Credit{Artist: catalog.ArtistTag{Name: pick(r, 1)}, Role: catalog.FeaturedArtist})
		}
		batch = append(batch, tag)
		if len(batch) == catalog.BatchLimit || i == songs-1 {
			ids, err := s.IngestSongs(ctx, batch)
			ok(err)
			k.songs, batch = append(k.songs, ids...), nil
		}
	}
	ok(s.FinishScan(ctx))
	online := lyrics.Text{Source: lyrics.Online, Text: "[00:02.00]" + words[0]}
	ok(s.PutOnlineLyrics(ctx, k.songs[min(7, len(k.songs)-1)], online))
	for i := range 40 {
		owner := []catalog.Viewer{ann.Viewer(), bob.Viewer()}[i%2]
		var entries []string
		for range r.IntN(30) {
			entries = append(entries, k.songs[r.IntN(len(k.songs))])
		}
		if i == 0 {
			entries = append(entries, k.songs...)
		}
		p, err := s.CreatePlaylist(ctx, owner, catalog.NewPlaylist{Name: pick(r, 2), Description: pick(r, 6),
			Public: i%3 != 2, SongIDs: entries})
		ok(err)
		k.playlists = append(k.playlists, p.ID)
		if i%2 == 0 && i%3 == 2 {
			k.private = p.ID
		}
	}
	for i, set := range []rules.Set{
		{Match: rules.Any, Sort: "title", Rules: []rules.Rule{{Field: "title", Op: "contains", Value: "é"},
			{Field: "rating", Op: "gt", Value: 2}}},
		{Match: rules.All, Sort: rules.SortPlayCount, Limit: 50, Rules: []rules.Rule{{Field: "last_played", Op: "in_last",
			Value: 90}, {Match: rules.Any, Rules: []rules.Rule{{Field: "liked", Op: "is", Value: true},
			{Field: "artist", Op: "starts_with", Value: "a"}}}}},
		{Match: rules.All, Sort: rules.SortRandom, Rules: []rules.Rule{{Field: "path", Op: "not_contains", Value: "%"}}},
	} {
		p, err := s.CreatePlaylist(ctx, []catalog.Viewer{ann.Viewer(), bob.Viewer()}[i%2],
			catalog.NewPlaylist{Name: "smart " + pick(r, 1), Public: i != 1, Rules: &set})
		ok(err)
		k.playlists = append(k.playlists, p.ID)
	}
	deleted, err := s.CreatePlaylist(ctx, ann.Viewer(), catalog.NewPlaylist{Name: "deleted"})
	ok(err)
	ok(s.DeletePlaylist(ctx, ann.Viewer(), deleted.ID))
	if songs > 3 {
		_, err = s.MoveSong(ctx, ann.Viewer(), k.playlists[0], 3, 1, songAt(t, s, ann.Viewer(), k.playlists[0], 3))
		ok(err)
	}
	ok(s.SaveQueue(ctx, bob.Viewer(), catalog.NewQueue{SongIDs: []string{k.songs[0], k.songs[0]}, Current: 1,
		By: "phone"}))
	ok(s.SetBookmark(ctx, ann.Viewer(), k.songs[0], time.Minute, pick(r, 3)))
	for i := range 120 {
		play := catalog.Play{
			SongID: k.songs[r.IntN(max(1, len(k.songs)/(1+i%7)))], Listener: []catalog.Viewer{ann.Viewer(), bob.Viewer()}[i%2],
			PlayedAt:    time.Now().Add(-time.Duration(r.IntN(int(60 * 24 * time.Hour)))),
			Idempotency: fmt.Sprintf("play-%d-ü", i), Source: "phone",
		}
		_, err := s.RecordPlay(ctx, play)
		ok(err)
		k.plays = append(k.plays, play)
		ok(s.SetLiked(ctx, play.Listener, true, play.SongID))
		ok(s.SetRating(ctx, play.Listener, i%6, k.songs[i%len(k.songs)]))
		if facts := factsOf(t, s, play.SongID); facts.AlbumID != nil && i%3 == 0 {
			ok(s.SetLiked(ctx, play.Listener, true, *facts.AlbumID, *facts.ArtistID))
			ok(s.SetRating(ctx, play.Listener, 1+i%5, *facts.AlbumID))
		}
		if i%10 == 0 {
			ok(s.SetLiked(ctx, bob.Viewer(), true, k.playlists[1+2*i/10]))
		}
	}
	var missing []catalog.FileRef
	for i := 7; i < songs; i += 31 {
		missing = append(missing, catalog.FileRef{Root: "/music", Path: fmt.Sprintf("%04d \xff\xfe bytes.flac", i)})
		k.missing = append(k.missing, k.songs[i])
	}
	ok(s.MarkMissing(ctx, missing))
	unreadable := catalog.File{FileRef: catalog.FileRef{Root: "/music", Path: "bad\xff.mp3"}, Size: 3,
		ModTime: time.UnixMicro(5)}
	ok(s.PutProblems(ctx, []catalog.Problem{{File: unreadable, Sentence: "is not\x00 \xff sound"}}))
	ok(s.FinishScan(ctx))
	return k
}

func factsOf(t *testing.T, s *catalog.Store, id string) catalog.SongFacts {
	t.Helper()
	song, err := s.Song(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := song.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func songAt(t *testing.T, s *catalog.Store, v catalog.Viewer, playlist string, position int) string {
	t.Helper()
	entries, _, err := s.PlaylistSongs(t.Context(), v, playlist, catalog.Page{Number: 1, Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	return entries[position].ID
}
