package scan

import (
	"context"
	"io"
	"path"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/scan/playlist"
	"waxwing/internal/tags"
)

// PlaylistReport tells what became of a playlist file.
type PlaylistReport struct {
	File    string
	Name    string
	ID      string // of the playlist in the catalog
	Songs   int
	Missing []playlist.Entry
}

// importPlaylists takes the new and changed playlists of the music folders over, for the active user.
func (r *run) importPlaylists(ctx context.Context) error {
	if len(r.found.playlists) == 0 {
		return nil
	}
	user, err := r.store.ActiveUser(ctx)
	if err != nil {
		r.log.Info("playlists are left alone until there is a user to own them", "playlists", len(r.found.playlists))
		return nil
	}
	var seen []catalog.File
	for _, f := range r.found.playlists {
		report, err := r.importPlaylist(ctx, user.Viewer(), f)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.log.Warn("a playlist could not be read", "file", f.Root+"/"+f.Path, "why", reason(err))
		} else {
			r.report.Playlists = append(r.report.Playlists, report)
			if len(report.Missing) > 0 {
				r.log.Warn("songs of a playlist were not found", "file", report.File, "missing", len(report.Missing), "first", report.Missing[0].Location)
			}
		}
		seen = append(seen, f.File)
	}
	return r.store.PutSeen(ctx, seen)
}

func (r *run) importPlaylist(ctx context.Context, owner catalog.Viewer, f foundFile) (PlaylistReport, error) {
	t, err := r.openRoot(f.Root)
	if err != nil {
		return PlaylistReport{}, err
	}
	defer t.Close()
	opened, err := t.open(f.Path)
	if err != nil {
		return PlaylistReport{}, err
	}
	defer opened.Close()
	return r.ImportPlaylist(ctx, owner, f.Root+"/"+f.Path, opened)
}

// ImportPlaylist makes a playlist of a file, or replaces the one that was made of it before. file is its path, which tells its kind
// and what relative paths in it mean.
func (s *Scanner) ImportPlaylist(ctx context.Context, owner catalog.Viewer, file string, content io.Reader) (PlaylistReport, error) {
	kind, err := playlist.KindOf(file)
	if err != nil {
		return PlaylistReport{}, err
	}
	list, err := playlist.Parse(kind, content)
	if err != nil {
		return PlaylistReport{}, err
	}
	match, err := s.MatchPlaylist(ctx, path.Dir(file), list)
	if err != nil {
		return PlaylistReport{}, err
	}
	name := list.Name
	if name == "" {
		name = tags.Clean(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	}
	made, err := s.store.PutImportedPlaylist(ctx, owner, file, catalog.NewPlaylist{Name: name, SongIDs: match.SongIDs})
	if err != nil {
		return PlaylistReport{}, err
	}
	return PlaylistReport{File: file, Name: made.Name, ID: made.ID, Songs: len(match.SongIDs), Missing: match.Missing}, nil
}
