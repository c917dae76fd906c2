package move

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/fault"
)

// engine is how one kind of database is filled.
type engine struct {
	// prepare are statements before the transaction, begin opens it.
	prepare []string
	begin   []string
	// indexes selects name and definition of the indexes that no constraint needs.
	indexes string
	put     func(ctx context.Context, conn *sql.Conn, t table, from *rows) error
	// after are statements that follow once everything is committed.
	after []string
}

var engines = map[string]engine{
	"SQLite": {
		// Parents and children come out of one whole catalog, and the pool is closed afterwards.
		prepare: []string{`PRAGMA foreign_keys = 0`, `PRAGMA cache_size = -131072`},
		begin:   []string{`BEGIN IMMEDIATE`},
		indexes: `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`,
		put:     insert,
	},
	"PostgreSQL": {
		begin: []string{`BEGIN`, `SET LOCAL maintenance_work_mem = '256MB'`},
		indexes: `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
			JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind = 'r' AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)`,
		put:   copyIn,
		after: []string{`VACUUM (ANALYZE)`}, // until then the planner takes the tables for empty, and no index is enough by itself
	},
}

// seeded tables have rows in a catalog that nobody has used yet.
var seeded = []string{"counters", "settings"}

// fill writes all tables in one transaction, without their indexes, which are made at the end: it
// leaves everything or nothing, and the mark that servers refuse.
func (w *work) fill(ctx context.Context, source querier, tables []table) error {
	again, err := unfinished(ctx, w.to.Read)
	if err != nil {
		return err
	}
	if !again {
		if err := refuseUsed(ctx, w.to.Read, tables); err != nil {
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
	// A database that is marked holds what it was made with, or all of a move that ended before it
	// was compared.
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
			return w.from.Explain(reading) // the cause of whatever the writer says
		}
		if err != nil {
			return fmt.Errorf("fill %s: %w", t.name, err)
		}
		w.carried = append(w.carried, from.report())
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

// refuseUsed refuses a target that somebody has used.
func refuseUsed(ctx context.Context, q querier, tables []table) error {
	for _, t := range tables {
		if slices.Contains(seeded, t.name) {
			continue
		}
		var used bool
		if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+t.name+`)`).Scan(&used); err != nil {
			return fmt.Errorf("look into %s: %w", t.name, err)
		}
		if used {
			return fault.New(fault.Conflict, "the target is not empty: there are rows in its table %s; a catalog can only be moved into a database that nobody has used yet", t.name)
		}
	}
	return nil
}

// dropIndexes returns the statements by which they are made again.
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

// insert writes rows into SQLite by one statement that is parsed once.
func insert(ctx context.Context, conn *sql.Conn, t table, from *rows) error {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", ")
	statement, err := conn.PrepareContext(ctx, `INSERT INTO `+t.name+` (`+strings.Join(t.names(), ", ")+`) VALUES (`+marks+`)`)
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
