package backup_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/backup"
	"waxwing/internal/catalog"
	"waxwing/internal/lyrics"
	"waxwing/internal/rules"
)

// TestRestoreKeepsWhatUsersLikeRateAndPlay also checks lyrics, genres, details and the rules of
// smart playlists.
func TestRestoreKeepsWhatUsersLikeRateAndPlay(t *testing.T) {
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	from, store := dataDir(t, "Ann")
	ann, err := store.User(ctx, "ann")
	ok(err)
	ids, err := store.IngestSongs(ctx, []catalog.ScannedSong{{
		File:  catalog.File{FileRef: catalog.FileRef{Root: "/music", Path: "a.flac"}, Size: 1, ModTime: time.UnixMicro(1)},
		Title: "Song", Genres: []string{"Jazz", "Folk"}, Year: 1999, Format: "flac",
		Credits: []catalog.Credit{{Artist: catalog.ArtistTag{Name: "Artist"}, Role: catalog.MainArtist}},
		Lyrics:  []lyrics.Text{{Source: lyrics.Tag, Text: "[00:01.00]One"}}, Details: catalog.Details{SampleRate: 96000},
	}})
	ok(err)
	ok(store.FinishScan(ctx))
	played := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	_, err = store.RecordPlay(ctx, catalog.Play{SongID: ids[0], Listener: ann.Viewer(), PlayedAt: played, Source: "phone"})
	ok(err)
	ok(store.SetLiked(ctx, ann.Viewer(), true, ids[0]))
	ok(store.SetRating(ctx, ann.Viewer(), 5, ids[0]))
	smart, err := store.CreatePlaylist(ctx, ann.Viewer(), catalog.NewPlaylist{Name: "Loved", Rules: &rules.Set{
		Match: rules.All, Rules: []rules.Rule{{Field: "liked", Op: "is", Value: true}}}})
	ok(err)
	file, dir := filepath.Join(t.TempDir(), "backup.tar"), t.TempDir()
	ok(backup.Create(ctx, store, from, file, layout))
	_, _, err = backup.Restore(ctx, file, dir, layout, unchanged)
	ok(err)

	restored, err := catalog.Open(ctx, catalog.Config{DB: filepath.Join(dir, "catalog.db"),
		Log: slog.New(slog.DiscardHandler)})
	ok(err)
	defer func() { ok(restored.Close()) }()
	page := catalog.Page{Number: 1, Limit: 10}
	me, err := restored.PersonalOf(ctx, ann.Viewer(), ids[0])
	if err != nil || me.LikedAt.IsZero() || me.Rating != 5 || me.PlayCount != 1 || !me.LastPlayedAt.Equal(played) {
		t.Errorf("personal data: got %+v, %v; want a like, rating 5 and one play at %v", me, err, played)
	}
	plays, total, err := restored.History(ctx, ann.Viewer(), page)
	if err != nil || total != 1 || plays[0].Song.ID != ids[0] || plays[0].Source != "phone" {
		t.Errorf("history: got %+v, %v; want one play of %s from phone", plays, err, ids[0])
	}
	texts, err := restored.Lyrics(ctx, ids[0])
	if err != nil || len(texts) != 1 || texts[0].Text != "[00:01.00]One" {
		t.Errorf("lyrics: got %+v, %v; want one text", texts, err)
	}
	genres, total, err := restored.Genres(ctx, page)
	if err != nil || total != 2 || genres[0].Name != "Folk" || genres[0].SongCount != 1 {
		t.Errorf("genres: got %+v, %v; want Folk and Jazz", genres, err)
	}
	info, err := restored.SongFileInfo(ctx, ids[0])
	if err != nil || info.SampleRate != 96000 {
		t.Errorf("details: got %+v, %v; want 96000 Hz", info, err)
	}
	songs, total, err := restored.PlaylistSongs(ctx, ann.Viewer(), smart.ID, page)
	if err != nil || total != 1 || songs[0].ID != ids[0] {
		t.Errorf("smart playlist: got %+v, %v; want %s", songs, err, ids[0])
	}
}
