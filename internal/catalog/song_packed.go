package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The engine returns all columns of a song, and all songs of a page, as one text. In SQLite every
// value that passes the driver costs a lock and several calls, together more than finding the row.

const (
	partSeparator = "\x1f"
	songSeparator = "\x1e"
	publicParts   = 8 // one more: the song's number
)

// publicColumns are the columns of table s in the order of unpackSong. None contains a control
// character: names are cleaned before they are stored, and JSON escapes them. Numbers are few and
// short, because formatting and parsing them is a tenth of the cost of a page.
const publicColumns = `s.id, s.cover, s.format, coalesce(s.bitrate, 0) * 2 + s.available, s.play_count,
	s.created_at, s.updated_at - s.created_at, s.facts`

// publicSong and songColumns are the value that scanSong reads, without and with the song's number.
const (
	publicSong  = `concat_ws('` + partSeparator + `', ` + publicColumns + `)`
	songColumns = `concat_ws('` + partSeparator + `', ` + publicColumns + `, s.num)`
)

func scanSong(rows *sql.Rows, more ...any) (Song, error) {
	var packed string
	if err := rows.Scan(append([]any{&packed}, more...)...); err != nil {
		return Song{}, err
	}
	return unpackSong(packed)
}

func scanNullText(rows *sql.Rows) (text sql.NullString, err error) { return text, rows.Scan(&text) }

func scanOneSong(rows *sql.Rows) (Song, error) { return scanSong(rows) }

// collectSongs reads publicSong or songColumns of the songs that rest selects and orders; it
// follows FROM songs s. Both engines aggregate the rows of a subquery in its order.
func collectSongs(ctx context.Context, q querier, doing, columns, rest string, args ...any) ([]Song, error) {
	pages, err := collect(ctx, q, doing, scanNullText, packedSQL(columns, rest), args...)
	if err != nil {
		return nil, err
	}
	return unpackSongs(doing, pages[0])
}

// packedSQL selects songs as one text, which unpackSongs parses.
func packedSQL(columns, rest string) string {
	return `SELECT string_agg(song, '` + songSeparator + `') FROM (SELECT ` + columns + ` AS song
		FROM songs s ` + rest + `) page`
}

func unpackSongs(doing string, packed sql.NullString) ([]Song, error) {
	if !packed.Valid { // an aggregate over no rows is one NULL
		return []Song{}, nil
	}
	page := packed.String
	songs := make([]Song, 0, strings.Count(page, songSeparator)+1)
	for packed := range strings.SplitSeq(page, songSeparator) {
		song, err := unpackSong(packed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		songs = append(songs, song)
	}
	return songs, nil
}

// unpackSong parses the value of publicSong or songColumns.
func unpackSong(packed string) (Song, error) {
	var parts [publicParts + 1]string
	count := 0
	for more := true; more && count < len(parts); count++ {
		parts[count], packed, more = cutPart(packed)
	}
	if count < publicParts || packed != "" {
		return Song{}, fmt.Errorf("unpack a song: want %d parts", publicParts)
	}
	if count == publicParts {
		parts[publicParts] = "0"
	}
	var numbers [5]int64
	for i, part := range [...]string{parts[3], parts[4], parts[5], parts[6], parts[8]} {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return Song{}, fmt.Errorf("unpack a song: %w", err)
		}
		numbers[i] = n
	}
	quality, plays, created, later, num := numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
	return Song{
		ID: parts[0], Cover: parts[1], Format: parts[2],
		Bitrate: int(quality / 2), Available: quality%2 == 1, PlayCount: plays,
		CreatedAt: time.UnixMilli(created), UpdatedAt: time.UnixMilli(created + later), Facts: parts[7], num: num,
	}, nil
}

func cutPart(packed string) (part, rest string, more bool) {
	if end := strings.IndexByte(packed, partSeparator[0]); end >= 0 {
		return packed[:end], packed[end+1:], true
	}
	return packed, "", false
}
