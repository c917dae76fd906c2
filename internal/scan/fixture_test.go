package scan_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
	"waxwing/internal/scan"
)

// fixture is a catalog over one music folder.
type fixture struct {
	t     testing.TB
	dir   string
	store *catalog.Store
	scan  *scan.Scanner
}

// open opens the file of a song, as a server does to stream it.
func (h *fixture) open(songID string) (scan.SongFile, error) {
	ref, _, err := h.store.SongFile(h.t.Context(), songID)
	if err != nil {
		return scan.SongFile{}, err
	}
	return h.scan.OpenFile(h.t.Context(), ref)
}

// newFixture returns a fixture with an empty music folder.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	return newFixtureWith(t, t.TempDir())
}

// newFixtureWith returns a fixture with the given music folders; dir is the first.
func newFixtureWith(t testing.TB, dirs ...string) *fixture {
	t.Helper()
	store, err := catalog.Open(t.Context(), catalog.Config{DB: filepath.Join(t.TempDir(), "catalog.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fixture{t, dirs[0], store, scan.New(store, folders(t, dirs), nil, slog.New(slog.DiscardHandler))}
}

func folders(t testing.TB, dirs []string) (roots []library.Root) {
	t.Helper()
	for _, dir := range dirs {
		root, err := library.NewFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, root)
	}
	return roots
}

func (h *fixture) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

func (h *fixture) write(name string, content []byte) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.path(name), content, 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) rename(from, to string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(to)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(h.path(from), h.path(to)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) remove(name string) {
	h.t.Helper()
	if err := os.Remove(h.path(name)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) run(opts scan.Options) scan.Report {
	h.t.Helper()
	report, err := h.scan.Scan(h.t.Context(), opts)
	if err != nil {
		h.t.Fatal(err)
	}
	return report
}

// songs returns the ids of the available songs by path.
func (h *fixture) songs() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	for known, err := range h.store.Files(h.t.Context(), h.dir) {
		if err != nil {
			h.t.Fatal(err)
		}
		if known.SongID != "" && !known.Missing && known.Problem == "" {
			out[known.Path] = known.SongID
		}
	}
	return out
}

func (h *fixture) facts(id string) catalog.SongFacts {
	h.t.Helper()
	song, err := h.store.Song(context.Background(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	facts, err := song.Decode()
	if err != nil {
		h.t.Fatal(err)
	}
	return facts
}

// mp3 returns a small MP3 file with the given audio and ID3 frames.
func mp3(audio uint64, frames map[string]string) []byte {
	var body []byte
	for _, id := range slices.Sorted(maps.Keys(frames)) {
		text := "\x03" + frames[id]
		body = append(body, id...)
		body = append(append(body, syncsafe(len(text))...), 0, 0)
		body = append(body, text...)
	}
	out := append([]byte("ID3\x04\x00\x00"), syncsafe(len(body))...)
	out = append(out, body...)
	for i := range 6 {
		frame := make([]byte, 417)
		copy(frame, "\xff\xfb\x90\x00")
		binary.LittleEndian.PutUint64(frame[40+i:], audio*0x9e3779b97f4a7c15+1)
		out = append(out, frame...)
	}
	return out
}

// syncsafe encodes a size as ID3 does, seven bits per byte.
func syncsafe(n int) []byte {
	return []byte{byte(n >> 21 & 127), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}
}

// titled returns an MP3 file with title, artist and album.
func titled(audio uint64, title, artist, album string) []byte {
	return mp3(audio, map[string]string{"TIT2": title, "TPE1": artist, "TALB": album})
}

// changes returns the number of songs that a scan changed.
func changes(r scan.Report) int { return r.Added + r.Changed + r.Moved + r.Missing }

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
