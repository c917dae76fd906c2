package catalog

import (
	"context"
	"database/sql"
	"slices"
)

// FullArtist is an artist with everything that an app shows of it, and what a user did with it.
type FullArtist struct {
	Artist
	Personal
	SortKey     string // folded, without an article
	MusicBrainz string // empty: unknown
}

const fullArtistColumns = artistColumns + `, a.sort_key, coalesce(a.musicbrainz, '')`

func scanFullArtist(rows *sql.Rows) (FullArtist, error) {
	var a FullArtist
	var bio sql.NullString
	var created, updated int64
	err := rows.Scan(&a.num, &a.ID, &a.Username, &a.Name, &bio, &a.Cover, &a.SongCount, &a.AlbumCount,
		&a.Artist.PlayCount, &created, &updated, &a.SortKey, &a.MusicBrainz)
	a.Bio = bio.String
	a.CreatedAt, a.UpdatedAt = timeAt(created), timeAt(updated)
	return a, err
}

// FullArtists returns the artists with all that is known about them.
func (s *Store) FullArtists(ctx context.Context, v Viewer, artists []Artist) ([]FullArtist, error) {
	s = s.on(ctx)
	nums := make([]uint32, len(artists))
	for i, a := range artists {
		nums[i] = uint32(a.num)
	}
	return s.fullArtists(ctx, v, nums)
}

// IndexedArtists returns the artists that a list of artists begins with: those of albums, and the
// main artists of songs without an album, by sort key.
func (s *Store) IndexedArtists(ctx context.Context, v Viewer) ([]FullArtist, error) {
	s = s.on(ctx)
	view := s.View()
	nums, err := s.orders.get("indexed artists", view.songsChanged+view.artistsOrder, func() ([]uint32, error) {
		return readNums(ctx, s.read, "list the artists of the index", `SELECT num AS n FROM artists WHERE album_count > 0
			OR num IN (SELECT x.artist FROM songs s JOIN song_artists x ON x.song = s.num
				WHERE s.album IS NULL AND s.available = 1 AND x.role = 'main' AND x.listed = 1)
			ORDER BY sort_key, id`)
	})
	if err != nil {
		return nil, s.d.explain(err)
	}
	return s.fullArtists(ctx, v, nums)
}

// fullArtists reads artists by number, in that order.
func (s *Store) fullArtists(ctx context.Context, v Viewer, nums []uint32) ([]FullArtist, error) {
	if len(nums) == 0 {
		return []FullArtist{}, nil
	}
	artists, _, err := pageOfNums(ctx, s, nums, Page{Number: 1, Limit: int64(len(nums))}, "artists a", "a.num",
		fullArtistColumns, scanFullArtist, func(a FullArtist) int64 { return a.num })
	if err != nil {
		return nil, err
	}
	found, err := s.personals(ctx, v, ArtistItem, widen(nums))
	for i := range artists {
		artists[i].Personal = found[artists[i].num]
	}
	return artists, s.d.explain(err)
}

// LikedAll returns what a user likes, newest first, without what is unavailable.
func (s *Store) LikedAll(
	ctx context.Context, v Viewer,
) (artists []FullArtist, albums []FullAlbum, songs []FullSong, err error) {
	s = s.on(ctx)
	var nums [4][]uint32
	for kind, listed := range map[ItemKind]string{
		SongItem: "SELECT num FROM songs WHERE available = 1", AlbumItem: "SELECT num FROM albums WHERE song_count > 0",
		ArtistItem: "SELECT num FROM artists WHERE song_count > 0 OR album_count > 0",
	} {
		list := personalList(s.View(), v, kind, "", "liked_at", "")
		nums[kind], err = readNums(ctx, s.read, "list what a user likes", `SELECT item AS n FROM personal WHERE `+list.where+
			` AND item IN (`+listed+`) ORDER BY `+list.order(""), v.num)
		if err != nil {
			return nil, nil, nil, s.d.explain(err)
		}
	}
	if artists, err = s.fullArtists(ctx, v, nums[ArtistItem]); err != nil {
		return nil, nil, nil, err
	}
	if albums, err = s.fullAlbumsAt(ctx, v, nums[AlbumItem]); err != nil {
		return nil, nil, nil, err
	}
	for chunk := range slices.Chunk(widen(nums[SongItem]), 1000) {
		more, err := s.fullSongs(ctx, v, chunk)
		if err != nil {
			return nil, nil, nil, err
		}
		songs = append(songs, more...)
	}
	return artists, albums, songs, nil
}
