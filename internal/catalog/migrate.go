package catalog

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/pressly/goose/v3"

	"waxwing/internal/fault"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the schema up to date. A SQLite catalog that holds something is copied before the
// first step, so that the way back is a file copy. Of many processes that start at once over one
// database, one does the work and the others wait for it.
func (s *Store) migrate(ctx context.Context, cfg Config) error {
	known, err := programSchema(s.d)
	if err != nil {
		return err
	}
	if current, err := appliedSchema(ctx, s.read); err == nil && current >= known {
		return s.d.explain(checkFloor(ctx, s.read, current, known))
	}
	_, release, err := s.acquire(ctx, migrating, time.Second, nil)
	if err != nil {
		return err
	}
	defer release()
	folder, err := fs.Sub(migrations, s.d.folder)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	db := s.write
	if s.d.goose == goose.DialectPostgres { // a step over many songs may take longer than a server's statements may
		own, unused, err := s.d.open(s.file)
		if err != nil {
			return fmt.Errorf("open the catalog: %w", err)
		}
		defer own.Close()
		defer unused.Close()
		db = own
	}
	p, err := goose.NewProvider(s.d.goose, db, folder)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return s.d.explain(fmt.Errorf("read the schema's version: %w", err))
	}
	if current > target {
		return s.d.explain(checkFloor(ctx, s.read, current, target))
	}
	if current > 0 && current < target {
		if err := s.backupBefore(ctx, cfg, current+1); err != nil {
			return err
		}
	}
	for current < target {
		result, err := p.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
		if err != nil {
			return s.d.explain(fmt.Errorf("bring the schema up to date: %w", err))
		}
		current = result.Source.Version
	}
	return nil
}

// programSchema is the newest schema that this program knows.
func programSchema(d dialect) (int64, error) {
	steps, err := migrations.ReadDir(d.folder)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	return int64(len(steps)), nil
}

// appliedSchema is the schema that a catalog has. A database that is no catalog yet is an error.
func appliedSchema(ctx context.Context, q querier) (version int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&version)
	return version, err
}

// checkFloor refuses a catalog that a newer program has changed in a way that this one cannot work
// with. One that was only added to may be used: so the servers of a cluster are replaced one by
// one, and the last release still runs beside the next.
func checkFloor(ctx context.Context, q querier, current, known int64) error {
	if current <= known {
		return nil
	}
	var text string
	if err := q.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, settingFloor).Scan(&text); err != nil {
		return fmt.Errorf("read the schema's floor: %w", err)
	}
	floor, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("read the schema's floor: %w", err)
	}
	if floor <= known {
		return nil
	}
	return fault.New(fault.Conflict,
		"this catalog was written by a newer Waxwing (it asks for schema %d, this one knows %d): install that release, or restore a backup made before the upgrade", floor, known)
}
