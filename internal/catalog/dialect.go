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

// dialect holds the differences between the engines.
type dialect struct {
	title      string
	folder     string // of its migrations
	goose      goose.Dialect
	versionSQL string
	open       func(db string) (write, read *sql.DB, err error)
	// withTimeouts returns the same database with a timeout for every statement.
	withTimeouts func(db string) string
	limited      bool // Config.Connections applies
	// rowsAtOnce is the best number of rows for one INSERT. In SQLite parsing is the cost, in
	// PostgreSQL the round trips are.
	rowsAtOnce int
	// relax lets transactions of conn return before they are on the disk, until restore is called.
	relax func(ctx context.Context, conn *sql.Conn) (restore func(), err error)
	// isConflict reports whether the engine aborted a transaction in favour of another.
	isConflict func(error) bool
	// searchSQL selects the number and a column of the rows that match expression $1, at most $2. The
	// others build an expression.
	searchSQL           func(table, column string) string
	searchTerm          func(word string, prefix bool) string
	searchAnd, searchOr string
	// blocksSQL searches the songs in the blocks of numbers $3, olderSQL those below number $3.
	// Empty: searchSQL is fast enough at finding the newest.
	blocksSQL, olderSQL string
	// heated is the table songs with a hint for SQLite to use the index of played songs.
	heated string
	// among is the condition that a column is one of the numbers in parameter $1, which list encodes.
	// The text does not depend on how many there are, so the engine parses it once.
	among func(column string) string
	list  func(nums []int64) string
	// position is the place of a text in a column, 0 if it is not there.
	position func(column, text string) string
	// tail is the last bytes of a column with bytes, in hex.
	tail func(column string) string
	// wordCountSQL selects the estimated number of words and whether trigram search is available.
	// Empty: the vocabulary is always in memory.
	wordCountSQL string
	// unavailable returns a message if err means that the engine is unreachable or cannot work now,
	// and "" otherwise.
	unavailable func(error) string
	// announce notifies other servers when the change commits. Nil: they watch the file.
	announce func(ctx context.Context, t *tx, payload string) error
	// follow calls requestPoll when another process may have changed the catalog, until ctx is done.
	follow func(s *Store, ctx context.Context)
	// idlePoll is the poll interval while changes are reported, debounce the pause after a poll.
	idlePoll, debounce time.Duration
	// timeout of a small query, after which the database counts as unavailable.
	timeout time.Duration
	// claimWriter and yieldWriter let urgent changes of one process go before ordinary ones of
	// another.
	claimWriter func(file string) (release func())
	yieldWriter func(ctx context.Context, file string)
	// rowids reports that the column num of a table is its rowid: see ordered.
	rowids bool
	// rowLock ends a SELECT that locks its rows until the end of the transaction.
	rowLock string
}

func dialectOf(db string) (dialect, error) {
	switch {
	case strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://"):
		return postgresDialect, nil
	case strings.Contains(db, "://") || isKeywordDSN(db) || hasPostgresScheme(db):
		return dialect{}, fault.New(fault.Invalid,
			"the database must be a file or a PostgreSQL URL: postgres://USER@HOST/NAME")
	case db == "":
		return dialect{}, fault.New(fault.Invalid, "no database is configured")
	}
	return sqliteDialect, nil
}

// explain converts an engine's error to a fault that says who must act.
func (d dialect) explain(err error) error {
	if kind, _ := fault.Of(err); err == nil || kind != fault.Internal {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	message := d.unavailable(err)
	if message == "" && errors.Is(err, context.DeadlineExceeded) {
		message = databaseUnavailable
	}
	if message == "" {
		return err
	}
	return fault.Wrap(fault.Unavailable, err, "%s", message)
}

const databaseUnavailable = "the catalog's database is unavailable; try again later"

// mmapSize is how much of the SQLite file each connection maps. Without a mapping, readers that
// copy pages contend for a lock inside the engine; a large mapping counts as memory of this
// process, once per connection.
const mmapSize = 8 << 20

// tailBytes is the length of a tail: that of the longest extension of a file.
const tailBytes = "9"

var sqliteDialect = dialect{
	title:        "SQLite",
	folder:       "migrations/sqlite",
	goose:        goose.DialectSQLite3,
	versionSQL:   `SELECT sqlite_version()`,
	open:         openSQLite,
	rowsAtOnce:   1,
	rowids:       true,
	withTimeouts: func(db string) string { return db },
	relax: func(ctx context.Context, conn *sql.Conn) (func(), error) {
		if _, err := conn.ExecContext(ctx, `PRAGMA synchronous = NORMAL`); err != nil {
			return nil, fmt.Errorf("relax the writer: %w", err)
		}
		return func() { // ctx may be done
			_, _ = conn.ExecContext(context.Background(), `PRAGMA synchronous = FULL`)
		}, nil
	},
	isConflict: func(error) bool { return false }, // one writer at a time
	follow:     (*Store).watchFile,
	// See writer.go.
	claimWriter: claimWriter,
	yieldWriter: yieldWriter,
	idlePoll:    30 * time.Second,
	timeout:     10 * time.Second, // a local file: only a slow machine makes it slow
	debounce:    100 * time.Millisecond,
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
	heated:      `songs INDEXED BY songs_heated`,
	among:       func(column string) string { return column + ` IN (SELECT value FROM json_each($1))` },
	list:        func(nums []int64) string { return "[" + joined(nums) + "]" },
	position:    func(column, text string) string { return "instr(" + column + ", " + text + ")" },
	tail:        func(column string) string { return "hex(substr(" + column + ", -" + tailBytes + "))" },
	unavailable: sqliteUnavailable,
}

func sqliteUnavailable(err error) string {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return databaseUnavailable
	case sqlite3.SQLITE_FULL:
		return "the disk of the catalog's database is full"
	case sqlite3.SQLITE_READONLY:
		return "cannot write to the catalog's database: check its disk and its permissions"
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return "cannot read or write the catalog's database: check its disk and its permissions"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB: // SQLite reports read errors as CORRUPT, too
		return "cannot read the catalog's database: check its disk, or restore a backup if the file is damaged"
	}
	return ""
}

