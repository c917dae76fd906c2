package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"waxwing/internal/fault"
)

// settingUnfinished is there while a catalog is being carried into this database, and stays when
// that ends halfway.
const settingUnfinished = "unfinished"

// Raw holds the connections to a catalog whose schema is up to date, for whoever carries whole
// tables: package move. Nothing follows the revision, and nothing else runs on them.
type Raw struct {
	Engine      string // "SQLite" or "PostgreSQL"
	Write, Read *sql.DB
}

// OpenRaw brings a catalog's schema up to date, as Open does, and opens it again for itself. It
// takes an unfinished catalog too.
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

// Explain turns an engine's error into one that says who must act.
func (p Raw) Explain(err error) error {
	if p.Engine == postgresDialect.title {
		return postgresDialect.explain(err)
	}
	return sqliteDialect.explain(err)
}

// MarkUnfinished makes servers refuse the catalog until MarkFinished.
func (p Raw) MarkUnfinished(ctx context.Context) error {
	_, err := p.Write.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, 'moving') ON CONFLICT (name) DO NOTHING`, settingUnfinished)
	if err != nil {
		return fmt.Errorf("mark the catalog as unfinished: %w", err)
	}
	return nil
}

// MarkFinished lets servers use the catalog.
func (p Raw) MarkFinished(ctx context.Context) error {
	if _, err := p.Write.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, settingUnfinished); err != nil {
		return fmt.Errorf("mark the catalog as finished: %w", err)
	}
	return nil
}

// OwnSettings names the settings that a carried catalog does not take from where it came: its
// epoch, because both may go on and their revisions would mean different things, and the mark.
func OwnSettings() []string { return []string{settingEpoch, settingUnfinished} }

// rejectUnfinished keeps servers and commands off a catalog of which only a part is there.
func (s *Store) rejectUnfinished(ctx context.Context) error {
	_, err := s.setting(ctx, settingUnfinished)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return s.d.explain(err)
	}
	return fault.New(fault.Conflict,
		"a catalog was being moved into this database and the move did not finish: run the same “waxwing db move” again, or name another database")
}
