package catalog

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"waxwing/internal/fault"
)

// GeneratedCover is the picture that is generated from seed. The same seed always gives the same
// picture and hash.
func GeneratedCover(seed string) Cover {
	sum := sha256.Sum256([]byte("waxwing generated cover 1\x00" + seed))
	return Cover{Hash: hex.EncodeToString(sum[:16]), Source: CoverGenerated, Seed: seed}
}

func isCoverHash(hash string) bool {
	if len(hash) != 32 {
		return false
	}
	for _, c := range []byte(hash) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}

// Cover returns the source of a picture.
func (s *Store) Cover(ctx context.Context, hash string) (Cover, error) {
	if !isCoverHash(hash) {
		return Cover{}, fault.New(fault.NotFound, "there is no such cover")
	}
	c := Cover{Hash: hash}
	var root, path []byte
	var seed sql.NullString
	err := s.read.QueryRowContext(ctx, `SELECT source, root, path, seed FROM covers WHERE hash = $1`,
		hash).Scan(&c.Source, &root, &path, &seed)
	if errors.Is(err, sql.ErrNoRows) {
		return Cover{}, fault.New(fault.NotFound, "there is no such cover")
	}
	if err != nil {
		return Cover{}, s.d.explain(fmt.Errorf("read cover %s: %w", hash, err))
	}
	c.File, c.Seed = FileRef{Root: string(root), Path: string(path)}, seed.String
	return c, nil
}

func (c Cover) row() []any {
	var root, path any
	if c.File != (FileRef{}) {
		root, path = []byte(c.File.Root), []byte(c.File.Path)
	}
	return []any{c.Hash, string(c.Source), root, path, null(c.Seed)}
}

// putCovers stores pictures. The file of a known picture may have moved.
func (t *tx) putCovers(ctx context.Context, rows [][]any) error {
	return t.insertMany(ctx, "ingest covers", "covers", "hash, source, root, path, seed", rows,
		`ON CONFLICT (hash) DO UPDATE SET source = excluded.source, root = excluded.root, path = excluded.path
		 WHERE covers.path IS DISTINCT FROM excluded.path OR covers.root IS DISTINCT FROM excluded.root`)
}
