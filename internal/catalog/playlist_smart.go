package catalog

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/rules"
)

// encodeRules checks the rules of a playlist and returns what is stored: JSON, or NULL for nil.
func encodeRules(set *rules.Set) (any, error) {
	if set == nil {
		return nil, nil
	}
	if err := set.Check(); err != nil {
		return nil, err
	}
	return encode(set)
}

// decodeRules returns the rules of a playlist from what is stored.
func decodeRules(text sql.NullString) (*rules.Set, error) {
	if !text.Valid {
		return nil, nil
	}
	set := new(rules.Set)
	if err := json.Unmarshal([]byte(text.String), set); err != nil {
		return nil, fmt.Errorf("decode the rules of a playlist: %w", err)
	}
	return set, nil
}

// rejectSmart returns a Conflict fault if the entries of a playlist follow from its rules.
func (p Playlist) rejectSmart() error {
	if p.Rules == nil {
		return nil
	}
	return fault.New(fault.Conflict, "the songs of a smart playlist follow from its rules; change the rules instead")
}

// countTimed keeps the number of playlists that depend on the current time.
func (t *tx) countTimed(before, after *rules.Set) {
	if before != nil && before.Timed() {
		t.addCount(timedPlaylists, -1)
	}
	if after != nil && after.Timed() {
		t.addCount(timedPlaylists, 1)
	}
}

// HasTimedPlaylists reports whether the songs of any playlist depend on the current time, to the
// minute.
func (v View) HasTimedPlaylists() bool { return v.timedPlaylists > 0 }

// showsPersonal reports whether a user whose likes, ratings or plays change has a smart playlist
// that depends on them. Others may see it, so the change raises the revision.
func (t *tx) showsPersonal(ctx context.Context) (bool, error) {
	nums := sortedKeys(t.listeners)
	sets, err := collect(ctx, t, "read the rules of a user", func(rows *sql.Rows) (*rules.Set, error) {
		var text sql.NullString
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		return decodeRules(text)
	}, `SELECT rules FROM playlists WHERE rules IS NOT NULL AND owner IN (`+in(1, len(nums))+`)`, anySlice(nums)...)
	return slices.ContainsFunc(sets, func(set *rules.Set) bool { return set.Personal() }), err
}

// smartSorts are the orders of smart playlists that lists of songs do not have. Their column is one
// of the table personal; rows without a value follow from the smallest on.
var smartSorts = []sortOrder{
	{name: rules.SortRating, personal: "rating", desc: true},
	{name: rules.SortPlayCount, personal: "play_count", desc: true},
	{name: rules.SortLastPlayed, personal: "last_played_at", desc: true},
	{name: rules.SortRandom},
}

// smartList returns the list of songs of a smart playlist at the current time.
func (s *Store) smartList(p Playlist) (sortedList, error) {
	view := s.View()
	e := ruleEval{s: s, view: view, owner: p.owner, now: s.now().Truncate(time.Minute)}
	root, err := p.Rules.Compile()
	if err != nil {
		return sortedList{}, err
	}
	text, err := encode(p.Rules)
	if err != nil {
		return sortedList{}, err
	}
	list := sortedList{table: "songs", where: "available = 1", version: view.songsChanged, seed: p.ID,
		key:     fmt.Sprintf("rules of %d %s", p.owner, text),
		members: func(ctx context.Context) ([]uint32, error) { return e.songs(ctx, root) }, limit: p.Rules.Limit}
	if p.Rules.Personal() {
		list.version += view.listeners[p.owner]
	}
	if p.Rules.Timed() {
		list.key += " at " + strconv.FormatInt(e.now.Unix(), 10)
	}
	var known bool
	if list.sort, known = findSort(smartSorts, p.Rules.Sort); !known {
		if list.sort, known = findSort(songSorts, p.Rules.Sort); !known {
			list.sort, _ = findSort(songSorts, sortAdded)
		}
	}
	list.owner = p.owner
	list.desc = Order(p.Rules.Order).descending(list.sort.desc)
	return list, nil
}

// smartSongs returns a page of the songs of a smart playlist.
func (s *Store) smartSongs(ctx context.Context, p Playlist, page Page) (entries []Entry, total int64, err error) {
	list, err := s.smartList(p)
	if err != nil {
		return nil, 0, err
	}
	songs, total, err := sortedPage(ctx, s, list, page, "s", songColumns, scanOneSong,
		func(song Song) int64 { return song.num })
	entries = make([]Entry, len(songs))
	for i, song := range songs {
		entries[i] = Entry{Song: song, Position: page.offset() + int64(i), AddedAt: song.CreatedAt}
	}
	return entries, total, err
}

// smartCounts caches the number and duration of the songs of smart playlists.
type smartCounts struct {
	mu     sync.Mutex
	counts map[int64]smartCount // by num of the playlist
}

type smartCount struct {
	name            string
	version         int64
	songs, duration int64
}

const maxSmartCounts = 10_000

// countSmart sets the number and duration of the songs of the smart ones among some playlists.
func (s *Store) countSmart(ctx context.Context, playlists ...*Playlist) error {
	for _, p := range playlists {
		if p.Rules == nil {
			continue
		}
		list, err := s.smartList(*p)
		if err != nil {
			return err
		}
		name, version := list.name(), list.versions()
		s.smart.mu.Lock()
		count, known := s.smart.counts[p.num]
		s.smart.mu.Unlock()
		if !known || count.name != name || count.version < version {
			nums, err := s.nums(ctx, list)
			if err != nil {
				return s.d.explain(err)
			}
			count = smartCount{name: name, version: version, songs: int64(len(nums))}
			if count.duration, err = s.durationOf(ctx, nums); err != nil {
				return s.d.explain(err)
			}
			s.smart.put(p.num, count)
		}
		p.SongCount, p.Duration = count.songs, count.duration
	}
	return nil
}

// countSmartIn is countSmart for a list.
func (s *Store) countSmartIn(ctx context.Context, playlists []Playlist) error {
	for i := range playlists {
		if err := s.countSmart(ctx, &playlists[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *smartCounts) put(playlist int64, count smartCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil || len(c.counts) >= maxSmartCounts {
		c.counts = make(map[int64]smartCount)
	}
	c.counts[playlist] = count
}
