package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Songs leave the engine packed: all columns of one as a single text, and all songs of a page as one. Inside the process
// every value that crosses the driver takes a lock and several calls, which together cost more than finding the row.

const (
	betweenParts = "\x1f"
	betweenSongs = "\x1e"
	songParts    = 9
)

// songColumns is the one value that scanSong reads; the table is named s. No part of it holds a control character: names
// are cleaned of them before they are stored, and JSON escapes them. Numbers are few and short, because writing them
// out and reading them again is a tenth of a page: the bitrate is doubled to have room for the availability, and the
// last change counts from the first.
const songColumns = `concat_ws('` + betweenParts + `', s.num, s.id, s.cover, s.format, coalesce(s.bitrate, 0) * 2 + s.available, s.play_count, s.created_at, s.updated_at - s.created_at, s.facts)`

func scanSong(rows *sql.Rows, more ...any) (Song, error) {
	var packed string
	if err := rows.Scan(append([]any{&packed}, more...)...); err != nil {
		return Song{}, err
	}
	return unpackSong(packed)
}

func scanOneSong(rows *sql.Rows) (Song, error) { return scanSong(rows) }

// collectSongs reads the songs that rest, which follows FROM songs s, selects and orders. Both engines put together what
// a subquery gives in the order in which it gives it.
func collectSongs(ctx context.Context, q querier, doing, rest string, args ...any) ([]Song, error) {
	pages, err := collect(ctx, q, doing, func(rows *sql.Rows) (page sql.NullString, err error) { return page, rows.Scan(&page) },
		`SELECT string_agg(song, '`+betweenSongs+`') FROM (SELECT `+songColumns+` AS song FROM songs s `+rest+`) page`, args...)
	if err != nil || !pages[0].Valid { // an aggregate has one row always, and no value where it found nothing
		return []Song{}, err
	}
	page := pages[0].String
	songs := make([]Song, 0, strings.Count(page, betweenSongs)+1)
	for packed := range strings.SplitSeq(page, betweenSongs) {
		song, err := unpackSong(packed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		songs = append(songs, song)
	}
	return songs, nil
}

// unpackSong takes apart what songColumns put together.
func unpackSong(packed string) (Song, error) {
	if n := strings.Count(packed, betweenParts) + 1; n != songParts {
		return Song{}, fmt.Errorf("unpack a song: it has %d parts, not %d", n, songParts)
	}
	var parts [songParts]string
	for i := range parts {
		parts[i], packed, _ = strings.Cut(packed, betweenParts)
	}
	var numbers [5]int64
	for i, part := range [...]string{parts[0], parts[4], parts[5], parts[6], parts[7]} {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return Song{}, fmt.Errorf("unpack a song: %w", err)
		}
		numbers[i] = n
	}
	num, quality, plays, created, later := numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
	return Song{
		num: num, ID: parts[1], Cover: parts[2], Format: parts[3], Bitrate: int(quality / 2), Available: quality%2 == 1,
		PlayCount: plays, CreatedAt: time.UnixMilli(created), UpdatedAt: time.UnixMilli(created + later), Facts: parts[8],
	}, nil
}
