package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"waxwing/internal/fault"
)

const (
	// trendingHalfLife is how long a play takes to weigh half.
	trendingHalfLife = 72 * time.Hour
	// trendingOrigin is T0, in milliseconds: 2026-01-01. Any other would order songs the same.
	trendingOrigin = 1767225600000
	// playedAgain is how soon the same song by the same listener counts once only.
	playedAgain = 30 * time.Minute
)

// Play is one listening of a song, heard for 30 s or half its length.
type Play struct {
	SongID      string
	Listener    Viewer
	PlayedAt    time.Time
	Idempotency string // empty: none; otherwise the same one is the same play
}

// RecordPlay notes a play and reports whether it counts. A play that is sent again under its
// idempotency key changes nothing and gets the same answer; under the key of another play it is a
// Conflict. A play from the future counts as now.
func (s *Store) RecordPlay(ctx context.Context, p Play) (counted bool, err error) {
	if !isID(songPrefix, p.SongID) {
		return false, notFound("song", p.SongID)
	}
	err = s.change(ctx, durable, func(t *tx) error {
		counted, err = t.recordPlay(ctx, p)
		return err
	})
	return counted, err
}

func (t *tx) recordPlay(ctx context.Context, p Play) (counted bool, err error) {
	// The update changes nothing: on an engine with many writers it makes plays of one song queue.
	var song int64
	var heat sql.NullFloat64
	err = t.QueryRowContext(ctx, `UPDATE songs SET play_count = play_count WHERE id = $1 RETURNING num, heat`, p.SongID).Scan(&song, &heat)
	if errors.Is(err, sql.ErrNoRows) {
		return false, notFound("song", p.SongID)
	}
	if err != nil {
		return false, fmt.Errorf("read song %s: %w", p.SongID, err)
	}
	if p.Idempotency != "" {
		var known int64
		err := t.QueryRowContext(ctx, `SELECT song, counted FROM plays WHERE listener = $1 AND idempotency = $2`, p.Listener.num, p.Idempotency).Scan(&known, &counted)
		if err == nil && known != song {
			return false, fault.New(fault.Conflict, "this Idempotency-Key was used for a play of another song")
		}
		if !errors.Is(err, sql.ErrNoRows) {
			t.quiet = true
			return counted, err
		}
	}
	at := min(p.PlayedAt.UnixMilli(), t.now)
	var near int
	err = t.QueryRowContext(ctx, `SELECT count(*) FROM plays WHERE song = $1 AND listener = $2 AND played_at > $3 AND played_at < $4 AND counted = 1`,
		song, p.Listener.num, at-playedAgain.Milliseconds(), at+playedAgain.Milliseconds()).Scan(&near)
	if err != nil {
		return false, fmt.Errorf("look for plays nearby: %w", err)
	}
	counted = near == 0
	_, err = t.ExecContext(ctx, `INSERT INTO plays (song, listener, played_at, counted, idempotency, received_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		song, p.Listener.num, at, truth(counted), null(p.Idempotency), t.now)
	if err != nil {
		return false, fmt.Errorf("insert a play: %w", err)
	}
	if !counted {
		t.quiet = true
		return false, nil
	}
	_, err = t.ExecContext(ctx, `UPDATE songs SET play_count = play_count + 1, heat = $1 WHERE num = $2`, warmer(heat, at), song)
	if err != nil {
		return false, fmt.Errorf("count a play of %s: %w", p.SongID, err)
	}
	_, err = t.ExecContext(ctx, `UPDATE artists SET play_count = play_count + 1
		WHERE num IN (SELECT artist FROM song_artists WHERE song = $1 AND role IN ('main', 'featured'))`, song)
	if err != nil {
		return false, fmt.Errorf("count a play for the artists of %s: %w", p.SongID, err)
	}
	return true, nil
}

// warmer adds a play to a song's heat, which is the logarithm of the sum of its plays' weights
// 2^((t-T0)/H). In logarithms nothing overflows, however late the play or many the years, and all
// songs decay alike, so that the order never has to be computed again.
func warmer(heat sql.NullFloat64, at int64) float64 {
	weight := float64(at-trendingOrigin) / float64(trendingHalfLife.Milliseconds())
	if !heat.Valid {
		return weight
	}
	high, low := max(heat.Float64, weight), min(heat.Float64, weight)
	return high + math.Log1p(math.Exp2(low-high))/math.Ln2
}
