package scan

import (
	"cmp"
	"context"
	"path"
	"slices"

	"waxwing/internal/catalog"
)

// identifier decides which song each file is. A song can be found again in another place only when it is free: its
// file is gone, or holds other sound now. Every song is given out once.
type identifier struct {
	store *catalog.Store
	// empty tells that the catalog held nothing before this scan, so there is nobody to be recognised.
	empty bool
	// vanished are the songs whose files are gone since the last scan.
	vanished map[string]bool
	// replaced are the songs whose files hold other sound now. Only the same sound can claim one;
	// if none does, the file at the old place keeps the song.
	replaced map[string]bool
	taken    map[string]bool
	others   *otherRoots
}

// claim is the wish of a file to be a song.
type claim struct {
	file  *candidate
	song  string
	score int
}

// How much each sign counts. Any of the first three suffices; the others only decide between several.
const (
	scoreSameFile    = 128 // the file was this song before and has the same sound
	scoreAudio       = 32
	scoreVanished    = 16 // it went just now, as this file came
	scoreTags        = 12
	scoreMusicBrainz = 10
	scoreName        = 2
	scoreFolder      = 1
)

// identify gives ids to the files, the surest first. It returns the files at known places with other sound than before that nothing
// else claimed: they must wait until all files had their chance.
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
		claims = append(claims, d.claims(f, matches)...)
	}
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.file.Path, b.file.Path), cmp.Compare(a.song, b.song))
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

// settle lets the files that waited keep the songs of their places, where nobody took them.
func (d *identifier) assignWaiting(waiting []*candidate) {
	for _, f := range waiting {
		if id := f.knownSong(); !d.taken[id] {
			f.song.ID = id
			d.taken[id] = true
		}
	}
}

// place is the song that the catalog has at the file's path; "" for none.
func (c *candidate) knownSong() string {
	if c.known == nil {
		return ""
	}
	return c.known.SongID
}

// matches looks up all keys of the files at once.
func (d *identifier) matches(ctx context.Context, files []*candidate) (map[catalog.Identity][]catalog.IdentityMatch, error) {
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
	out := make(map[catalog.Identity][]catalog.IdentityMatch, len(found))
	for _, m := range found {
		out[m.Identity] = append(out[m.Identity], m)
	}
	return out, nil
}

// claims lists the songs that the file may be.
func (d *identifier) claims(f *candidate, matches map[catalog.Identity][]catalog.IdentityMatch) []claim {
	scores := map[string]int{}
	for _, m := range f.song.Identities {
		for _, match := range matches[m] {
			if s := d.score(f, match); s > 0 {
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

func (d *identifier) score(f *candidate, m catalog.IdentityMatch) int {
	audio := m.Kind == catalog.ByAudio
	if m.SongID == f.knownSong() {
		if audio {
			return scoreSameFile
		}
		return 0
	}
	if audio && m.Available && d.others.isMissing(m.File, f.FileRef) {
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
	case f.knownSong() != "": // a known place is given up for the same sound only
	case m.Kind == catalog.ByTags:
		score = scoreTags
	case m.Kind == catalog.ByMusicBrainz:
		score = scoreMusicBrainz
	}
	return score
}

// mark returns the file's mark of one kind.
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
