package move

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// kind is the type of a column, independent of the engine.
type kind byte

const (
	integer kind = 'i'
	real    kind = 'r'
	text    kind = 't'
	blob    kind = 'b'
)

// kinds are the column types of our migrations. Others are errors.
var kinds = map[string]kind{
	"INTEGER": integer, "REAL": real, "TEXT": text, "BLOB": blob,
	"bigint": integer, "integer": integer, "double precision": real, "text": text, "bytea": blob,
}

type column struct {
	name string
	kind kind
}

// table describes a table to copy. Its columns are sorted by name.
type table struct {
	name    string
	columns []column
	// derived columns are computed by the target from the copied ones.
	derived []string
	// numbered is whether num comes from a sequence, which must be advanced.
	numbered bool
}

func (t table) names() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// derivations are the expressions for columns that only PostgreSQL has.
var derivations = map[string]string{
	"terms": `array_to_tsvector(array_remove(string_to_array(words, ' '), ''))`,
}

// own tables describe their database, not the catalog.
var own = []string{"goose_db_version"}

// readTables reads the tables from the schema, so that new tables need no change here.
func readTables(ctx context.Context, p catalog.Raw) (map[string]table, error) {
	query := `SELECT m.name, c.name, c.type, 0 FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
		WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND c.hidden = 0
		AND m.name NOT IN (SELECT v.name || s.suffix FROM sqlite_schema v JOIN
			(SELECT '_data' AS suffix UNION ALL SELECT '_idx' UNION ALL SELECT '_content' UNION ALL SELECT '_docsize' UNION ALL
			SELECT '_config') s
			WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%') AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~'
		UNION ALL SELECT m.name, c.name, 'TEXT', 0 FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
		WHERE m.type = 'table' AND m.sql LIKE 'CREATE VIRTUAL TABLE%' AND c.hidden = 0
		UNION ALL SELECT m.name, 'rowid', 'INTEGER', 0 FROM sqlite_schema m WHERE m.type = 'table'
		AND m.sql LIKE 'CREATE VIRTUAL TABLE%'`
	if p.Engine == "PostgreSQL" {
		query = `SELECT c.table_name, c.column_name, c.data_type, CASE WHEN c.is_identity = 'YES' THEN 1 ELSE 0 END
			FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema
			AND t.table_name = c.table_name
			WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'`
	}
	rows, err := p.Read.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer rows.Close()
	tables := make(map[string]table)
	for rows.Next() {
		var name, columnName, declared string
		var sequence bool
		if err := rows.Scan(&name, &columnName, &declared, &sequence); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		if slices.Contains(own, name) {
			continue
		}
		t := tables[name]
		t.name = name
		t.numbered = t.numbered || sequence
		kind, known := kinds[declared]
		switch {
		case known:
			t.columns = append(t.columns, column{columnName, kind})
		case derivations[columnName] != "":
			t.derived = append(t.derived, columnName)
		default:
			return nil, fault.New(fault.Conflict, "cannot move column %s of table %s: unknown type %s", columnName, name,
				declared)
		}
		tables[name] = t
	}
	for _, t := range tables {
		slices.SortFunc(t.columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
	}
	return tables, rows.Err()
}

// parents are filled first, because other tables refer to their rows.
var parents = []string{"users", "playlists"}

// common returns the tables of the target in the order in which they are filled. Both databases
// must have the same tables and columns.
func common(from, to map[string]table) ([]table, error) {
	differ := func(name string) error {
		return fault.New(fault.Conflict, "table %s differs between the databases: one of them is not a catalog of this "+
			"release", name)
	}
	for name := range from {
		if _, ok := to[name]; !ok {
			return nil, differ(name)
		}
	}
	var tables []table
	for name, t := range to {
		if !slices.Equal(t.columns, from[name].columns) {
			return nil, differ(name)
		}
		tables = append(tables, t)
	}
	rank := func(t table) int {
		if i := slices.Index(parents, t.name); i >= 0 {
			return i
		}
		return len(parents)
	}
	slices.SortFunc(tables, func(a, b table) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	return tables, nil
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// snapshot returns a connection with a transaction that reads one snapshot of the database, until
// release is called.
func snapshot(ctx context.Context, p catalog.Raw) (q querier, release func(), err error) {
	conn, err := p.Read.Conn(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("begin a snapshot: %w", err)
	}
	begin := `BEGIN` // SQLite takes the snapshot at the first read
	if p.Engine == "PostgreSQL" {
		begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		_ = conn.Close() // err is the cause
		return nil, nil, fmt.Errorf("begin a snapshot: %w", err)
	}
	return conn, func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) // nothing was written
		_ = conn.Close()                                                // likewise
	}, nil
}

// unfinished reports whether a move into this database did not finish.
func unfinished(ctx context.Context, q querier) (bool, error) {
	var n int
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM settings WHERE name = 'unfinished'`).Scan(&n); err != nil {
		return false, fmt.Errorf("check for an unfinished move: %w", err)
	}
	return n > 0, nil
}

func count(ctx context.Context, q querier, t table) (n int64, err error) {
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM `+t.name+where(t)).Scan(&n); err != nil {
		return 0, fmt.Errorf("count %s: %w", t.name, err)
	}
	return n, nil
}

// where excludes the settings that are not copied.
func where(t table) string {
	if t.name != "settings" {
		return ""
	}
	return ` WHERE name NOT IN ('` + strings.Join(catalog.OwnSettings(), `', '`) + `')`
}
