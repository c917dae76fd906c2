package catalog

import (
	"context"
	"slices"
)

// PutKnownFiles stores files that are not songs, such as pictures and playlists, so that a scan can
// detect their changes. They have neither a SongID nor a Problem. Paths longer than MaxPath are not
// stored.
func (s *Store) PutKnownFiles(ctx context.Context, files []File) error {
	files = slices.DeleteFunc(slices.Clone(files), func(f File) bool { return len(f.Path) > MaxPath })
	for chunk := range slices.Chunk(files, BatchLimit) {
		err := s.change(ctx, repeated, func(t *tx) error {
			t.invisible = true
			tags := make([]ScannedSong, len(chunk))
			for i, f := range chunk {
				tags[i].File = f
			}
			roots, err := t.rootNums(ctx, tags)
			if err != nil {
				return err
			}
			rows := make([][]any, len(chunk))
			for i, f := range chunk {
				rows[i] = []any{roots[f.Root], []byte(f.Path), f.Size, f.ModTime.UnixMicro(), 0}
			}
			return t.insertMany(ctx, "store files", "files", "root, path, size, mtime, missing", rows,
				`ON CONFLICT (root, path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, missing = 0`)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
