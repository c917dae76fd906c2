package cataloghttp_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/art"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

// A stranger who guesses the names in the library, or has a picture of it, gets the same replies
// for right guesses as for wrong ones.
func TestStrangersLearnNothingFromGuessedCovers(t *testing.T) {
	h := start(t, 12)
	picture := art.Hash([]byte("a picture that everybody has"))
	song := catalog.ScannedSong{
		File:  catalog.File{FileRef: catalog.FileRef{Root: h.music, Path: "own.flac"}, Size: 1, ModTime: time.Now()},
		Title: "With a picture", Format: "flac", Cover: &catalog.Cover{Hash: picture, Source: catalog.CoverInAudio,
			File: catalog.FileRef{Root: h.music, Path: "own.flac"}},
	}
	if _, err := h.store.IngestSongs(t.Context(), []catalog.ScannedSong{song}); err != nil {
		t.Fatal(err)
	}
	h.do(t, "both", "POST", "/api/playlists", `{"name":"A secret of Ann"}`).is(t, 200, nil)
	right := []string{"artist\x1fArtist 1", "artist\x1fGuest", "playlist\x1fA secret of Ann", "user\x1fann",
		"Artist 0\x1fAlbum 1"}
	guesses := []string{picture}
	for _, seed := range right {
		guesses = append(guesses, catalog.GeneratedCover(seed).Hash)
	}
	for n := len(guesses); n < 2000; n++ {
		guesses = append(guesses, catalog.GeneratedCover(fmt.Sprintf("artist\x1fSomebody %d", n)).Hash)
	}
	replies := map[string]int{}
	for i, hash := range guesses {
		_, err := h.store.Cover(t.Context(), hash)
		if inLibrary := err == nil; inLibrary != (i <= len(right)) {
			t.Fatalf("guess %d: in the library is %v; the test is wrong", i, inLibrary)
		}
		for _, key := range []string{"", "read"} { // the player forwards the requests of strangers, too
			if i > 10 && key != "" {
				continue
			}
			got := h.do(t, key, "GET", "/media/covers/"+hash+"?size=96", "")
			replies[fmt.Sprint(got.status, got.body)]++
		}
	}
	if len(replies) != 1 || !strings.HasPrefix(oneKey(replies), "404") {
		t.Errorf("got replies %.600v, want only one kind of 404", replies)
	}
	testenv.Report(t, testenv.Probing, testenv.Tally{Inputs: len(guesses), Violations: len(replies) - 1,
		Note: testenv.TriedOf(len(guesses), 2000, "guesses of covers by strangers")})
}

func oneKey(m map[string]int) string {
	for k := range m {
		return k
	}
	return ""
}

