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
	version, err := appliedSchema(ctx, read)
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "this is not a catalog of Waxwing, or it is damaged")
	}
	known, err := knownSchema(d)
	if err != nil {
		return err
	}
	if err := mayUse(ctx, read, version, known); err != nil {
		return err
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
