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

// partialSuffix ends the name of an unfinished copy; the engine has a journal beside it.
const partialSuffix = ".partial"

// backupInfix follows the catalog's name in the name of a copy that was made before a migration.
const backupInfix = ".before-schema-"

// backupBefore copies a SQLite catalog before a migration. When it returns, the copy is complete
// and on the disk.
func (s *Store) backupBefore(ctx context.Context, cfg Config, version int64) error {
	if s.d.goose == goose.DialectPostgres {
		return nil // operators back PostgreSQL up themselves; each step is one transaction
	}
	dir := cfg.BackupDir
	if dir == "" {
		dir = filepath.Dir(cfg.DB)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the backup folder: %w", err)
	}
	name := filepath.Join(dir, filepath.Base(cfg.DB)+backupInfix)
	if err := removeAll(name + "*" + partialSuffix + "*"); err != nil {
		return fmt.Errorf("remove an unfinished backup: %w", err)
	}
	to := fmt.Sprintf("%s%d-%s", name, version, s.now().UTC().Format("20060102T150405.000"))
	begun := time.Now()
	if err := copyTo(ctx, s.write, to); err != nil {
		return s.d.explain(fmt.Errorf("back the catalog up before schema %d: %w", version, err))
	}
	s.log.InfoContext(ctx, "catalog backed up before a migration", "to", to, "took",
		time.Since(begun).Round(time.Millisecond))
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

// copyTo writes a consistent copy of a SQLite database in use. The copy gets its name only when it
// is complete and synced, which the engine does not ensure.
func copyTo(ctx context.Context, db *sql.DB, to string) (err error) {
	partial := to + partialSuffix
	defer func() {
		if err != nil {
			_ = os.Remove(partial) // err is the cause
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

// Backup writes a consistent copy of a SQLite catalog in use to a file that must not exist. For
// PostgreSQL, use pg_dump.
func (s *Store) Backup(ctx context.Context, to string) error {
	if s.d.goose == goose.DialectPostgres {
		return fault.New(fault.Conflict, "back a PostgreSQL catalog up with pg_dump")
	}
	if _, err := os.Lstat(to); err == nil {
		return fault.New(fault.Conflict, "%s exists already", to)
	}
	// The reading connections are read-only, and a copy would block the writing one.
	own, unused, err := s.d.open(s.file)
	if err != nil {
		return fmt.Errorf("open the catalog for a backup: %w", err)
	}
	defer own.Close()
	defer unused.Close()
	return s.d.explain(copyTo(ctx, own, to))
}
