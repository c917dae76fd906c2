package catalog

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"waxwing/internal/fault"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the schema up to date. A SQLite catalog that holds something is copied first,
// before each step, so that the way back is a file copy.
func (s *Store) migrate(ctx context.Context, cfg Config) error {
	folder, err := fs.Sub(migrations, s.d.folder)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	var options []goose.ProviderOption
	if s.d.goose == goose.DialectPostgres { // many servers may start at once over one database
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("make the migration lock: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	p, err := goose.NewProvider(s.d.goose, s.write, folder, options...)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return s.d.explain(fmt.Errorf("read the schema's version: %w", err))
	}
	if current > target {
		return fault.New(fault.Conflict,
			"this catalog was written by a newer Waxwing (schema %d, this one knows %d): install that release, or restore a backup made before the upgrade", current, target)
	}
	for used := current > 0; current < target; {
		if used {
			if err := s.backupBefore(ctx, cfg, current+1); err != nil {
				return err
			}
		}
		result, err := p.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil // another server was faster
		}
		if err != nil {
			return s.d.explain(fmt.Errorf("bring the schema up to date: %w", err))
		}
		current = result.Source.Version
	}
	return nil
}

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
	to := filepath.Join(dir, fmt.Sprintf("%s.before-schema-%d-%s", filepath.Base(cfg.DB), version, s.now().UTC().Format("20060102T150405.000")))
	begun := time.Now()
	if err := vacuumInto(ctx, s.write, to); err != nil {
		return fmt.Errorf("back the catalog up before schema %d: %w", version, err)
	}
	s.log.InfoContext(ctx, "catalog backed up before its schema changes", "to", to, "took", time.Since(begun).Round(time.Millisecond))
	return nil
}

// vacuumInto writes a whole, consistent copy of a SQLite database while it is in use.
func vacuumInto(ctx context.Context, db *sql.DB, to string) error {
	_, err := db.ExecContext(ctx, `VACUUM INTO $1`, to)
	return err
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
	return s.d.explain(vacuumInto(ctx, own, to))
}