// The names of covers depend on the secret of the catalog, and every server of it has the same.
func TestCoverNamesDependOnTheCatalog(t *testing.T) {
	hash := catalog.GeneratedCover("artist\x1fQueen").Hash
	a, b := cataloghttp.CoverName([]byte("a"), hash), cataloghttp.CoverName([]byte("b"), hash)
	if a == b || a == hash || len(a) != 32 || cataloghttp.CoverName([]byte("a"), hash) != a {
		t.Errorf("got names %s and %s of %s, want two others of 32 digits", a, b, hash)
	}
	h := start(t, 1)
	var song catalogapi.SongReply
	h.get(t, "/api/songs/"+h.ids[0]).is(t, 200, &song)
	secret, err := h.store.SigningKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	row, err := h.store.Song(t.Context(), h.ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := h.url + "/media/covers/" + cataloghttp.CoverName(secret, row.Cover); song.Song.CoverURL != want {
		t.Errorf("got %s, want %s", song.Song.CoverURL, want)
	}
}

// Without a key a picture has at most 300 pixels, so that strangers cannot make the server draw
// large ones.
func TestStrangersGetSmallCovers(t *testing.T) {
	h := start(t, 1)
	var song catalogapi.SongReply
	h.get(t, "/api/songs/"+h.ids[0]).is(t, 200, &song)
	path := strings.TrimPrefix(song.Song.CoverURL, h.url)
	for _, c := range []struct {
		key, size string
		want      int
	}{
		{"", "", 300}, {"", "?size=96", 96}, {"", "?size=600", 300}, {"", "?size=1200", 300}, {"", "?size=original", 300},
		{"read", "", 1200}, {"read", "?size=96", 96}, {"read", "?size=1200", 1200}, {"write", "?size=600", 600},
	} {
		got := h.do(t, c.key, "GET", path+c.size, "").is(t, 200, nil)
		img, _, err := image.DecodeConfig(strings.NewReader(got.body))
		if err != nil || img.Width != c.want || got.header.Get("Vary") != "X-Api-Key" {
			t.Errorf("%q %s: got %d pixels, Vary %q, %v; want %d", c.key, c.size, img.Width, got.header.Get("Vary"), err,
				c.want)
		}
	}
	for range 20 {
		got := h.do(t, "", "GET", path, "", "X-Api-Key", h.keys["read"][:20]+strings.Repeat("x", 20))
		if got.status != 401 && got.status != 429 {
			t.Fatalf("with a wrong key: got %d, want 401 or 429", got.status)
		}
	}
}

// Pages of other origins may show a cover and load it in no other way.
func TestForeignPagesLoadCoversAsImagesOnly(t *testing.T) {
	h := start(t, 1)
	var song catalogapi.SongReply
	h.get(t, "/api/songs/"+h.ids[0]).is(t, 200, &song)
	path := strings.TrimPrefix(song.Song.ThumbnailURL, h.url)
	for dest, want := range map[string]int{"image": 200, "empty": 403, "script": 403, "iframe": 403, "document": 403,
		"style": 403, "audio": 403, "": 403} {
		got := h.do(t, "", "GET", path, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", dest)
		if got.status != want {
			t.Errorf("Sec-Fetch-Dest %q: got %d, want %d", dest, got.status, want)
		}
	}
}

// Strangers who request covers and leave cost almost no processor time, and the owner's cover does
// not wait for theirs.
func TestAbandonedCoverRequestsAreNotRendered(t *testing.T) {
	const requests = 600
	var rendered atomic.Int64
	h := start(t, 1, func(cfg *cataloghttp.Config) {
		get := cfg.Picture
		cfg.Picture = func(ctx context.Context, r art.Request) (art.Image, error) {
			img, err := get(ctx, r)
			if err == nil && r.Stranger {
				rendered.Add(1)
			}
			return img, err
		}
	})
	var paths []string
	secret, err := h.store.SigningKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var songs []catalog.ScannedSong
	for n := range requests + 1 {
		title := fmt.Sprintf("Song of no album %d", n)
		songs = append(songs, catalog.ScannedSong{Title: title, Format: "flac", File: catalog.File{
			FileRef: catalog.FileRef{Root: h.music, Path: title}, Size: 1, ModTime: time.Now()}})
		cover := catalog.GeneratedCover("\x1f" + title)
		paths = append(paths, "/media/covers/"+cataloghttp.CoverName(secret, cover.Hash)+"?size=1200")
	}
	for batch := range slices.Chunk(songs, catalog.BatchLimit) {
		if _, err := h.store.IngestSongs(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	ctx, leave := context.WithCancel(t.Context())
	var strangers sync.WaitGroup
	var busy atomic.Int64
	for _, path := range paths[1:] {
		strangers.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+path, http.NoBody)
			if err != nil {
				t.Error(err)
				return
			}
			if resp, err := h.http.Do(req); err == nil {
				if resp.StatusCode == http.StatusServiceUnavailable {
					busy.Add(1)
				}
				_ = resp.Body.Close()
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	owner := h.do(t, "read", "GET", strings.Replace(paths[0], "1200", "600", 1), "")
	waited := time.Since(start) - 100*time.Millisecond
	leave()
	strangers.Wait()
	img, _, err := image.DecodeConfig(strings.NewReader(owner.body))
	if owner.status != 200 || err != nil || img.Width != 600 || waited > 5*time.Second {
		t.Errorf("the owner's cover: got %d, %d pixels after %s, %v; want 600 pixels within 5 s",
			owner.status, img.Width, waited, err)
	}
	if n := rendered.Load(); n > requests/4 || busy.Load() == 0 {
		t.Errorf("got %d of %d covers rendered and %d refused, want at most %d and some", n, requests, busy.Load(),
			requests/4)
	}
	testenv.Report(t, testenv.Images, testenv.Tally{Inputs: requests, Note: fmt.Sprintf(
		"requests by strangers who left: %d rendered, %d refused, the owner's cover after %d ms", rendered.Load(),
		busy.Load(), waited.Milliseconds())})
}

// Files of the library are sent to strangers as they are: that costs no scaling.
func TestOriginalFilesAreServedToStrangers(t *testing.T) {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 640, 640))); err != nil {
		t.Fatal(err)
	}
	hash := art.Hash(file.Bytes())
	s, err := art.Open(t.TempDir(), 1<<20, func(context.Context, string) (art.Source, error) {
		return art.Source{Bytes: file.Bytes()}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[art.Size]int{art.Original: 640, art.Medium: 300, art.Thumbnail: 96} {
		got, err := s.Get(t.Context(), art.Request{Hash: hash, Size: size, Stranger: true})
		if err != nil {
			t.Fatal(err)
		}
		if img, _, err := image.DecodeConfig(bytes.NewReader(got.Bytes)); err != nil || img.Width != want {
			t.Errorf("size %d: got %d pixels, %v; want %d", size, img.Width, err, want)
		}
	}
}

// A backup has the secret of the catalog, so that the addresses of covers stay valid. Package move
// compares the addresses of all covers after a move.
func TestCoverAddressesSurviveABackup(t *testing.T) {
	h := start(t, 1)
	before := h.get(t, "/api/songs/"+h.ids[0])
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := h.store.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	restored, err := catalog.Open(t.Context(), catalog.Config{DB: copied})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	cfg := fresh(h.cfg)
	cfg.Catalog, cfg.BaseURL = restored, h.url
	server, err := cataloghttp.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln := apitest.Listen(t)
	defer apitest.Serve(t, ln, server, slog.New(slog.DiscardHandler))()
	second := *h
	second.url = "http://" + ln.Addr().String()
	if got := second.get(t, "/api/songs/"+h.ids[0]); got.body != before.body {
		t.Errorf("got %s\nwant %s", got.body, before.body)
	}
}
