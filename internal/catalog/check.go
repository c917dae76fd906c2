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

// Shared reports whether a database is one that servers on many machines may use at once: PostgreSQL.
func Shared(db string) bool {
	d, err := dialectOf(db)
	return err == nil && d.title == postgresDialect.title
}

// Check looks at a catalog without changing it: whether it can be opened, is whole, and is not newer than this program.
// Its faults are sentences for a person, and their kinds tell who must act: Unavailable, the database is away;
// Unauthenticated, it refuses the user or the password; NotFound, there is no catalog in it; Invalid, it is damaged
// or wrongly named; Conflict, it is newer than this program.
func Check(ctx context.Context, db string) (err error) {
	d, err := dialectOf(db)
	if err != nil {
		return err
	}
	if !Shared(db) {
		if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) { // opening it would make it
			return fault.New(fault.NotFound, "there is no database at %s", db)
		}
	}
	write, read, err := d.open(db)
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "the database cannot be opened: %v", err)
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

// diagnose says what an error in looking at a database means for whoever runs it.
func (d dialect) diagnose(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT:
			return damaged(err)
		case sqlite3.SQLITE_NOTADB:
			return fault.Wrap(fault.NotFound, err, "the file is no catalog of Waxwing: it does not begin as one")
		case sqlite3.SQLITE_ERROR: // no such table
			return fault.Wrap(fault.NotFound, err, "the database holds no catalog of Waxwing")
		}
	}
	switch {
	case isCode(err, "28"):
		return fault.Wrap(fault.Unauthenticated, err, "the database refuses the user or the password")
	case isCode(err, "3D000"):
		return fault.Wrap(fault.NotFound, err, "the database server is there, but has no database of that name")
	case isCode(err, "42P01"):
		return fault.Wrap(fault.NotFound, err, "the database holds no catalog of Waxwing")
	case isCode(err, "42501"):
		return fault.Wrap(fault.Unauthenticated, err, "the database does not let this user read the catalog")
	case isCode(err, "XX001", "XX002"):
		return damaged(err)
	}
	return d.explain(err)
}

func damaged(cause error) error {
	return fault.Wrap(fault.Invalid, cause, "the database is damaged")
}
