package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// SavedQueue is the queue that an app saved for a user, so that another app can continue it.
type SavedQueue struct {
	Songs     []FullSong
	Current   int           // index of the current song
	Position  time.Duration // in it
	ChangedAt time.Time     // zero: nothing was saved
	ChangedBy string        // name of the app
}

// NewQueue is a queue to save.
type NewQueue struct {
	SongIDs  []string
	Current  int
	Position time.Duration
	By       string // name of the app
}

// SaveQueue replaces the saved queue of a user; without songs it is deleted. An unknown song is an
// error that wraps ErrUnknownSong.
func (s *Store) SaveQueue(ctx context.Context, v Viewer, q NewQueue) error {
	if len(q.SongIDs) > 0 && (q.Current < 0 || q.Current >= len(q.SongIDs)) {
		return fault.New(fault.Invalid, "the current song must be one of the queue")
	}
	return s.change(ctx, durable, func(t *tx) error {
		t.invisible = true
		if len(q.SongIDs) == 0 {
			_, err := t.ExecContext(ctx, `DELETE FROM play_queues WHERE listener = $1`, v.num)
			if err != nil {
				return fmt.Errorf("delete a queue: %w", err)
			}
			return nil
		}
		songs, err := t.songNums(ctx, q.SongIDs)
		if err != nil {
			return err
		}
		nums := make([]int64, len(songs))
		for i, song := range songs {
			nums[i] = song.num
		}
		_, err = t.ExecContext(ctx, `INSERT INTO play_queues (listener, songs, current, position, changed_at, changed_by)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (listener) DO UPDATE SET songs = excluded.songs,
			current = excluded.current, position = excluded.position, changed_at = excluded.changed_at,
			changed_by = excluded.changed_by`,
			v.num, joined(nums), q.Current, max(0, q.Position.Milliseconds()), t.now, words.Clean(q.By, longestSource))
		if err != nil {
			return fmt.Errorf("save a queue: %w", err)
		}
		return nil
	})
}

// SavedQueue returns the saved queue of a user.
func (s *Store) SavedQueue(ctx context.Context, v Viewer) (q SavedQueue, err error) {
	var songs string
	var position, changed int64
	err = s.read.QueryRowContext(ctx, `SELECT songs, current, position, changed_at, changed_by FROM play_queues
		WHERE listener = $1`, v.num).Scan(&songs, &q.Current, &position, &changed, &q.ChangedBy)
	if errors.Is(err, sql.ErrNoRows) {
		return SavedQueue{Songs: []FullSong{}}, nil
	}
	if err != nil {
		return SavedQueue{}, s.d.explain(fmt.Errorf("read a queue: %w", err))
	}
	q.Position, q.ChangedAt = time.Duration(position)*time.Millisecond, timeAt(changed)
	var nums []int64
	for part := range strings.SplitSeq(songs, ",") {
		num, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return SavedQueue{}, fmt.Errorf("read a queue: %w", err)
		}
		nums = append(nums, num)
	}
	q.Songs, err = s.fullSongs(ctx, v, nums)
	return q, err
}

// Bookmark is a position in a song that a user wants to continue from.
type Bookmark struct {
	Song      FullSong
	Position  time.Duration
	Comment   string
	CreatedAt time.Time
	ChangedAt time.Time
}

// SetBookmark sets the bookmark of a user in a song.
func (s *Store) SetBookmark(ctx context.Context, v Viewer, song string, at time.Duration, comment string) error {
	return s.changeBookmark(ctx, v, song, func(t *tx, num int64) error {
		_, err := t.ExecContext(ctx, `INSERT INTO bookmarks (listener, song, position, comment, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (listener, song) DO UPDATE SET position = excluded.position,
			comment = excluded.comment, updated_at = excluded.updated_at`,
			v.num, num, max(0, at.Milliseconds()), words.Clean(comment, 1000), t.now)
		return err
	})
}

// DeleteBookmark deletes the bookmark of a user in a song, if there is one.
func (s *Store) DeleteBookmark(ctx context.Context, v Viewer, song string) error {
	return s.changeBookmark(ctx, v, song, func(t *tx, num int64) error {
		_, err := t.ExecContext(ctx, `DELETE FROM bookmarks WHERE listener = $1 AND song = $2`, v.num, num)
		return err
	})
}

func (s *Store) changeBookmark(ctx context.Context, v Viewer, song string, f func(*tx, int64) error) error {
	if !isID(songPrefix, song) {
		return notFound("song", song)
	}
	return s.changePersonal(ctx, v, func(t *tx) (bool, error) {
		item, err := findItem(ctx, t, v, song)
		if err != nil {
			return false, err
		}
		if err := f(t, item.num); err != nil {
			return false, fmt.Errorf("change a bookmark: %w", err)
		}
		return true, nil
	})
}

// Bookmarks returns the bookmarks of a user, the one changed last first.
func (s *Store) Bookmarks(ctx context.Context, v Viewer) ([]Bookmark, error) {
	var nums []int64
	marks, err := collect(ctx, s.read, "list bookmarks", func(rows *sql.Rows) (b Bookmark, err error) {
		var num, position, created, changed int64
		err = rows.Scan(&num, &position, &b.Comment, &created, &changed)
		nums = append(nums, num)
		b.Position = time.Duration(position) * time.Millisecond
		b.CreatedAt, b.ChangedAt = timeAt(created), timeAt(changed)
		return b, err
	}, `SELECT song, position, comment, created_at, updated_at FROM bookmarks WHERE listener = $1
		ORDER BY updated_at DESC, song`, v.num)
	if err != nil {
		return nil, s.d.explain(err)
	}
	songs, err := s.fullSongs(ctx, v, nums)
	if err != nil {
		return nil, err
	}
	for i := range marks { // a song is never deleted
		marks[i].Song = songs[i]
	}
	return marks, nil
}
