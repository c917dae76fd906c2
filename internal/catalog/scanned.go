package catalog

import (
	"context"
	"errors"
	"iter"
)

// How a scanner works with the store:
//
//	for known, err := range store.Files(ctx, root) {…}   // what is known: compare with one stat each
//	matches, err := store.FindIdentities(ctx, marks)      // who are the new and changed files?
//	ids, err := store.PutSongs(ctx, batch)                // at most BatchLimit at a time
//	err = store.PutProblems(ctx, problems)                // what could not be read
//	err = store.LoseFiles(ctx, gone)                      // after all moves are matched
//	err = store.FinishScan(ctx)                           // publish the last revision
//
// Every call is one transaction: after a crash or a cancelled context the catalog holds whole
// batches only, and a second scan goes on from there.

// BatchLimit is the largest number of songs that one PutSongs takes: it bounds how long other
// writers wait.
const BatchLimit = 500

var errUnfinished = errors.New("catalog: not built yet")

// PutSongs inserts and updates songs with their artists, albums, covers, files and identities.
// It returns the id of each song in the order of batch. A song that had another file before loses
// it to the new one (a move); a song that was unavailable is available again.
func (s *Store) PutSongs(ctx context.Context, batch []SongTag) ([]string, error) {
	return nil, errUnfinished
}

// LoseFiles marks the files as missing and their songs as unavailable: they leave the lists and
// stay in playlists. Files the catalog does not know are ignored.
func (s *Store) LoseFiles(ctx context.Context, gone []FileRef) error { return errUnfinished }

// PutProblems remembers files that could not be read, so that they are not tried again until they
// change. A song that such a file had made becomes unavailable.
func (s *Store) PutProblems(ctx context.Context, problems []Problem) error { return errUnfinished }

// Problems lists the files of all roots that could not be read, in order of root and path.
func (s *Store) Problems(ctx context.Context) ([]Problem, error) { return nil, errUnfinished }

// FindIdentities returns every song that carries one of the marks, in no particular order.
func (s *Store) FindIdentities(ctx context.Context, marks []Identity) ([]IdentityMatch, error) {
	return nil, errUnfinished
}

// Files gives the known files of a root in the order of their paths' bytes. It holds a reading
// connection while it runs; writes of the same caller in between are allowed and may or may not
// be seen.
func (s *Store) Files(ctx context.Context, root string) iter.Seq2[KnownFile, error] {
	return func(yield func(KnownFile, error) bool) { yield(KnownFile{}, errUnfinished) }
}

// Roots lists the roots that have known files.
func (s *Store) Roots(ctx context.Context) ([]string, error) { return nil, errUnfinished }

// FinishScan makes everything written so far visible under a new revision, which PutSongs does
// at most once a second.
func (s *Store) FinishScan(ctx context.Context) error { return errUnfinished }
