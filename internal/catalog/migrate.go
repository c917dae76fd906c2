package catalog

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"waxwing/internal/fault"
)

//go:embed migrations
var migrations embed.FS

// migrate updates the schema. An existing SQLite catalog is copied before the first step. If
// several processes start at once, one migrates and the others wait.
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
	db := s.write
	if s.d.goose == goose.DialectPostgres { // a step over many songs may exceed the statement timeout of a server
		own, unused, err := s.d.open(s.file)
		if err != nil {
			return fmt.Errorf("open the catalog: %w", err)
		}
		defer own.Close()
		defer unused.Close()
		db = own
	}
	p, err := newMigrator(s.d, db)
	if err != nil {
		return err
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
			return s.d.explain(fmt.Errorf("migrate the schema: %w", err))
		}
		current = result.Source.Version
	}
	return nil
}

// newMigrator reads the migrations. Each file is one text for the database, which splits it into
// statements: goose would allocate 4 MiB for every line to do so.
func newMigrator(d dialect, db *sql.DB) (*goose.Provider, error) {
	files, err := migrations.ReadDir(d.folder)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	run := func(text string) *goose.GoFunc {
		return &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, text)
			return err
		}}
	}
	var steps []*goose.Migration
	for _, file := range files {
		text, err := migrations.ReadFile(path.Join(d.folder, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the migrations: %w", err)
		}
		version, err := goose.NumericComponent(file.Name())
		if err != nil {
			return nil, fmt.Errorf("read the migrations: %w", err)
		}
		up, down, _ := strings.Cut(string(text), "-- +goose Down")
		steps = append(steps, goose.NewGoMigration(version, run(up), run(down)))
	}
	p, err := goose.NewProvider(d.goose, db, nil, goose.WithGoMigrations(steps...))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return p, nil
}

// programSchema is the newest schema of this program.
func programSchema(d dialect) (int64, error) {
	steps, err := migrations.ReadDir(d.folder)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	number, _, _ := strings.Cut(steps[len(steps)-1].Name(), "_")
	return strconv.ParseInt(number, 10, 64)
}

// appliedSchema is the schema of a catalog. It fails for a database without one.
func appliedSchema(ctx context.Context, q querier) (version int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&version)
	return version, err
}

// checkFloor returns a Conflict fault if a newer program changed the catalog incompatibly.
// Additions are compatible, so that the servers of a cluster can be upgraded one by one.
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
		"this catalog was written by a newer Waxwing (it needs schema %d, this release has %d): install that release, or "+
			"restore a backup from before the upgrade", floor, known)
}
