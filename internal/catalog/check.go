package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"waxwing/internal/fault"
)

// Shared reports whether servers on several machines can share a database: whether it is
// PostgreSQL.
func Shared(db string) bool {
	d, err := dialectOf(db)
	return err == nil && d.title == postgresDialect.title
}

// Check reports whether a catalog can be opened, is undamaged and is not too new, without changing
// it. Its faults are Unavailable if the database is unreachable, Unauthenticated if it rejects the
// user or password, NotFound if it contains no catalog, Invalid if it is damaged or its name is
// malformed, and Conflict if it needs a newer program.
func Check(ctx context.Context, db string) (err error) {
	d, err := dialectOf(db)
	if err != nil {
		return err
	}
	if !Shared(db) {
		if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) { // opening would create it
			return fault.New(fault.NotFound, "there is no database at %s", db)
		}
	}
	write, read, err := d.open(db)
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "cannot open the database: %v", err)
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
		return d.diagnose(err)
	}
	known, err := programSchema(d)
	if err != nil {
		return err
	}
	if err := checkFloor(ctx, read, version, known); err != nil {
		return d.diagnose(err)
	}
	if Shared(db) {
		return nil
	}
	var found string
	if err := read.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return d.diagnose(err)
	}
	if found != "ok" {
		return damaged(fmt.Errorf("integrity check: %s", found))
	}
	return nil
}

// diagnose converts an error of Check to a fault for the operator.
func (d dialect) diagnose(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT:
			return damaged(err)
		case sqlite3.SQLITE_NOTADB:
			return fault.Wrap(fault.NotFound, err, "the file is not a SQLite database")
		case sqlite3.SQLITE_ERROR: // no such table
			return fault.Wrap(fault.NotFound, err, "the database contains no catalog")
		}
	}
	switch {
	case isCode(err, "28"):
		return fault.Wrap(fault.Unauthenticated, err, "the database rejects the user or the password")
	case isCode(err, "3D000"):
		return fault.Wrap(fault.NotFound, err, "the database server has no database of that name")
	case isCode(err, "42P01"):
		return fault.Wrap(fault.NotFound, err, "the database contains no catalog")
	case isCode(err, "42501"):
		return fault.Wrap(fault.Unauthenticated, err, "the database user may not read the catalog: grant the permission")
	case isCode(err, "XX001", "XX002"):
		return damaged(err)
	}
	return d.explain(err)
}

func damaged(cause error) error {
	return fault.Wrap(fault.Invalid, cause, "the database is damaged")
}
