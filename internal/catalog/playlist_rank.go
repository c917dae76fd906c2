package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"math"
)

const (
	// rankGap is the distance between the ranks of neighbours in a new playlist, and at its ends.
	// Inserting between two entries halves it.
	rankGap = 1 << 20
	// smallestWindow is the number of entries on each side whose ranks are spread first.
	smallestWindow = 64
)

// ranksBefore returns n free ascending ranks before the entry at a position. If there are too few,
// it spreads the ranks of the nearest entries.
func (t *tx) ranksBefore(ctx context.Context, playlist, position int64, n int) ([]int64, error) {
	low, high, err := t.neighbours(ctx, playlist, position)
	if err != nil {
		return nil, err
	}
	step := int64(rankGap)
	if high.Valid {
		step = (high.Int64 - low) / int64(n+1)
	}
	if step == 0 {
		if low, step, err = t.spreadAround(ctx, playlist, high.Int64, int64(n)); err != nil {
			return nil, err
		}
	}
	ranks := make([]int64, n)
	for i := range ranks {
		ranks[i] = low + step*int64(i+1)
	}
	return ranks, nil
}

// neighbours returns the rank of the entry before a position (0 at the start) and of the entry at
// it (none at the end).
func (t *tx) neighbours(ctx context.Context, playlist, position int64) (low int64, high sql.NullInt64, err error) {
	skip, limit := position-1, 2
	if position == 0 {
		skip, limit = 0, 1
	}
	found, err := collect(ctx, t, "read ranks", scanNum,
		`SELECT rank FROM playlist_entries WHERE playlist = $1 ORDER BY rank LIMIT $2 OFFSET $3`, playlist, limit, skip)
	if err != nil {
		return 0, high, err
	}
	if position == 0 {
		if len(found) > 0 {
			// Inserts at the start use negative ranks, so that they need no rewrite.
			high = sql.NullInt64{Int64: found[0], Valid: true}
			low = found[0] - 2*rankGap
		}
		return low, high, nil
	}
	if len(found) > 0 {
		low = found[0]
	}
	if len(found) > 1 {
		high = sql.NullInt64{Int64: found[1], Valid: true}
	}
	return low, high, nil
}

// spreadAround distributes the ranks of the entries around the one with rank at evenly, with room
// for n new entries before it, and returns the rank before the new ones and their distance.
//
// A window of w entries on each side is wide enough if the distance becomes at least w. Then w
// entries must be inserted before it is too narrow again, so that an insert rewrites a few dozen
// entries on average, however long the playlist is.
func (t *tx) spreadAround(ctx context.Context, playlist, at, n int64) (low, step int64, err error) {
	for size := int64(smallestWindow); ; size *= 2 {
		w, err := t.window(ctx, playlist, at, size)
		if err != nil {
			return 0, 0, err
		}
		step := int64(rankGap)
		switch {
		case w.first && w.last:
			step = max(rankGap, (w.high-w.low)/(w.before+w.after+n+1))
		case w.first || w.last: // there is room beyond the end of the playlist
		default:
			step = (w.high - w.low) / (w.before + w.after + n + 1)
		}
		if step < size {
			continue
		}
		start := w.low
		if w.first {
			start = w.high - step*(w.before+w.after+n+1)
		}
		return start + step*w.before, step, t.spread(ctx, playlist, w, start, step, n)
	}
}

// window is a range of entries of a playlist.
type window struct {
	low, high     int64 // ranks of the entries next to it; they stay
	first, last   bool  // it has the first or the last entry; then low or high is no entry
	before, after int64 // entries before the position of the insert, and from it on
	at            int64 // rank at that position
}

// window returns the entries around the one with rank at, up to size on each side.
func (t *tx) window(ctx context.Context, playlist, at, size int64) (window, error) {
	w := window{at: at}
	below, err := collect(ctx, t, "read ranks", scanNum,
		`SELECT rank FROM playlist_entries WHERE playlist = $1 AND rank < $2 ORDER BY rank DESC LIMIT $3`,
		playlist, at, size+1)
	if err != nil {
		return w, err
	}
	above, err := collect(ctx, t, "read ranks", scanNum,
		`SELECT rank FROM playlist_entries WHERE playlist = $1 AND rank >= $2 ORDER BY rank LIMIT $3`,
		playlist, at, size+1)
	if err != nil {
		return w, err
	}
	w.before, w.after = min(int64(len(below)), size), min(int64(len(above)), size)
	if w.first = int64(len(below)) <= size; !w.first {
		w.low = below[size]
	} else if len(below) > 0 {
		w.low = below[len(below)-1] - 1
	} else {
		w.low = at - 1
	}
	if w.last = int64(len(above)) <= size; w.last {
		w.high = above[len(above)-1] + 1
	} else {
		w.high = above[size]
	}
	return w, nil
}

// spread gives the entries of a window the ranks start+step, start+2*step … and leaves out n of
// them at the position of the insert. The entries first move above all others, so that no two have
// the same rank meanwhile.
func (t *tx) spread(ctx context.Context, playlist int64, w window, start, step, n int64) error {
	var top int64
	if err := t.QueryRowContext(ctx, `SELECT max(rank) FROM playlist_entries WHERE playlist = $1`,
		playlist).Scan(&top); err != nil {
		return fmt.Errorf("find the last rank: %w", err)
	}
	// New ranks may be above the last one.
	top = max(top, start+step*(w.before+w.after+n))
	if top > math.MaxInt64/2 {
		return fmt.Errorf("the ranks of playlist %d are exhausted", playlist)
	}
	_, err := t.ExecContext(ctx,
		`UPDATE playlist_entries SET rank = $1 + o.n FROM (
			SELECT rank AS old, row_number() OVER (ORDER BY rank) AS n FROM playlist_entries
			WHERE playlist = $2 AND rank > $3 AND rank < $4) AS o
		 WHERE playlist = $2 AND rank = o.old`, top, playlist, w.low, w.high)
	if err != nil {
		return fmt.Errorf("make room for ranks: %w", err)
	}
	_, err = t.ExecContext(ctx,
		`UPDATE playlist_entries SET rank = CAST($1 AS BIGINT) + CAST($2 AS BIGINT) *
			(rank - $3 + CASE WHEN rank - $3 > $4 THEN CAST($5 AS BIGINT) ELSE 0 END)
		 WHERE playlist = $6 AND rank > $3`, start, step, top, w.before, n, playlist)
	if err != nil {
		return fmt.Errorf("spread ranks: %w", err)
	}
	return nil
}
