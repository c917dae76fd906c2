// Package move copies a whole catalog from one database to another, of either engine. All numbers,
// ids and times stay the same, so that keys, links and plays remain valid. The source is read in
// one snapshot. The target must be empty; it is filled in one transaction, read back and compared,
// and marked as unfinished until that has succeeded.
package move

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// Plan describes a move.
type Plan struct {
	From, To string // each a file of SQLite or a postgres:// URL
	Log      *slog.Logger
	// Progress, if not nil, is called with the number of rows copied and compared, and the total. It
	// is called by one goroutine at a time.
	Progress func(done, total int64)
}

// Report is the result of a move. Every figure was read back from the target.
type Report struct {
	FromEngine string        `json:"from_engine"`
	ToEngine   string        `json:"to_engine"`
	Tables     []TableReport `json:"tables"`
	Rows       int64         `json:"rows"`
	Revision   int64         `json:"revision"`
	Took       time.Duration `json:"took_ns"`
}

// TableReport is one table with its number of rows and their checksum.
type TableReport struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
}

// Run copies the catalog. If it fails, the target is unchanged except for the mark of an unfinished
// move, and Run can be called again.
func Run(ctx context.Context, plan Plan) (report Report, err error) {
	begun := time.Now()
	if err := exists(plan.From); err != nil {
		return Report{}, err
	}
	if same(plan.From, plan.To) {
		return Report{}, fault.New(fault.Invalid, "source and target are the same database")
	}
	from, err := openEnd(ctx, "source", plan.From, plan.Log)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := openEnd(ctx, "target", plan.To, plan.Log)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	release, err := lockTarget(ctx, to.Raw, plan.To)
	if err != nil {
		return Report{}, to.Explain(err)
	}
	defer release()
	w := &work{from: from, to: to, plan: plan}
	if err := w.run(ctx); err != nil {
		if ctx.Err() != nil { // the errors of drivers after a cancellation vary
			err = fmt.Errorf("the move was interrupted: %w", ctx.Err())
		}
		return Report{}, err
	}
	report = Report{FromEngine: from.Engine, ToEngine: to.Engine, Tables: w.copied, Revision: w.revision,
		Took: time.Since(begun)}
	for _, t := range w.copied {
		report.Rows += t.Rows
	}
	return report, nil
}

// exists returns a NotFound fault if the source is a missing file: opening it would create it.
func exists(db string) error {
	if strings.Contains(db, "://") || catalog.RedactDSN(db) != db {
		return nil // not a file name: opening it reports what is wrong
	}
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "there is no catalog at %s", db)
	} else if err != nil {
		return fmt.Errorf("check the source: %w", err)
	}
	return nil
}

// same reports whether two names are one file. Equal databases under different URLs are detected
// later, because the target must be empty.
func same(a, b string) bool {
	if a == b {
		return true
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// end is one of the two databases.
type end struct {
	catalog.Raw
	tables map[string]table
}

func openEnd(ctx context.Context, role, db string, log *slog.Logger) (end, error) {
	pools, err := catalog.OpenRaw(ctx, catalog.Config{DB: db, Log: log})
	if err != nil {
		return end{}, named(role, err)
	}
	tables, err := readTables(ctx, pools)
	if err != nil {
		return end{}, errors.Join(named(role, pools.Explain(err)), pools.Close())
	}
	return end{pools, tables}, nil
}

// named adds the role of a database to an error.
func named(role string, err error) error {
	if kind, message := fault.Of(err); kind != fault.Internal {
		return fault.Wrap(kind, err, "%s: %s", role, message)
	}
	return fmt.Errorf("open the %s: %w", role, err)
}

// work is the state of a move.
type work struct {
	from, to    end
	plan        Plan
	done, total int64
	copied      []TableReport
	revision    int64
}

func (w *work) run(ctx context.Context) error {
	tables, err := common(w.from.tables, w.to.tables)
	if err != nil {
		return err
	}
	source, release, err := snapshot(ctx, w.from.Raw)
	if err != nil {
		return w.from.Explain(err)
	}
	defer release()
	if half, err := unfinished(ctx, source); err != nil {
		return w.from.Explain(err)
	} else if half {
		return fault.New(fault.Conflict, "the source is itself the target of a move that did not finish")
	}
	for _, t := range tables {
		rows, err := count(ctx, source, t)
		if err != nil {
			return w.from.Explain(err)
		}
		w.total += 2 * rows // copied, then compared
	}
	if err := source.QueryRowContext(ctx, `SELECT value FROM counters
		WHERE name = 'revision'`).Scan(&w.revision); err != nil {
		return w.from.Explain(fmt.Errorf("read the revision: %w", err))
	}
	if err := w.fill(ctx, source, tables); err != nil {
		return w.to.Explain(err)
	}
	if err := w.compare(ctx, tables); err != nil {
		return err
	}
	return w.to.Explain(w.to.MarkFinished(ctx))
}

// compare reads the target back and compares it with the rows of the source.
func (w *work) compare(ctx context.Context, tables []table) error {
	target, release, err := snapshot(ctx, w.to.Raw)
	if err != nil {
		return w.to.Explain(err)
	}
	defer release()
	for i, t := range tables {
		rows, err := w.open(ctx, target, t, w.to.Engine)
		if err != nil {
			return w.to.Explain(err)
		}
		for rows.Next() { // adds to the checksum
		}
		err = rows.close()
		if err != nil {
			return w.to.Explain(err)
		}
		if got, want := rows.report(), w.copied[i]; got != want {
			return fault.New(fault.Conflict, "table %s differs after the move: the source has %d rows with checksum %s, "+
				"the target %d with %s; the source is unchanged and the target cannot be used",
				t.name, want.Rows, want.Sum, got.Rows, got.Sum)
		}
	}
	return nil
}

// progress reports n more rows.
func (w *work) progress(n int64) {
	w.done += n
	if w.plan.Progress != nil {
		w.plan.Progress(w.done, w.total)
	}
}
