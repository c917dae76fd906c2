package move

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/fault"
)

// engine describes how to fill a database.
type engine struct {
	// prepare runs before the transaction, begin opens it.
	prepare []string
	begin   []string
	// indexes selects name and definition of the indexes without a constraint.
	indexes string
	put     func(ctx context.Context, conn *sql.Conn, t table, from *rows) error
	// after runs after the commit.
	after []string
}

var engines = map[string]engine{
	"SQLite": {
		// The source satisfies the foreign keys, and the pool is closed afterwards.
		prepare: []string{`PRAGMA foreign_keys = 0`, `PRAGMA cache_size = -131072`},
		begin:   []string{`BEGIN IMMEDIATE`},
		indexes: `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`,
		put:     insert,
	},
	"PostgreSQL": {
		begin: []string{`BEGIN`, `SET LOCAL maintenance_work_mem = '256MB'`},
		indexes: `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
			JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind = 'r' AND NOT EXISTS (SELECT 1 FROM pg_constraint k
			WHERE k.conindid = i.indexrelid)`,
		put:   copyIn,
		after: []string{`VACUUM (ANALYZE)`}, // the planner needs statistics, and index-only scans the visibility map
	},
}

// seeded tables have rows in a new catalog.
var seeded = []string{"counters", "settings"}

// fill writes all tables in one transaction and creates their indexes at the end. The target stays
// marked as unfinished.
func (w *work) fill(ctx context.Context, source querier, tables []table) error {
	again, err := unfinished(ctx, w.to.Read)
	if err != nil {
		return err
	}
	if !again {
		if err := rejectUsed(ctx, w.to.Read, tables); err != nil {
			return err
		}
		if err := w.to.MarkUnfinished(ctx); err != nil {
			return err
		}
	}
	conn, err := w.to.Write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open the target: %w", err)
	}
	defer conn.Close()
	e := engines[w.to.Engine]
	if err := run(ctx, conn, slices.Concat(e.prepare, e.begin)); err != nil {
		return err
	}
	if err := w.fillWithin(ctx, conn, e, source, tables); err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) // the first error is the one that counts
		return err
	}
	return run(ctx, conn, append([]string{`COMMIT`}, e.after...))
}

func (w *work) fillWithin(ctx context.Context, conn *sql.Conn, e engine, source querier, tables []table) error {
	// A marked database contains the rows of a new catalog, or of a move that was not compared.
	for _, t := range slices.Backward(tables) {
		if err := run(ctx, conn, []string{`DELETE FROM ` + t.name + where(t)}); err != nil {
			return err
		}
	}
	definitions, err := dropIndexes(ctx, conn, e)
	if err != nil {
		return err
	}
	for _, t := range tables {
		from, err := w.open(ctx, source, t, w.to.Engine)
		if err != nil {
			return w.from.Explain(err)
		}
		err = e.put(ctx, conn, t, from)
		if reading := from.close(); reading != nil {
			return w.from.Explain(reading) // the cause of err
		}
		if err != nil {
			return fmt.Errorf("fill %s: %w", t.name, err)
		}
		w.copied = append(w.copied, from.report())
	}
	return run(ctx, conn, definitions)
}

// run executes statements one after the other.
func run(ctx context.Context, conn *sql.Conn, statements []string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
	}
	return nil
}

// rejectUsed returns a Conflict fault if the target is not empty.
func rejectUsed(ctx context.Context, q querier, tables []table) error {
	for _, t := range tables {
		if slices.Contains(seeded, t.name) {
			continue
		}
		var used bool
		if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+t.name+`)`).Scan(&used); err != nil {
			return fmt.Errorf("check that %s is empty: %w", t.name, err)
		}
		if used {
			return fault.New(fault.Conflict,
				"the target is not empty: its table %s has rows; use a new database or an empty catalog", t.name)
		}
	}
	return nil
}

// dropIndexes drops the indexes and returns the statements that create them again.
func dropIndexes(ctx context.Context, conn *sql.Conn, e engine) (definitions []string, err error) {
	found, err := conn.QueryContext(ctx, e.indexes)
	if err != nil {
		return nil, fmt.Errorf("list the indexes: %w", err)
	}
	defer found.Close()
	var drop []string
	for found.Next() {
		var name, definition string
		if err := found.Scan(&name, &definition); err != nil {
			return nil, fmt.Errorf("list the indexes: %w", err)
		}
		drop, definitions = append(drop, `DROP INDEX `+name), append(definitions, definition)
	}
	if err := found.Err(); err != nil {
		return nil, fmt.Errorf("list the indexes: %w", err)
	}
	if err := found.Close(); err != nil {
		return nil, fmt.Errorf("list the indexes: %w", err)
	}
	return definitions, run(ctx, conn, drop)
}

// insert writes rows into SQLite with a prepared statement.
func insert(ctx context.Context, conn *sql.Conn, t table, from *rows) error {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", ")
	statement, err := conn.PrepareContext(ctx, `INSERT INTO `+t.name+` (`+strings.Join(t.names(), ", ")+`)
		VALUES (`+marks+`)`)
	if err != nil {
		return err
	}
	defer statement.Close()
	for from.Next() {
		if _, err := statement.ExecContext(ctx, from.values...); err != nil {
			return err
		}
	}
	return nil
}
