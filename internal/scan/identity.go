package scan

import (
	"cmp"
	"context"
	"path"
	"slices"

	"waxwing/internal/catalog"
)

// identifier decides which song each file is. A song can move to another path only if its file is
// missing or holds other audio now. Every song is assigned once.
type identifier struct {
	store *catalog.Store
	// empty is set if the catalog had no songs before this scan.
	empty bool
	// vanished are the songs whose files are missing since the last scan.
	vanished map[string]bool
	// replaced are the songs whose files hold other audio now. Only a file with the same audio can
	// claim one; if none does, the file at the old path keeps the song.
	replaced map[string]bool
	taken    map[string]bool
	others   *otherRoots
}

type identityMatches map[catalog.Identity][]catalog.IdentityMatch

// claim is a possible assignment of a song to a file.
type claim struct {
	file  *candidate
	song  string
	score int
}

// The weight of each clue. Each of the same file, audio, tags and MusicBrainz ids suffices for a
// claim; the others decide between several.
const (
	scoreSameFile    = 128 // the file was this song before and has the same audio
	scoreAudio       = 32
	scoreVanished    = 16 // vanished in the same scan in which this file appeared
	scoreTags        = 12
	scoreMusicBrainz = 10
	scoreName        = 2
	scoreFolder      = 1
)

// identify assigns songs to files in the order of their scores. It returns the unassigned files at
// the path of a known song: they keep that song if no later file claims it.
func (d *identifier) identify(ctx context.Context, files []*candidate) (waiting []*candidate, err error) {
	matches, err := d.matches(ctx, files)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.knownSong() != "" && !f.unchanged && !hasSong(matches[identityOf(f, catalog.ByAudio)], f.knownSong()) {
			d.replaced[f.knownSong()] = true
		}
	}
	var claims []claim
	for _, f := range files {
		if f.unchanged && f.knownSong() != "" {
			f.song.ID = f.knownSong()
			d.taken[f.song.ID] = true
			continue
		}
		claims = append(claims, d.claims(ctx, f, matches)...)
	}
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Or(
			cmp.Compare(b.score, a.score), cmp.Compare(a.file.Path, b.file.Path), cmp.Compare(a.song, b.song),
		)
	})
	for _, c := range claims {
		if c.file.song.ID == "" && !d.taken[c.song] {
			c.file.song.ID = c.song
			d.taken[c.song] = true
		}
	}
	for _, f := range files {
		if f.song.ID == "" && f.knownSong() != "" {
			waiting = append(waiting, f)
		}
	}
	return waiting, nil
}

// assignWaiting assigns waiting files the songs of their paths that no other file has claimed.
func (d *identifier) assignWaiting(waiting []*candidate) {
	for _, f := range waiting {
		if id := f.knownSong(); !d.taken[id] {
			f.song.ID = id
			d.taken[id] = true
		}
	}
}

// knownSong returns the catalog's song at the file's path, or "".
func (c *candidate) knownSong() string {
	if c.known == nil {
		return ""
	}
	return c.known.SongID
}

// matches looks up the identities of all files with one query.
func (d *identifier) matches(ctx context.Context, files []*candidate) (identityMatches, error) {
	if d.empty {
		return nil, nil
	}
	var keys []catalog.Identity
	for _, f := range files {
		if !f.unchanged || f.knownSong() == "" {
			keys = append(keys, f.song.Identities...)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := d.store.FindIdentities(ctx, keys)
	if err != nil {
		return nil, err
	}
	out := make(identityMatches, len(found))
	for _, m := range found {
		out[m.Identity] = append(out[m.Identity], m)
	}
	return out, nil
}

// claims returns the songs that the file may be.
func (d *identifier) claims(ctx context.Context, f *candidate, matches identityMatches) []claim {
	scores := map[string]int{}
	for _, m := range f.song.Identities {
		for _, match := range matches[m] {
			if s := d.score(ctx, f, match); s > 0 {
				scores[match.SongID] += s
			}
		}
	}
	out := make([]claim, 0, len(scores))
	for song, score := range scores {
		out = append(out, claim{f, song, score})
	}
	return out
}

func (d *identifier) score(ctx context.Context, f *candidate, m catalog.IdentityMatch) int {
	audio := m.Kind == catalog.ByAudio
	if m.SongID == f.knownSong() {
		if audio {
			return scoreSameFile
		}
		return 0
	}
	if audio && m.Available && d.others.isMissing(ctx, m.File, f.FileRef) {
		d.vanished[m.SongID] = true
	}
	free := !m.Available || d.vanished[m.SongID]
	if !free && !(audio && d.replaced[m.SongID]) {
		return 0
	}
	score := 0
	switch {
	case audio:
		score = scoreAudio
		if d.vanished[m.SongID] || d.replaced[m.SongID] {
			score += scoreVanished
		}
		if path.Base(m.File.Path) == path.Base(f.Path) {
			score += scoreName
		}
		if path.Base(path.Dir(m.File.Path)) == path.Base(path.Dir(f.Path)) {
			score += scoreFolder
		}
	case f.knownSong() != "": // the song of the path is given up only for the same audio
	case m.Kind == catalog.ByTags:
		score = scoreTags
	case m.Kind == catalog.ByMusicBrainz:
		score = scoreMusicBrainz
	}
	return score
}

// identityOf returns the identity of one kind of the file.
func identityOf(f *candidate, kind catalog.IdentityKind) catalog.Identity {
	for _, m := range f.song.Identities {
		if m.Kind == kind {
			return m
		}
	}
	return catalog.Identity{}
}

func hasSong(matches []catalog.IdentityMatch, song string) bool {
	return slices.ContainsFunc(matches, func(m catalog.IdentityMatch) bool { return m.SongID == song })
}
