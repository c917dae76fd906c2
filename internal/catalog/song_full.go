package catalog

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// FullSong is a song with everything that an app shows of it, and what a user did with it.
type FullSong struct {
	Song
	SongFacts
	Personal
	Gain         ReplayGain
	SampleRate   int // Hz; 0: unknown
	Channels     int // 0: unknown
	BitDepth     int // 0: unknown
	Recording    string
	Genres       []string
	Size         int64  // of the file in bytes; 0: no file is known
	Extension    string // of the file, in lower case and without the dot; may be empty
	AlbumArtist  string // credit line of the album; empty: unknown
	AlbumArtists []ArtistRef

	album int64
}

// FullSongs returns the songs with all that is known about them. They must not come from Songs,
// Song or Trending, which do not read their numbers.
func (s *Store) FullSongs(ctx context.Context, v Viewer, songs []Song) ([]FullSong, error) {
	s = s.on(ctx)
	nums := make([]int64, len(songs))
	for i, song := range songs {
		nums[i] = song.num
	}
	return s.fullSongs(ctx, v, nums)
}

// FullSong returns one song, available or not.
func (s *Store) FullSong(ctx context.Context, v Viewer, id string) (FullSong, error) {
	s = s.on(ctx)
	if !isID(songPrefix, id) {
		return FullSong{}, notFound("song", id)
	}
	nums, err := collect(ctx, s.prepared, "find a song", scanNum, `SELECT num FROM songs WHERE id = $1`, id)
	if err != nil {
		return FullSong{}, s.d.explain(err)
	}
	found, err := s.fullSongs(ctx, v, nums)
	if err != nil {
		return FullSong{}, err
	}
	if len(found) == 0 {
		return FullSong{}, notFound("song", id)
	}
	return found[0], nil
}

// fullColumns are songColumns and what unpackFull reads behind them.
const fullColumns = `concat_ws('` + partSeparator + `', ` + publicColumns + `, s.num, coalesce(s.album, 0),
	coalesce(s.sample_rate, 0), coalesce(s.channels, 0), coalesce(s.bit_depth, 0), coalesce(s.mb_recording, ''),
	CASE WHEN s.track_gain IS NULL AND s.album_gain IS NULL THEN '' ELSE
	coalesce(CAST(s.track_gain AS TEXT), '') || ',' || coalesce(CAST(s.track_peak AS TEXT), '') || ',' ||
	coalesce(CAST(s.album_gain AS TEXT), '') || ',' || coalesce(CAST(s.album_peak AS TEXT), '') END)`

// fullSongs reads songs by number, in that order; a number may occur more than once.
func (s *Store) fullSongs(ctx context.Context, v Viewer, nums []int64) ([]FullSong, error) {
	if len(nums) == 0 {
		return []FullSong{}, nil
	}
	s.sumPlays(ctx)
	genres, err := s.genreNames(ctx)
	if err != nil {
		return nil, s.d.explain(err)
	}
	songs, err := inHalves(ctx, nums, func(ctx context.Context, nums []int64) ([]FullSong, error) {
		songs, err := s.readFullSongs(ctx, v, nums, genres)
		if err == nil {
			err = s.addAlbumArtists(ctx, songs)
		}
		return songs, err
	})
	if err != nil {
		return nil, s.d.explain(fmt.Errorf("read songs with all that is known: %w", err))
	}
	return songs, nil
}

// manyRows is the number of rows from which two connections read them: what an app waits for is
// mostly the engine, which uses one processor for each query.
const manyRows = 64

// inHalves reads rows by number, many of them in two halves at once.
func inHalves[T any](
	ctx context.Context, nums []int64, read func(ctx context.Context, nums []int64) ([]T, error),
) ([]T, error) {
	if len(nums) < manyRows {
		return read(ctx, nums)
	}
	var second []T
	together, ctx := errgroup.WithContext(ctx)
	together.Go(func() (err error) {
		second, err = read(ctx, nums[len(nums)/2:])
		return err
	})
	first, err := read(ctx, nums[:len(nums)/2])
	if failed := together.Wait(); err == nil {
		err = failed
	}
	return append(first, second...), err
}

// readFullSongs reads songs without the artists of their albums. The songs and all that belongs to
// them come from one query, as one text for each kind: in SQLite, every value that passes the
// driver costs more than finding it.
func (s *Store) readFullSongs(
	ctx context.Context, v Viewer, nums []int64, genres map[int64]string,
) ([]FullSong, error) {
	where, args := s.d.among, []any{s.d.list(nums), v.num}
	if first, last := slices.Min(nums), slices.Max(nums); last-first < 2*int64(len(nums)) {
		where = func(column string) string { return column + " BETWEEN $1 AND $3" }
		args = []any{first, v.num, last}
	}
	var packed, personal, kinds, files sql.NullString
	err := s.prepared.QueryRowContext(ctx, `SELECT (`+packedSQL(fullColumns, `WHERE `+where("s.num"))+`), (`+
		packedPersonal+`m.listener = $2 AND m.kind = 1 AND `+where("m.item")+`),
		(SELECT string_agg(concat_ws(',', song, genre), ';') FROM (SELECT song, genre FROM song_genres WHERE `+
		where("song")+` ORDER BY song, position) x),
		(SELECT string_agg(concat_ws(',', f.song, f.size, `+s.d.tail("f.path")+`), ';') FROM files f WHERE `+
		where("f.song")+`)`, args...).
		Scan(&packed, &personal, &kinds, &files)
	if err != nil {
		return nil, err
	}
	rows, byNum, err := unpackFullSongs(packed)
	if err == nil {
		err = byNum.addParts(personal, kinds, files, genres)
	}
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(rows, nums, func(song FullSong, num int64) bool { return song.num == num }) {
		return rows, nil
	}
	songs := make([]FullSong, 0, len(nums))
	for _, num := range nums {
		if song := byNum[num]; song != nil {
			songs = append(songs, *song)
		}
	}
	return songs, nil
}

