package scan

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/rules"
	"waxwing/internal/scan/playlist"
	"waxwing/internal/tags"
)

// PlaylistReport is the result of importing a playlist file.
type PlaylistReport struct {
	File    string
	Name    string
	ID      string // in the catalog
	Songs   int
	Missing []playlist.Entry
}

// maxMissing is how many missing entries of a playlist the report of a scan has.
const maxMissing = 100

// importPlaylists imports the new and changed playlists of the music folders for the active user.
func (r *run) importPlaylists(ctx context.Context) error {
	if len(r.found.playlists) == 0 {
		return nil
	}
	user, err := r.store.ActiveUser(ctx)
	if err != nil {
		r.log.Info("playlists are not imported without a user; create one with: waxwing user create",
			"playlists", len(r.found.playlists))
		return nil
	}
	var imported []catalog.File
	for _, f := range r.found.playlists {
		report, err := r.importPlaylist(ctx, user.Viewer(), f)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if r.failed(f.Root) { // the next scan reads it
				r.report.Retry = true
				continue
			}
			r.log.Warn("cannot read a playlist", "file", f.Root+"/"+f.Path, "why", reason(err))
		} else {
			if len(report.Missing) > 0 {
				r.log.Warn("songs of a playlist are missing", "file", report.File,
					"missing", len(report.Missing), "first", report.Missing[0].Location)
			}
			// The report of a scan holds all playlists.
			report.Missing = slices.Clone(report.Missing[:min(len(report.Missing), maxMissing)])
			r.report.Playlists = append(r.report.Playlists, report)
		}
		imported = append(imported, f.File)
	}
	return r.store.PutKnownFiles(ctx, imported)
}

func (r *run) importPlaylist(
	ctx context.Context, owner catalog.Viewer, f foundFile,
) (report PlaylistReport, err error) {
	defer r.recoverFrom(f.Path, &err)
	opened, err := r.trees[f.Root].Open(ctx, f.Path, versionOf(f.File))
	if err != nil {
		return PlaylistReport{}, err
	}
	defer opened.Close()
	return r.ImportPlaylist(ctx, owner, f.Root+"/"+f.Path, opened)
}

// ImportPlaylist creates a playlist from a file, or replaces the one imported from it before. The
// path file determines the format, and its folder is the base of relative paths.
func (s *Scanner) ImportPlaylist(
	ctx context.Context, owner catalog.Viewer, file string, content io.Reader,
) (PlaylistReport, error) {
	if extension(file) == ".nsp" {
		return s.importSmartPlaylist(ctx, owner, file, content)
	}
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
	name := playlistName(list.Name, file)
	saved, err := s.store.PutImportedPlaylist(ctx, owner, file, catalog.NewPlaylist{Name: name, SongIDs: match.SongIDs})
	if err != nil {
		return PlaylistReport{}, err
	}
	return PlaylistReport{
		File: file, Name: saved.Name, ID: saved.ID, Songs: len(match.SongIDs), Missing: match.Missing,
	}, nil
}

// playlistName returns the name in a playlist file, or that of the file.
func playlistName(name, file string) string {
	if name != "" {
		return name
	}
	return tags.Clean(strings.TrimSuffix(path.Base(file), path.Ext(file)))
}

// importSmartPlaylist is ImportPlaylist for a file of rules.
func (s *Scanner) importSmartPlaylist(
	ctx context.Context, owner catalog.Viewer, file string, content io.Reader,
) (PlaylistReport, error) {
	smart, err := rules.ParseNSP(content)
	if err != nil {
		return PlaylistReport{}, err
	}
	saved, err := s.store.PutImportedPlaylist(ctx, owner, file, catalog.NewPlaylist{
		Name: playlistName(smart.Name, file), Description: smart.Comment, Rules: &smart.Rules,
	})
	if err != nil {
		return PlaylistReport{}, err
	}
	return PlaylistReport{File: file, Name: saved.Name, ID: saved.ID, Songs: int(saved.SongCount)}, nil
}
