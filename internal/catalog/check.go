package catalog

import (
	"context"
	"errors"
	"fmt"

	"waxwing/internal/fault"
)

// Check looks at a catalog without changing it: whether it can be opened, is whole, and is not newer than this program.
// Its faults are sentences for a person.
func Check(ctx context.Context, db string) (err error) {
	d, err := dialectOf(db)
	if err != nil {
		return err
	}
	write, read, err := d.open(db)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "the database cannot be opened")
	}
	defer func() {
		cerr := read.Close()
		if write != read {
			cerr = errors.Join(cerr, write.Close())
		}
		err = errors.Join(err, cerr)
	}()
	var version int64
	const applied = `SELECT coalesce(max(version_id), 0) FROM goose_db_version`
	if err := read.QueryRowContext(ctx, applied).Scan(&version); err != nil {
		return fault.Wrap(fault.Invalid, err, "this is not a catalog of Waxwing, or it is damaged")
	}
	names, err := migrations.ReadDir(d.folder)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if version > int64(len(names)) {
		return fault.New(fault.Conflict, "the catalog was written by a newer Waxwing (schema %d, this one knows %d)", version, len(names))
	}
	if d.title != sqliteDialect.title {
		return nil
	}
	var found string
	if err := read.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil || found != "ok" {
		return fault.Wrap(fault.Invalid, fmt.Errorf("integrity check: %s: %w", found, err), "the database is damaged")
	}
	return nil
}
