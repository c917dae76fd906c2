package e2e

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	_ "modernc.org/sqlite" // reads the database of a killed server
)

// inspect looks for the acknowledged writes in a copy of the killed server's files.
func (h *fixture) inspect(w *writes, wrong func(string, ...any)) {
	dir := h.t.TempDir()
	for _, name := range []string{"catalog.db", "catalog.db-wal"} {
		data, err := os.ReadFile(filepath.Join(h.dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "catalog.db"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		wrong("integrity_check: got %q, %v; want ok", verdict, err)
	}
	for query, ids := range map[string][]string{
		`SELECT count(*) FROM plays WHERE idempotency = $1`: w.plays,
		`SELECT count(*) FROM keys WHERE id = $1`:           w.keys,
	} {
		for _, id := range ids {
			var n int
			if err := db.QueryRow(query, id).Scan(&n); err != nil || n != 1 {
				wrong("%s with %s: got %d, %v; want 1", query, id, n, err)
			}
		}
	}
	var stored struct {
		Tokens []struct {
			ID        string    `json:"id"`
			RevokedAt time.Time `json:"revoked_at"`
		} `json:"tokens"`
	}
	text, err := os.ReadFile(filepath.Join(h.dir, "tokens.json"))
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	if err != nil {
		wrong("tokens.json cannot be read: %v", err)
	}
	revoked := map[string]bool{}
	for _, t := range stored.Tokens {
		revoked[t.ID] = !t.RevokedAt.IsZero()
	}
	for id, want := range w.tokens {
		if got, exists := revoked[id]; !exists || got != want {
			wrong("token %s: exists %v, revoked %v; want true, %v", id, exists, got, want)
		}
	}
}

// compare checks the restarted server against the acknowledged writes.
func (h *fixture) compare(w *writes, killed time.Time, all *killTotals, wrong func(string, ...any)) {
	var now []string
	reply := h.get("/playback-queue")
	for _, item := range reply["queue"].([]any) {
		now = append(now, object(item)["id"].(string))
	}
	if !slices.Equal(now, h.queue) && (h.pending == nil || !slices.Equal(now, h.pending)) {
		wrong("the queue: got\n%v, want\n%v or, with the last edit,\n%v", now, h.queue, h.pending)
	}
	h.queue, h.pending = now, nil
	track := object(h.get("/current-track"), "track")
	if track["is_playing"] != false || track["id"] != now[0] {
		wrong("the current track: got %v, want %s, paused", track, now[0])
	}
	if !w.positionAt.IsZero() {
		want := w.position + killed.Sub(w.positionAt)
		got := time.Duration(track["position"].(float64)) * time.Millisecond
		raise(&all.positionError, (got - want).Abs().Milliseconds())
		if (got - want).Abs() > maxPositionError {
			wrong("the position: got %v, want %v ± %v", got, want, maxPositionError)
		}
	}
	for id, songs := range w.playlists {
		list, err := h.try("GET", "/api/playlists/"+id, "")
		if err != nil {
			wrong("playlist %s cannot be read: %v", id, err)
			continue
		}
		n := int(object(list, "playlist")["song_count"].(float64))
		if n != songs && (songs > 0 || n != -songs && n != 1-songs) {
			wrong("playlist %s: got %d songs, want %d", id, n, songs)
		}
	}
}
