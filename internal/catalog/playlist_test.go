package catalog_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

func createUser(t testing.TB, s *catalog.Store, name string) catalog.User {
	t.Helper()
	u, err := s.CreateUser(t.Context(), catalog.NewUser{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPrivatePlaylistsAreNotFoundByOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(3)...)
		ann, bob := createUser(t, s, "Ann"), createUser(t, s, "Bob")
		secret, err := s.CreatePlaylist(ctx, ann.Viewer(), catalog.NewPlaylist{Name: "Secret", SongIDs: ids})
		if err != nil || secret.SongCount != 3 || secret.Duration != 3*180000 || secret.Owner.Username != "ann" {
			t.Fatalf("created playlist: got %+v, error %v; want 3 songs of ann", secret, err)
		}
		open, err := s.CreatePlaylist(ctx, ann.Viewer(), catalog.NewPlaylist{Name: "Open", Public: true})
		if err != nil {
			t.Fatal(err)
		}
		page := catalog.Page{Number: 1, Limit: 10}
		for _, viewer := range []struct {
			who  catalog.Viewer
			list int64
			kind fault.Kind
		}{{ann.Viewer(), 2, 255}, {bob.Viewer(), 1, fault.NotFound}, {catalog.Viewer{}, 1, fault.NotFound}} {
			if _, err := s.Playlist(ctx, viewer.who, secret.ID); kind(err) != viewer.kind {
				t.Errorf("private playlist: got %v, want kind %d", err, viewer.kind)
			}
			if _, _, err := s.PlaylistSongs(ctx, viewer.who, secret.ID, page); kind(err) != viewer.kind {
				t.Errorf("songs of a private playlist: got %v, want kind %d", err, viewer.kind)
			}
			if list, total, err := s.Playlists(ctx, viewer.who, page); err != nil || total != viewer.list ||
				int64(len(list)) != viewer.list {
				t.Errorf("all playlists: got %d, total %d, error %v; want %d", len(list), total, err, viewer.list)
			}
			list, total, err := s.UserPlaylists(ctx, viewer.who, "ANN", page)
			if err != nil || total != viewer.list || int64(len(list)) != viewer.list {
				t.Errorf("playlists of a user: got %d, total %d, error %v; want %d", len(list), total, err, viewer.list)
			}
		}
		if _, err := s.AddSongs(ctx, bob.Viewer(), secret.ID, ids, nil); kind(err) != fault.NotFound {
			t.Errorf("adding to a private playlist of another user: got %v, want NotFound", err)
		}
		if _, err := s.AddSongs(ctx, bob.Viewer(), open.ID, ids, nil); kind(err) != fault.Forbidden {
			t.Errorf("adding to a public playlist of another user: got %v, want Forbidden", err)
		}
		if u, _ := s.User(ctx, "ann"); u.PlaylistCount != 1 {
			t.Errorf("public playlists: got %d, want 1", u.PlaylistCount)
		}
		if err := s.DeletePlaylist(ctx, bob.Viewer(), secret.ID); kind(err) != fault.NotFound {
			t.Errorf("deleting a playlist of another user: got %v, want NotFound", err)
		}
		if err := s.DeletePlaylist(ctx, ann.Viewer(), secret.ID); err != nil {
			t.Error(err)
		}
		if _, err := s.Playlist(ctx, ann.Viewer(), secret.ID); kind(err) != fault.NotFound {
			t.Errorf("deleted playlist: got %v, want NotFound", err)
		}
	})
}

