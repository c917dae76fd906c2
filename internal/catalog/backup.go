package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"

	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// partialSuffix ends the name of a copy that is still written; the engine has a journal beside it.
const partialSuffix = ".partial"

// backupInfix follows the catalog's name in that of a copy made before a migration.
const backupInfix = ".before-schema-"

// backupBefore copies a SQLite catalog that is about to get another schema. When it returns, the
// copy is whole and on the disk: a crash or power cut during the change finds the way back there.
func (s *Store) backupBefore(ctx context.Context, cfg Config, version int64) error {
	if s.d.goose == goose.DialectPostgres {
		return nil // its operator has backups of their own; each step is one transaction
	}
	dir := cfg.BackupDir
	if dir == "" {
		dir = filepath.Dir(cfg.DB)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the backup folder: %w", err)
	}
	name := filepath.Join(dir, filepath.Base(cfg.DB)+backupInfix)
	if err := removeAll(name + "*" + partialSuffix + "*"); err != nil {
		return fmt.Errorf("remove a backup that was never finished: %w", err)
	}
	to := fmt.Sprintf("%s%d-%s", name, version, s.now().UTC().Format("20060102T150405.000"))
	begun := time.Now()
	if err := copyTo(ctx, s.write, to); err != nil {
		return s.d.explain(fmt.Errorf("back the catalog up before schema %d: %w", version, err))
	}
	s.log.InfoContext(ctx, "catalog backed up before its schema changes", "to", to, "took", time.Since(begun).Round(time.Millisecond))
	return nil
}

// removeAll removes the files whose names match a pattern.
func removeAll(pattern string) error {
	found, err := filepath.Glob(pattern)
	for _, file := range found {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// copyTo writes a whole, consistent copy of a SQLite database while it is in use. The file has its
// name only when all of it is on the disk, which the engine alone does not see to.
func copyTo(ctx context.Context, db *sql.DB, to string) (err error) {
	partial := to + partialSuffix
	defer func() {
		if err != nil {
			_ = os.Remove(partial) // it is not the copy, and not what went wrong
		}
	}()
	makePrivate(partial)
	if _, err := db.ExecContext(ctx, `VACUUM INTO $1`, partial); err != nil {
		return err
	}
	f, err := statefile.System.Append(partial)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(partial, to); err != nil {
		return err
	}
	return statefile.System.SyncDir(filepath.Dir(to))
}

// Backup writes a whole, consistent copy of the catalog to a file that must not exist, while the
// catalog is in use. PostgreSQL has tools of its own for this.
func (s *Store) Backup(ctx context.Context, to string) error {
	if s.d.goose == goose.DialectPostgres {
		return fault.New(fault.Conflict, "back a PostgreSQL catalog up with pg_dump")
	}
	if _, err := os.Lstat(to); err == nil {
		return fault.New(fault.Conflict, "%s exists already", to)
	}
	// Readers may not write, not even elsewhere, and the writer has other things to do meanwhile.
	own, unused, err := s.d.open(s.file)
	if err != nil {
		return fmt.Errorf("open the catalog for a backup: %w", err)
	}
	defer own.Close()
	defer unused.Close()
	return s.d.explain(copyTo(ctx, own, to))
}
