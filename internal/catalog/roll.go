package catalog

import (
	"context"
	"slices"
)

// Roll is all songs, albums or artists in the order in which they were added, as of one moment. A
// client that reads it in parts gets every row once, whatever a scan adds or removes meanwhile:
// rows that are added follow at the end, and rows that are removed keep their place.
type Roll struct {
	kind    ItemKind
	version int64
	gone    unavailableAt // of songs
	nums    []uint32      // of albums and artists
}

// RollVersion is the version of rolls that begin now.
func (v View) RollVersion() int64 { return v.songsChanged + v.artistsOrder + v.songsOrder }

// Version distinguishes rolls of one kind that may differ.
func (r Roll) Version() int64 { return r.version }

// Roll returns all rows of a kind: SongItem, AlbumItem or ArtistItem.
func (s *Store) Roll(ctx context.Context, kind ItemKind) (r Roll, err error) {
	s = s.on(ctx)
	view := s.View()
	r = Roll{kind: kind, version: view.RollVersion()}
	switch kind {
	case AlbumItem:
		r.nums, err = s.nums(ctx, s.albumsByNum())
	case ArtistItem:
		r.nums, err = s.nums(ctx, s.artistsByNum())
	default:
		r.gone, err = s.unavailable.at(ctx, s, view.songsOrder)
	}
	return r, s.d.explain(err)
}

func (s *Store) albumsByNum() sortedList {
	return sortedList{table: "albums", where: "song_count > 0", version: s.View().songsChanged,
		sort: sortOrder{name: "num", keys: []string{"num"}}}
}

func (s *Store) artistsByNum() sortedList {
	view := s.View()
	return sortedList{table: "artists", where: "song_count > 0", version: view.songsChanged + view.artistsOrder,
		sort: sortOrder{name: "num", keys: []string{"num"}}}
}

// RollSongs returns a part of a roll of songs.
func (s *Store) RollSongs(ctx context.Context, v Viewer, r Roll, offset, limit int64) ([]FullSong, error) {
	s = s.on(ctx)
	view := s.View()
	last := view.Songs + int64(len(r.gone)) // at least: some may have become unavailable since
	if now, err := s.unavailable.at(ctx, s, view.songsOrder); err != nil {
		return nil, s.d.explain(err)
	} else if len(now) > len(r.gone) {
		last = view.Songs + int64(len(now))
	}
	if offset >= last {
		return []FullSong{}, nil
	}
	nums := make([]int64, 0, min(limit, last-offset))
	at := r.gone.num(offset)
	skip, _ := slices.BinarySearch(r.gone, at)
	for ; int64(len(nums)) < limit && at <= last; at++ {
		if skip < len(r.gone) && r.gone[skip] == at {
			skip++
			continue
		}
		nums = append(nums, at)
	}
	return s.fullSongs(ctx, v, nums)
}

// RollAlbums returns a part of a roll of albums.
func (s *Store) RollAlbums(ctx context.Context, v Viewer, r Roll, offset, limit int64) ([]FullAlbum, error) {
	s = s.on(ctx)
	nums, err := s.rollPart(ctx, r, s.albumsByNum(), offset, limit)
	if err != nil {
		return nil, err
	}
	return s.fullAlbumsAt(ctx, v, nums)
}

// RollArtists returns a part of a roll of artists.
func (s *Store) RollArtists(ctx context.Context, v Viewer, r Roll, offset, limit int64) ([]FullArtist, error) {
	s = s.on(ctx)
	nums, err := s.rollPart(ctx, r, s.artistsByNum(), offset, limit)
	if err != nil {
		return nil, err
	}
	return s.fullArtists(ctx, v, nums)
}

// rollPart returns the numbers of a part of a roll. Behind its end follow the rows that were added
// since, which the current list has.
func (s *Store) rollPart(ctx context.Context, r Roll, current sortedList, offset, limit int64) ([]uint32, error) {
	nums := r.nums
	if offset+limit > int64(len(nums)) || offset+limit < 0 {
		now, err := s.nums(ctx, current)
		if err != nil {
			return nil, s.d.explain(err)
		}
		from := 0
		if len(nums) > 0 {
			from, _ = slices.BinarySearch(now, nums[len(nums)-1]+1)
		}
		if from < len(now) {
			nums = slices.Concat(nums, now[from:])
		}
	}
	return part(nums, offset, limit), nil
}
