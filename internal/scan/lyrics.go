package scan

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
	"waxwing/internal/lyrics"
	"waxwing/internal/media/text"
)

// isLyrics reports whether a file of that name is lyrics if a song beside it has the same stem.
func isLyrics(name string) bool {
	ext := path.Ext(name)
	return strings.EqualFold(ext, ".lrc") || strings.EqualFold(ext, ".txt")
}

// stem returns the name of a file without its extension. Case does not count.
func stem(name string) string { return strings.ToLower(strings.TrimSuffix(name, path.Ext(name))) }

// songStems returns the stems of the audio files of a folder, or nil if nothing in it can be
// lyrics.
func songStems(entries []library.Entry) map[string]bool {
	var stems map[string]bool
	for _, e := range entries {
		if e.Mode == 0 && isLyrics(e.Name) {
			stems = map[string]bool{}
			break
		}
	}
	if stems == nil {
		return nil
	}
	for _, e := range entries {
		if e.Mode == 0 && isAudio(e.Name) && !ignored(e.Name) {
			stems[stem(e.Name)] = true
		}
	}
	return stems
}

// lyricChange is an unchanged song with files of lyrics that were added, changed or removed.
type lyricChange struct {
	song  string
	files []catalog.File // all that are there now
}

// attachLyrics gives each song of the folder its files of lyrics. vanished are files that were
// not found again.
func (j *job) attachLyrics(vanished []catalog.KnownFile) {
	changed := map[string]bool{}
	for _, v := range vanished {
		if name := path.Base(v.Path); v.SongID == "" && path.Dir(v.Path) == j.dir && isLyrics(name) {
			changed[stem(name)] = true
		}
	}
	byStem := map[string][]catalog.File{}
	for _, f := range j.lyrics {
		s := stem(path.Base(f.Path))
		byStem[s] = append(byStem[s], f.File)
		changed[s] = changed[s] || !f.unchanged
	}
	if len(changed) == 0 {
		return
	}
	for i := range j.files {
		f := &j.files[i]
		s := stem(path.Base(f.Path))
		f.lyrics, f.lyricsChanged = byStem[s], changed[s]
	}
}

// keepLyrics records the changed lyrics of songs that are not read, and which files of lyrics are
// new to the catalog.
func (w *walker) keepLyrics(j *job, unread []foundFile) {
	late := map[string]bool{}
	for _, f := range unread {
		if f.lyricsChanged && f.known.SongID != "" {
			w.out.lyrics = append(w.out.lyrics, lyricChange{f.known.SongID, f.lyrics})
			late[stem(path.Base(f.Path))] = true
		}
	}
	for _, f := range j.lyrics {
		switch {
		case f.unchanged:
		case late[stem(path.Base(f.Path))]: // saved when the change is
			w.out.companions = append(w.out.companions, f.File)
		default:
			j.companions = append(j.companions, f.File)
		}
	}
}

// updateLyrics stores the changed lyrics of songs whose own files are unchanged.
func (r *run) updateLyrics(ctx context.Context) error {
	r.report.Lyrics = len(r.found.lyrics)
	if r.opts.DryRun {
		return nil
	}
	var batch []catalog.LyricFiles
	for i, change := range r.found.lyrics {
		if err := ctx.Err(); err != nil {
			return err
		}
		texts := r.readLyrics(change.files, func(f catalog.File) (library.File, error) {
			return r.trees[f.Root].Open(ctx, f.Path, versionOf(f))
		})
		if len(change.files) == 0 || !r.failed(change.files[0].Root) {
			batch = append(batch, catalog.LyricFiles{SongID: change.song, Texts: texts})
		}
		if len(batch) < catalog.BatchLimit && i < len(r.found.lyrics)-1 {
			continue
		}
		if err := r.store.PutLyricFiles(ctx, batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	return nil
}

// readLyrics reads files of lyrics. A file that cannot be read is left out until it changes.
func (r *run) readLyrics(files []catalog.File, open func(catalog.File) (library.File, error)) (texts []lyrics.Text) {
	for _, f := range files[:min(len(files), lyrics.MaxTexts)] {
		content, err := readText(f, open)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed since the walk
		case err != nil:
			r.log.Warn("cannot read a file of lyrics", "file", f.Root+"/"+f.Path, "why", reason(err))
		case content != "":
			source := lyrics.TXTFile
			if extension(f.Path) == ".lrc" {
				source = lyrics.LRCFile
			}
			texts = append(texts, lyrics.Text{Source: source, Text: content})
		}
	}
	return texts
}

func readText(f catalog.File, open func(catalog.File) (library.File, error)) (string, error) {
	opened, err := open(f)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	b, err := io.ReadAll(io.LimitReader(opened, 2*lyrics.MaxBytes)) // UTF-16 takes twice the space
	if err != nil {
		return "", err
	}
	s := text.Decode(b)
	return strings.ToValidUTF8(strings.Trim(s[:min(len(s), lyrics.MaxBytes)], "\x00\r\n\ufeff "), ""), nil
}
