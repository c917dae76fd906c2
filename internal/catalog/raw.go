package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"waxwing/internal/fault"
)

// settingUnfinished exists while a catalog is being moved into this database, and remains if the
// move fails.
const settingUnfinished = "unfinished"

// Raw holds the connections to a migrated catalog, for package move, which copies whole tables.
type Raw struct {
	Engine      string // "SQLite" or "PostgreSQL"
	Write, Read *sql.DB
}

// OpenRaw migrates a catalog as Open does and opens raw connections to it. It accepts a catalog
// that is the target of an unfinished move.
func OpenRaw(ctx context.Context, cfg Config) (Raw, error) {
	cfg.unfinished = true
	s, err := Open(ctx, cfg)
	if err != nil {
		return Raw{}, err
	}
	if err := s.Close(); err != nil {
		return Raw{}, fmt.Errorf("close the catalog: %w", err)
	}
	write, read, err := s.d.open(cfg.DB)
	if err != nil {
		return Raw{}, fmt.Errorf("open the catalog: %w", err)
	}
	return Raw{Engine: s.d.title, Write: write, Read: read}, nil
}

// Close closes all connections.
func (p Raw) Close() error {
	err := p.Read.Close()
	if p.Write != p.Read {
		err = errors.Join(err, p.Write.Close())
	}
	return err
}

// Explain converts an engine's error to a fault that says who must act.
func (p Raw) Explain(err error) error {
	if p.Engine == postgresDialect.title {
		return postgresDialect.explain(err)
	}
	return sqliteDialect.explain(err)
}

// MarkUnfinished makes Open reject the catalog until MarkFinished.
func (p Raw) MarkUnfinished(ctx context.Context) error {
	_, err := p.Write.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, 'moving')
		ON CONFLICT (name) DO NOTHING`, settingUnfinished)
	if err != nil {
		return fmt.Errorf("mark the catalog as unfinished: %w", err)
	}
	return nil
}

// MarkFinished makes Open accept the catalog.
func (p Raw) MarkFinished(ctx context.Context) error {
	if _, err := p.Write.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, settingUnfinished); err != nil {
		return fmt.Errorf("mark the catalog as finished: %w", err)
	}
	return nil
}

// OwnSettings lists the settings that a move does not copy: the epoch, because the revisions of
// both catalogs diverge, the mark of an unfinished move, and the timeline of the database.
func OwnSettings() []string { return []string{settingEpoch, settingUnfinished, settingTimeline} }

// rejectUnfinished returns a Conflict fault if a move into the catalog did not finish.
func (s *Store) rejectUnfinished(ctx context.Context) error {
	_, err := s.setting(ctx, settingUnfinished)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return s.d.explain(err)
	}
	return fault.New(fault.Conflict,
		"a move of a catalog into this database did not finish: run the same “waxwing db move” again, or use another "+
			"database")
}
