package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"waxwing/internal/fault"
)

// dialect is all that differs between the engines.
type dialect struct {
	title      string
	folder     string // of its migrations
	goose      goose.Dialect
	versionSQL string
	open       func(db string) (write, read *sql.DB, err error)
	bound      func(db string) string // the same database, with statements that end in time
	limited    bool                   // its connections are counted
	// rowsAtOnce is how many rows one INSERT takes best: inside the process parsing costs most,
	// over the network the round trips do.
	rowsAtOnce int
	// relax makes the next transactions of conn return before they have reached the disk, until
	// restore is called.
	relax func(ctx context.Context, conn *sql.Conn) (restore func(), err error)
	// tied reports whether the engine ended a transaction in favour of another one.
	tied func(error) bool
	// Search: how a row of words is written, how the number and a column of rows are looked for ($1
	// an expression, $2 a limit), and how an expression is written.
	indexSQL            func(table string) string
	searchSQL           func(table, column string) string
	searchTerm          func(word string, prefix bool) string
	searchAnd, searchOr string
	// blocksSQL looks for songs in the blocks of numbers $3, olderSQL for those below the number $3.
	// Empty: the engine finds the newest by itself.
	blocksSQL, olderSQL string
	// heated is the table of songs by its index of those that were played. SQLite must be told to
	// take it; PostgreSQL finds out.
	heated string
	// among is what a column satisfies that is one of the numbers of parameter $1, as list writes
	// them: one text for any count of numbers, so that an engine need not read a new one each time.
	among func(column string) string
	list  func(nums []int64) string
	// wordCountSQL selects about how many words there are and whether they can be found by their
	// trigrams. Empty: they are always held in memory.
	wordCountSQL string
	// away says in a sentence that the engine could not be reached or could not take the work now, if
	// that is what an error means; else it is empty.
	away func(error) string
	// announce tells other servers of a change, when it commits. Nil: the engine has other ways.
	announce func(ctx context.Context, t *tx, payload string) error
	// follow calls stir whenever another process may have changed the catalog, until ctx is done.
	follow func(s *Store, ctx context.Context)
	// slowLook is how often to look for changes that nobody told of, and fold how long to wait
	// after a look, so that many changes at once cost one.
	slowLook, fold time.Duration
	// patience is how long to wait for a small answer before the database counts as away.
	patience time.Duration
	// rowLock ends a SELECT whose rows nobody else may change before the transaction ends.
	rowLock string
}

func dialectOf(db string) (dialect, error) {
	switch {
	case strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://"):
		return postgresDialect, nil
	case strings.Contains(db, "://") || isKeywordDSN(db) || hasPostgresScheme(db):
		return dialect{}, fault.New(fault.Invalid, "the database is a file, or a PostgreSQL database by its URL: postgres://USER@HOST/NAME")
	case db == "":
		return dialect{}, fault.New(fault.Invalid, "no database was named")
	}
	return sqliteDialect, nil
}

// explain turns an engine's error into one that says who must act.
func (d dialect) explain(err error) error {
	if kind, _ := fault.Of(err); err == nil || kind != fault.Internal {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	sentence := d.away(err)
	if sentence == "" && errors.Is(err, context.DeadlineExceeded) {
		sentence = databaseAway
	}
	if sentence == "" {
		return err
	}
	return fault.Wrap(fault.Unavailable, err, "%s", sentence)
}

const databaseAway = "the catalog's database is away; try again in a moment"

// mapped is how much of a SQLite file each connection sees through the page cache of the system.
// Some of it must be mapped always: readers that copy pages share one lock inside the engine. Not
// all of it may be: a mapped page counts as memory of ours, once for each connection.
const mapped = 8 << 20

var sqliteDialect = dialect{
	title:      "SQLite",
	folder:     "migrations/sqlite",
	goose:      goose.DialectSQLite3,
	versionSQL: `SELECT sqlite_version()`,
	open:       openSQLite,
	bound:      func(db string) string { return db }, // nobody else can hold it up
	rowsAtOnce: 1,
	relax: func(ctx context.Context, conn *sql.Conn) (func(), error) {
		if _, err := conn.ExecContext(ctx, `PRAGMA synchronous = NORMAL`); err != nil {
			return nil, fmt.Errorf("relax the writer: %w", err)
		}
		return func() { // the connection outlives ctx
			_, _ = conn.ExecContext(context.Background(), `PRAGMA synchronous = FULL`)
		}, nil
	},
	tied:     func(error) bool { return false }, // one writer at a time
	follow:   (*Store).watchFile,
	slowLook: 30 * time.Second,
	patience: 10 * time.Second, // it is here; if it is slow, so is the machine
	fold:     100 * time.Millisecond,
	indexSQL: func(table string) string { return `INSERT INTO ` + table + ` (rowid, words) VALUES ($1, $2)` },
	searchSQL: func(table, column string) string {
		return `SELECT rowid, ` + column + ` FROM ` + table + ` WHERE ` + table + ` MATCH $1 ORDER BY rowid DESC LIMIT $2`
	},
	searchTerm: func(word string, prefix bool) string {
		if prefix {
			return `"` + word + `" *`
		}
		return `"` + word + `"`
	},
	searchAnd: " AND ", searchOr: " OR ",
	heated: `songs INDEXED BY songs_heated`,
	among:  func(column string) string { return column + ` IN (SELECT value FROM json_each($1))` },
	list:   func(nums []int64) string { return "[" + joined(nums) + "]" },
	away:   sqliteAway,
}

func sqliteAway(err error) string {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return databaseAway
	case sqlite3.SQLITE_FULL:
		return "the disk of the catalog's database is full"
	case sqlite3.SQLITE_READONLY:
		return "the catalog's database cannot be written to: check its disk and its permissions"
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return "the catalog's database cannot be read or written now: check its disk and its permissions"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB: // SQLite says the first also when the disk failed to read
		return "the catalog's database cannot be read: its disk fails, or the file is damaged and a backup must be restored"
	}
	return ""
}