// sqlitePragmas are common to the connections of the reader and the writer.
func sqlitePragmas() []string {
	return []string{
		"busy_timeout(10000)",
		"journal_mode(wal)",
		"synchronous(full)",
		fmt.Sprintf("mmap_size(%d)", mmapSize),
		"foreign_keys(1)",
		"temp_store(memory)",
		"journal_size_limit(67108864)",
		// A scan changes the same index pages often: late checkpoints write and sync them less.
		"wal_autocheckpoint(4000)",
	}
}

// readers is the number of reading connections. More would wait for the processors, and each has a
// page cache of its own.
func readers() int { return max(4, min(8, runtime.NumCPU())) }

func openSQLite(path string) (write, read *sql.DB, err error) {
	dsn := func(own ...string) string {
		q := url.Values{"_pragma": append(sqlitePragmas(), own...), "_txlock": {"immediate"}}
		return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
	}
	makePrivate(path)
	open := func(own ...string) *sql.DB {
		return sql.OpenDB(patientConnector{driver: &sqlite.Driver{}, dsn: dsn(own...)})
	}
	write, read = open("cache_size(-16384)"), open("cache_size(-2048)", "query_only(1)")
	write.SetMaxOpenConns(1)
	read.SetMaxOpenConns(readers())
	read.SetMaxIdleConns(readers())
	return write, read, nil
}

var postgresDialect = dialect{
	title:        "PostgreSQL",
	folder:       "migrations/postgres",
	goose:        goose.DialectPostgres,
	versionSQL:   `SHOW server_version`,
	rowsAtOnce:   500,
	open:         openPostgres,
	limited:      true,
	withTimeouts: postgresTimeouts,
	relax:        func(context.Context, *sql.Conn) (func(), error) { return func() {}, nil },
	// PostgreSQL serves the writers of all servers in the order of arrival.
	claimWriter: func(string) func() { return func() {} },
	yieldWriter: func(context.Context, string) {},
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
	blocksSQL: newestSQL("song_search", "words", `ARRAY[rowid >> 16] && CAST($3 AS BIGINT[])`),
	olderSQL:  newestSQL("song_search", "words", `rowid < $3`),
	heated:    `songs`,
	among:     func(column string) string { return column + ` = ANY (CAST($1 AS BIGINT[]))` },
	list:      func(nums []int64) string { return "{" + joined(nums) + "}" },
	position:  func(column, text string) string { return "strpos(" + column + ", " + text + ")" },
	tail: func(column string) string {
		return "encode(substr(" + column + ", greatest(1, length(" + column + ") - " + tailBytes + " + 1)), 'hex')"
	},
	wordCountSQL: `SELECT greatest(reltuples, 0)::bigint, to_regproc('similarity') IS NOT NULL FROM pg_class
		WHERE oid = 'words'::regclass`,
	isConflict:  func(err error) bool { return errors.Is(err, errConflict) || isCode(err, "40001", "40P01") },
	unavailable: postgresUnavailable,
	announce: func(ctx context.Context, t *tx, payload string) error {
		_, err := t.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
		return err
	},
	follow:   (*Store).listen,
	idlePoll: 10 * time.Second,
	timeout:  2 * time.Second,
	debounce: 20 * time.Millisecond,
	rowLock:  " FOR UPDATE",
}

// newestSQL selects matching rows that satisfy a condition, newest first. Without MATERIALIZED the
// planner scans all rows backwards.
func newestSQL(table, column, condition string) string {
	return `WITH hit AS MATERIALIZED (SELECT rowid, ` + column + ` AS found FROM ` + table + `
		WHERE terms @@ CAST($1 AS tsquery) AND ` + condition + `)
		SELECT rowid, found FROM hit ORDER BY rowid DESC LIMIT $2`
}
