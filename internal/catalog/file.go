package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"waxwing/internal/words"
)

// Files yields the known files of a root, ordered by the bytes of their paths. Concurrent changes
// may or may not be seen. It reads in pages, because a long read would keep SQLite from truncating
// its write-ahead log.
func (s *Store) Files(ctx context.Context, root string) iter.Seq2[KnownFile, error] {
	return func(yield func(KnownFile, error) bool) {
		const pageSize = 2000
		last := []byte{}
		for {
			page, err := s.filesAfter(ctx, root, last, pageSize)
			if err != nil {
				yield(KnownFile{}, s.d.explain(err))
				return
			}
			for _, known := range page {
				if !yield(known, nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			last = []byte(page[len(page)-1].Path)
		}
	}
}

func (s *Store) filesAfter(ctx context.Context, root string, last []byte, limit int) ([]KnownFile, error) {
	return collect(ctx, s.read, "list files", func(rows *sql.Rows) (KnownFile, error) {
		known := KnownFile{File: File{FileRef: FileRef{Root: root}}}
		var path sql.RawBytes
		var mtime int64
		var problem, song sql.NullString
		err := rows.Scan(&path, &known.Size, &mtime, &known.Missing, &problem, &song)
		known.Path, known.ModTime = string(path), time.UnixMicro(mtime)
		known.Problem, known.SongID = problem.String, song.String
		return known, err
	}, `SELECT f.path, f.size, f.mtime, f.missing, f.problem, s.id FROM files f LEFT JOIN songs s ON s.num = f.song
	    WHERE f.root = (SELECT num FROM roots WHERE name = $1) AND f.path > $2 ORDER BY f.path
	LIMIT $3`, []byte(root), last, limit)
}

// Roots lists the roots that files were ever found under, except synthetic ones.
func (s *Store) Roots(ctx context.Context) ([]string, error) {
	return s.roots(ctx, `SELECT name FROM roots ORDER BY name`)
}

// Folder is a root with what the scans found in it.
type Folder struct {
	Root     string
	Songs    int // files with a song
	Problems int // files that cannot be read
}

// Folders lists the roots that files were ever found under, except synthetic ones.
func (s *Store) Folders(ctx context.Context) ([]Folder, error) {
	folders, err := collect(ctx, s.read, "list folders", func(rows *sql.Rows) (Folder, error) {
		var f Folder
		var name []byte
		err := rows.Scan(&name, &f.Songs, &f.Problems)
		f.Root = string(name)
		return f, err
	}, `SELECT roots.name, count(files.song), count(files.problem) FROM roots
		LEFT JOIN files ON files.root = roots.num AND files.missing = 0 GROUP BY roots.name ORDER BY roots.name`)
	folders = slices.DeleteFunc(folders, func(f Folder) bool { return strings.HasPrefix(f.Root, SyntheticRoot) })
	return folders, s.d.explain(err)
}

// RootsInUse lists the roots with at least one song whose file the last scan found, except
// synthetic ones.
func (s *Store) RootsInUse(ctx context.Context) ([]string, error) {
	return s.roots(ctx, `SELECT name FROM roots WHERE EXISTS (SELECT 1 FROM files
		WHERE files.root = roots.num AND files.missing = 0 AND files.song IS NOT NULL) ORDER BY name`)
}

func (s *Store) roots(ctx context.Context, query string) ([]string, error) {
	roots, err := collect(ctx, s.read, "list roots", func(rows *sql.Rows) (string, error) {
		var name []byte
		err := rows.Scan(&name)
		return string(name), err
	}, query)
	roots = slices.DeleteFunc(roots, func(name string) bool { return strings.HasPrefix(name, SyntheticRoot) })
	return roots, s.d.explain(err)
}

// MarkMissing marks files as missing and their songs as unavailable: these are no longer listed but
// stay in playlists. Unknown files are ignored.
func (s *Store) MarkMissing(ctx context.Context, files []FileRef) error {
	for chunk := range slices.Chunk(files, BatchLimit) {
		err := s.change(ctx, repeated, func(t *tx) error {
			var songs []int64
			for _, group := range groupByRoot(chunk) {
				found, err := collect(ctx, t, "mark files as missing", scanNullNum,
					`UPDATE files SET missing = 1 WHERE root = (SELECT num FROM roots WHERE name = $1) AND path IN (`+in(2,
						len(group.paths))+`) RETURNING song`,
					append([]any{[]byte(group.root)}, group.paths...)...)
				if err != nil {
					return err
				}
				for _, song := range found {
					if song.Valid {
						songs = append(songs, song.Int64)
					}
				}
			}
			return t.hideSongs(ctx, songs)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type rootGroup struct {
	root  string
	paths []any
}

func groupByRoot(files []FileRef) []rootGroup {
	byRoot := make(map[string][]any)
	for _, f := range files {
		byRoot[f.Root] = append(byRoot[f.Root], []byte(f.Path))
	}
	var groups []rootGroup
	for _, root := range sortedKeys(byRoot) {
		groups = append(groups, rootGroup{root, byRoot[root]})
	}
	return groups
}

// hideSongs makes songs unavailable and updates all counts.
func (t *tx) hideSongs(ctx context.Context, nums []int64) error {
	c := newTally()
	if err := t.hide(ctx, c, nums); err != nil {
		return err
	}
	return c.write(ctx, t)
}

// hide makes songs unavailable. The caller writes the tally.
func (t *tx) hide(ctx context.Context, c *tally, nums []int64) error {
	if len(nums) == 0 {
		return nil
	}
	old, err := readStoredSongs(ctx, t, `available = 1 AND num IN (`+in(1, len(nums))+`)`, anySlice(nums))
	if err != nil || len(old) == 0 {
		return err
	}
	listed := make([]int64, len(old))
	for i, o := range old {
		c.remove(o)
		listed[i] = o.num
	}
	t.addCount(songsListed, -int64(len(old)))
	t.addCount(songsOrder, 1)
	t.addCount(songsChanged, 1)
	args := append([]any{t.now}, anySlice(listed)...)
	if _, err := t.ExecContext(ctx, `UPDATE songs SET available = 0, updated_at = $1
		WHERE num IN (`+in(2, len(listed))+`)`, args...); err != nil {
		return fmt.Errorf("make songs unavailable: %w", err)
	}
	for _, table := range []string{"song_artists", "song_genres"} {
		if _, err := t.ExecContext(ctx, `UPDATE `+table+` SET listed = 0 WHERE song IN (`+in(1, len(listed))+`)`,
			anySlice(listed)...); err != nil {
			return fmt.Errorf("make songs unavailable: %w", err)
		}
	}
	return nil
}

// PutProblems stores files that could not be read, so that a scan skips them until they change.
// Their songs become unavailable. Paths longer than MaxPath are not stored.
func (s *Store) PutProblems(ctx context.Context, problems []Problem) error {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return len(p.File.Path) > MaxPath })
	for chunk := range slices.Chunk(problems, BatchLimit) {
		err := s.change(ctx, repeated, func(t *tx) error { return t.putProblems(ctx, chunk) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putProblems(ctx context.Context, problems []Problem) error {
	tags := make([]ScannedSong, len(problems))
	refs := make([]FileRef, len(problems))
	for i, p := range problems {
		tags[i].File, refs[i] = p.File, p.File.FileRef
	}
	roots, err := t.rootNums(ctx, tags)
	if err != nil {
		return err
	}
	rows := make([][]any, len(problems))
	for i, p := range problems {
		rows[i] = []any{roots[p.File.Root], []byte(p.File.Path), p.File.Size, p.File.ModTime.UnixMicro(), 0,
			words.Clean(p.Sentence, 500)}
	}
	err = t.insertMany(ctx, "ingest problems", "files", "root, path, size, mtime, missing, problem", rows,
		`ON CONFLICT (root, path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, missing = 0,
			problem = excluded.problem`)
	if err != nil {
		return err
	}
	var songs []int64
	for _, group := range groupByRoot(refs) {
		found, err := collect(ctx, t, "read the songs of files", scanNullNum,
			`SELECT song FROM files WHERE root = $1 AND path IN (`+in(2,
				len(group.paths))+`)`, append([]any{roots[group.root]}, group.paths...)...)
		if err != nil {
			return err
		}
		for _, song := range found {
			if song.Valid {
				songs = append(songs, song.Int64)
			}
		}
	}
	return t.hideSongs(ctx, songs)
}

// Problems lists the files of all roots that could not be read, in order of root and path.
func (s *Store) Problems(ctx context.Context) ([]Problem, error) {
	problems, err := collect(ctx, s.read, "list problems", func(rows *sql.Rows) (Problem, error) {
		var p Problem
		var root, path []byte
		var mtime int64
		err := rows.Scan(&root, &path, &p.File.Size, &mtime, &p.Sentence)
		p.File.FileRef, p.File.ModTime = FileRef{Root: string(root), Path: string(path)}, time.UnixMicro(mtime)
		return p, err
	}, `SELECT r.name, f.path, f.size, f.mtime, f.problem FROM files f JOIN roots r ON r.num = f.root
	    WHERE f.problem IS NOT NULL AND f.missing = 0 ORDER BY r.name, f.path`)
	return problems, s.d.explain(err)
}

// rootNums finds or creates the roots of the files.
func (t *tx) rootNums(ctx context.Context, tags []ScannedSong) (map[string]int64, error) {
	nums := make(map[string]int64)
	for i := range tags {
		root := tags[i].File.Root
		if nums[root] != 0 {
			continue
		}
		var num int64
		err := t.QueryRowContext(ctx,
			`INSERT INTO roots (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name
				RETURNING num`, []byte(root)).Scan(&num)
		if err != nil {
			return nil, fmt.Errorf("find a root: %w", err)
		}
		nums[root] = num
	}
	return nums, nil
}

// FindIdentities returns every song with one of the identities, in no particular order.
func (s *Store) FindIdentities(ctx context.Context, identities []Identity) ([]IdentityMatch, error) {
	var found []IdentityMatch
	byKind := make(map[IdentityKind][]string)
	for _, m := range identities {
		byKind[m.Kind] = append(byKind[m.Kind], m.Value)
	}
	for _, kind := range sortedKeys(byKind) {
		for chunk := range slices.Chunk(byKind[kind], BatchLimit) {
			matches, err := s.findKind(ctx, kind, chunk)
			if err != nil {
				return nil, s.d.explain(err)
			}
			found = append(found, matches...)
		}
	}
	return found, nil
}

func (s *Store) findKind(ctx context.Context, kind IdentityKind, values []string) ([]IdentityMatch, error) {
	requested := make(map[string]string, len(values)) // by stored form
	args := []any{string(kind)}
	for _, v := range values {
		if _, twice := requested[shortKey(v)]; !twice {
			requested[shortKey(v)] = v
			args = append(args, shortKey(v))
		}
	}
	return collect(ctx, s.read, "look up identities", func(rows *sql.Rows) (IdentityMatch, error) {
		m := IdentityMatch{Identity: Identity{Kind: kind}}
		var stored string
		var root, path []byte
		err := rows.Scan(&stored, &m.SongID, &m.Available, &root, &path)
		m.Value, m.File = requested[stored], FileRef{Root: string(root), Path: string(path)}
		return m, err
	}, `SELECT i.value, s.id, s.available, r.name, f.path FROM identities i JOIN songs s ON s.num = i.song
	    LEFT JOIN files f ON f.song = s.num LEFT JOIN roots r ON r.num = f.root
	    WHERE i.kind = $1 AND i.value IN (`+in(2, len(args)-1)+`)`, args...)
}

// FindFile returns a file of the catalog; an unknown one is a NotFound fault.
func (s *Store) FindFile(ctx context.Context, ref FileRef) (KnownFile, error) {
	known := KnownFile{File: File{FileRef: ref}}
	found, err := collect(ctx, s.read, "look up a file", func(rows *sql.Rows) (KnownFile, error) {
		var mtime int64
		var problem, song sql.NullString
		err := rows.Scan(&known.Size, &mtime, &known.Missing, &problem, &song)
		known.ModTime, known.Problem, known.SongID = time.UnixMicro(mtime), problem.String, song.String
		return known, err
	}, `SELECT f.size, f.mtime, f.missing, f.problem, s.id FROM files f JOIN roots r ON r.num = f.root LEFT JOIN songs s
		ON s.num = f.song
	    WHERE r.name = $1 AND f.path = $2`, []byte(ref.Root), []byte(ref.Path))
	if err != nil {
		return KnownFile{}, s.d.explain(err)
	}
	if len(found) == 0 {
		return KnownFile{}, notFound("file", ref.Path)
	}
	return found[0], nil
}