// fullSongMap holds songs by number.
type fullSongMap map[int64]*FullSong

// unpackFullSongs returns songs in the order of the rows, and the same ones by number.
func unpackFullSongs(packed sql.NullString) (rows []FullSong, found fullSongMap, err error) {
	found = make(fullSongMap, strings.Count(packed.String, songSeparator)+1)
	if !packed.Valid {
		return rows, found, nil
	}
	rows = make([]FullSong, strings.Count(packed.String, songSeparator)+1)
	at := 0
	for text := range strings.SplitSeq(packed.String, songSeparator) {
		song := &rows[at]
		at++
		if err := song.unpack(text); err != nil {
			return nil, nil, err
		}
		found[song.num] = song
	}
	return rows, found, nil
}

// unpack parses the value of fullColumns.
func (s *FullSong) unpack(packed string) (err error) {
	end := 0
	for range publicParts + 1 {
		next := strings.IndexByte(packed[end:], partSeparator[0])
		if next < 0 {
			return fmt.Errorf("unpack a song: too few parts")
		}
		end += next + 1
	}
	if s.Song, err = unpackSong(packed[:end-1]); err != nil {
		return err
	}
	if s.SongFacts, err = decodeFacts(s.Facts); err != nil {
		return fmt.Errorf("decode the facts of %s: %w", s.ID, err)
	}
	rest := packed[end:]
	var numbers [4]int64
	for i := range numbers {
		var part string
		part, rest, _ = cutPart(rest)
		if numbers[i], err = strconv.ParseInt(part, 10, 64); err != nil {
			return fmt.Errorf("unpack a song: %w", err)
		}
	}
	s.album, s.SampleRate, s.Channels, s.BitDepth = numbers[0], int(numbers[1]), int(numbers[2]), int(numbers[3])
	var gain string
	s.Recording, gain, _ = cutPart(rest)
	return s.unpackGain(gain)
}

func (s *FullSong) unpackGain(packed string) error {
	if packed == "" {
		return nil
	}
	for _, into := range []**float64{&s.Gain.TrackGain, &s.Gain.TrackPeak, &s.Gain.AlbumGain, &s.Gain.AlbumPeak} {
		var part string
		part, packed, _ = strings.Cut(packed, ",")
		if part == "" {
			continue
		}
		value, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return fmt.Errorf("unpack a gain: %w", err)
		}
		*into = &value
	}
	return nil
}

// addParts adds what other tables have about the songs.
func (m fullSongMap) addParts(personal, kinds, files sql.NullString, genres map[int64]string) error {
	mine, err := unpackPersonals("read personal data", personal)
	if err != nil {
		return err
	}
	for num, p := range mine {
		if song := m[num]; song != nil {
			song.Personal = p
		}
	}
	err = eachPart(kinds, func(num int64, genre string) error {
		n, err := strconv.ParseInt(genre, 10, 64)
		if song, name := m[num], genres[n]; song != nil && name != "" {
			song.Genres = append(song.Genres, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return eachPart(files, func(num int64, file string) (err error) {
		size, tail, _ := strings.Cut(file, ",")
		song := m[num]
		if song == nil {
			return nil
		}
		song.Extension = extension(tail)
		song.Size, err = strconv.ParseInt(size, 10, 64)
		return err
	})
}

// eachPart calls f for each of the rows separated by semicolons: a number, a comma and the rest.
func eachPart(packed sql.NullString, f func(num int64, rest string) error) error {
	if !packed.Valid {
		return nil
	}
	for row := range strings.SplitSeq(packed.String, ";") {
		first, rest, _ := strings.Cut(row, ",")
		num, err := strconv.ParseInt(first, 10, 64)
		if err == nil {
			err = f(num, rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extension returns the extension of a file by the end of its name in hex.
func extension(tail string) string {
	name, err := hex.DecodeString(tail)
	if err != nil {
		return ""
	}
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(string(name)), "."))
	for _, c := range []byte(ext) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return ""
		}
	}
	return ext
}

// albumCredit is what a song says about the artists of its album.
type albumCredit struct {
	num     int64
	artist  string
	artists []ArtistRef
}

func scanAlbumCredit(rows *sql.Rows) (a albumCredit, err error) {
	var packed string
	if err := rows.Scan(&packed); err != nil {
		return a, err
	}
	num, rest, _ := cutPart(packed)
	if a.num, err = strconv.ParseInt(num, 10, 64); err != nil {
		return a, err
	}
	var artists string
	a.artist, artists, _ = cutPart(rest)
	a.artists, err = decodeArtists(artists)
	return a, err
}

// addAlbumArtists adds the artists of the albums of songs.
func (s *Store) addAlbumArtists(ctx context.Context, songs []FullSong) error {
	var nums []int64
	for i := range songs {
		if album := songs[i].album; album != 0 && (i == 0 || album != songs[i-1].album) {
			nums = append(nums, album)
		}
	}
	if len(nums) == 0 {
		return nil
	}
	albums, err := collect(ctx, s.prepared, "read the artists of albums", scanAlbumCredit, `SELECT concat_ws('`+
		partSeparator+`', b.num, b.artist, b.artists) FROM albums b WHERE `+s.d.among("b.num"), s.d.list(nums))
	if err != nil {
		return err
	}
	byNum := make(map[int64]albumCredit, len(albums))
	for _, a := range albums {
		byNum[a.num] = a
	}
	for i := range songs {
		a := byNum[songs[i].album]
		songs[i].AlbumArtist, songs[i].AlbumArtists = a.artist, a.artists
	}
	return nil
}