func TestPlaylistKeepsUnavailableSongs(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(2)...)
		ann := createUser(t, s, "Ann")
		p, err := s.CreatePlaylist(ctx, ann.Viewer(), catalog.NewPlaylist{Name: "Mix", SongIDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.MarkMissing(ctx, []catalog.FileRef{song(1).File.FileRef}); err != nil {
			t.Fatal(err)
		}
		entries, total, err := s.PlaylistSongs(ctx, ann.Viewer(), p.ID, catalog.Page{Number: 1, Limit: 10})
		if err != nil || total != 2 || entries[0].ID != ids[0] || entries[0].Available || !entries[1].Available ||
			entries[1].Position != 1 || entries[1].AddedAt.IsZero() {
			t.Errorf("entries: got %+v, total %d, error %v; want both songs, the first unavailable", entries, total, err)
		}
		longer := song(2)
		longer.ID, longer.Duration = ids[1], 4*time.Minute
		ingest(t, s, longer)
		if p, _ = s.Playlist(ctx, ann.Viewer(), p.ID); p.Duration != 7*60000 {
			t.Errorf("duration: got %d, want %d", p.Duration, 7*60000)
		}
		again, err := s.PutImportedPlaylist(ctx, ann.Viewer(), "/music/a.m3u", catalog.NewPlaylist{Name: "A", SongIDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		renamed, err := s.PutImportedPlaylist(ctx, ann.Viewer(), "/music/a.m3u",
			catalog.NewPlaylist{Name: "B", SongIDs: ids[:1]})
		if err != nil || renamed.ID != again.ID || renamed.Name != "B" || renamed.SongCount != 1 ||
			renamed.Duration != 180000 {
			t.Errorf("playlist imported again: got %+v, error %v; want the same id, name B and 1 song", renamed, err)
		}
	})
}

// TestPlaylistEditsMatchASlice edits a playlist at random and compares it with a slice.
func TestPlaylistEditsMatchASlice(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(20)...)
		ann := createUser(t, s, "Ann").Viewer()
		rapid.Check(t, func(r *rapid.T) {
			p, err := s.CreatePlaylist(ctx, ann, catalog.NewPlaylist{Name: "Model"})
			if err != nil {
				r.Fatal(err)
			}
			model := []string{}
			for range rapid.IntRange(1, 15).Draw(r, "steps") {
				switch rapid.SampledFrom([]string{"add", "insert", "front", "remove", "move", "stale"}).Draw(r, "do") {
				case "add":
					added := rapid.SliceOfN(rapid.SampledFrom(ids), 1, 5).Draw(r, "songs")
					p, err = s.AddSongs(ctx, ann, p.ID, added, nil)
					model = append(model, added...)
				case "insert":
					added := rapid.SliceOfN(rapid.SampledFrom(ids), 1, 5).Draw(r, "songs")
					at := int64(rapid.IntRange(0, len(model)).Draw(r, "at"))
					p, err = s.AddSongs(ctx, ann, p.ID, added, &at)
					model = slices.Insert(model, int(at), added...)
				case "front": // halve the first gap between sort keys until none is left
					at := int64(min(1, len(model)))
					for range 25 {
						if p, err = s.AddSongs(ctx, ann, p.ID, ids[:1], &at); err != nil {
							break
						}
						model = slices.Insert(model, int(at), ids[0])
					}
				case "remove":
					if len(model) == 0 {
						continue
					}
					at := rapid.IntRange(0, len(model)-1).Draw(r, "at")
					p, err = s.RemoveSong(ctx, ann, p.ID, int64(at), model[at])
					model = slices.Delete(model, at, at+1)
				case "move":
					if len(model) == 0 {
						continue
					}
					from, to := rapid.IntRange(0, len(model)-1).Draw(r, "from"), rapid.IntRange(0, len(model)-1).Draw(r, "to")
					p, err = s.MoveSong(ctx, ann, p.ID, int64(from), int64(to), model[from])
					moved := model[from]
					model = slices.Insert(slices.Delete(model, from, from+1), to, moved)
				case "stale":
					if len(model) == 0 || model[0] == ids[19] {
						continue
					}
					if _, err := s.RemoveSong(ctx, ann, p.ID, 0, ids[19]); kind(err) != fault.Conflict {
						r.Fatalf("removal at a stale position: got %v, want a conflict", err)
					}
				}
				if err != nil {
					r.Fatal(err)
				}
			}
			got := []string{}
			for page := int64(1); ; page++ {
				entries, total, err := s.PlaylistSongs(ctx, ann, p.ID, catalog.Page{Number: page, Limit: 7})
				if err != nil || int(total) != len(model) {
					r.Fatalf("entries: got %d, error %v; want %d", total, err, len(model))
				}
				if len(entries) == 0 {
					break
				}
				for _, e := range entries {
					if int(e.Position) != len(got) {
						r.Fatalf("position of an entry: got %d, want %d", e.Position, len(got))
					}
					got = append(got, e.ID)
				}
			}
			if !slices.Equal(got, model) {
				r.Fatalf("songs of the playlist:\n got %v\nwant %v", got, model)
			}
			if int(p.SongCount) != len(model) || int(p.Duration) != len(model)*180000 {
				r.Fatalf("playlist: got %d songs of %d ms, want %d of %d ms",
					p.SongCount, p.Duration, len(model), len(model)*180000)
			}
		})
	})
}