// pragmas of every SQLite connection; the reader's and the writer's own come after them.
func sqlitePragmas() []string {
	return []string{
		"busy_timeout(10000)",
		"journal_mode(wal)",
		"synchronous(full)",
		fmt.Sprintf("mmap_size(%d)", mapped),
		"foreign_keys(1)",
		"temp_store(memory)",
		"journal_size_limit(67108864)",
		// A scan changes the same pages of an index again and again: the later they leave the log, the fewer writes and syncs.
		"wal_autocheckpoint(4000)",
	}
}

// readers is how many connections read at once. More of them than this would wait for the
// processors anyway, each with a page cache of its own.
func readers() int { return max(4, min(8, runtime.NumCPU())) }

func openSQLite(path string) (write, read *sql.DB, err error) {
	dsn := func(own ...string) string {
		q := url.Values{"_pragma": append(sqlitePragmas(), own...), "_txlock": {"immediate"}}
		return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
	}
	keepPrivate(path)
	if write, err = sql.Open("sqlite", dsn("cache_size(-16384)")); err != nil {
		return nil, nil, err
	}
	if read, err = sql.Open("sqlite", dsn("cache_size(-2048)", "query_only(1)")); err != nil {
		_ = write.Close()
		return nil, nil, err
	}
	write.SetMaxOpenConns(1)
	read.SetMaxOpenConns(readers())
	read.SetMaxIdleConns(readers())
	return write, read, nil
}

var postgresDialect = dialect{
	title:      "PostgreSQL",
	folder:     "migrations/postgres",
	goose:      goose.DialectPostgres,
	versionSQL: `SHOW server_version`,
	rowsAtOnce: 500,
	open:       openPostgres,
	bound:      boundPostgres,
	limited:    true,
	relax:      func(context.Context, *sql.Conn) (func(), error) { return func() {}, nil },
	indexSQL: func(table string) string {
		return `INSERT INTO ` + table + ` (rowid, words, terms) VALUES ($1, $2, array_to_tsvector(array_remove(string_to_array($2, ' '), '')))`
	},
	searchSQL: func(table, column string) string {
		return newestSQL(table, column, "TRUE")
	},
	searchTerm: func(word string, prefix bool) string {
		if prefix {
			return `'` + word + `':*`
		}
		return `'` + word + `'`
	},
	searchAnd: " & ", searchOr: " | ",
	blocksSQL:    newestSQL("song_search", "words", `ARRAY[rowid >> 16] && CAST($3 AS BIGINT[])`),
	olderSQL:     newestSQL("song_search", "words", `rowid < $3`),
	heated:       `songs`,
	among:        func(column string) string { return column + ` = ANY (CAST($1 AS BIGINT[]))` },
	list:         func(nums []int64) string { return "{" + joined(nums) + "}" },
	wordCountSQL: `SELECT greatest(reltuples, 0)::bigint, to_regproc('similarity') IS NOT NULL FROM pg_class WHERE oid = 'words'::regclass`,
	tied:         func(err error) bool { return errors.Is(err, errTied) || isCode(err, "40001", "40P01") },
	away:         postgresAway,
	announce: func(ctx context.Context, t *tx, payload string) error {
		_, err := t.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
		return err
	},
	follow:   (*Store).listen,
	slowLook: 10 * time.Second,
	patience: 2 * time.Second,
	fold:     20 * time.Millisecond,
	rowLock:  " FOR UPDATE",
}

// newestSQL looks for rows that satisfy a condition, newest first. Without the fence PostgreSQL's
// planner walks all rows backwards in the hope to meet enough soon.
func newestSQL(table, column, condition string) string {
	return `WITH hit AS MATERIALIZED (SELECT rowid, ` + column + ` AS found FROM ` + table + ` WHERE terms @@ CAST($1 AS tsquery) AND ` + condition + `)
		SELECT rowid, found FROM hit ORDER BY rowid DESC LIMIT $2`
}
