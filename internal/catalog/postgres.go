package catalog

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"waxwing/internal/fault"
)

type notification = pgconn.Notification

const (
	connectTime    = 3 * time.Second  // to reach PostgreSQL, unless the URL says otherwise
	connectionLife = 30 * time.Minute // then it is replaced: so load follows a database that was moved or grown
)

// postgresConnections is how many a server opens at most, unless it is told otherwise. More of them
// than a few for each processor only queue inside the database.
func postgresConnections() int { return max(8, 4*runtime.NumCPU()) }

// postgresConfig reads a URL. What it says wins over our defaults.
func postgresConfig(dsn string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil || RedactDSN(dsn) == hidden("postgres") || RedactDSN(dsn) == hidden("postgresql") {
		return nil, unreadable(dsn)
	}
	if !strings.Contains(dsn, "connect_timeout") {
		cfg.ConnectTimeout = connectTime
	}
	// Both sides find out in seconds that a silent machine is gone: the database ends its sessions,
	// and with them its locks.
	for name, value := range map[string]string{
		"application_name": "waxwing", "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3",
	} {
		if _, said := cfg.RuntimeParams[name]; !said {
			cfg.RuntimeParams[name] = value
		}
	}
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}}
	cfg.DialFunc = dialer.DialContext
	return cfg, nil
}

// unreadable says what may be wrong with a URL, in none of its words: the driver's own text would show a password.
func unreadable(dsn string) error {
	if u, err := url.Parse(dsn); err == nil && RedactDSN(dsn) != hidden(u.Scheme) {
		return fault.New(fault.Invalid, "the postgres:// URL cannot be read: check its port, its sslmode and what else follows the ?")
	}
	return fault.New(fault.Invalid, "the postgres:// URL cannot be read: percent-encode what is special in its user name and password"+
		" (%%25 for %%, %%2F for /, %%3F for ?, %%23 for #, %%40 for @, %%20 for a space)")
}

func openPostgres(dsn string) (write, read *sql.DB, err error) {
	cfg, err := postgresConfig(dsn)
	if err != nil {
		return nil, nil, err
	}
	write, read = stdlib.OpenDB(*cfg), stdlib.OpenDB(*cfg)
	write.SetConnMaxLifetime(connectionLife)
	read.SetConnMaxLifetime(connectionLife)
	// All changes meet in the row of the revision, so several writers of one server would only queue
	// in the database, each with locks that hold up the other servers.
	limitConnections(write, 1)
	limitConnections(read, postgresConnections()-1)
	return write, read, nil
}

// stalledAfter is how long a change may be silent before the database ends it: a server that has
// stalled, or is cut off, must not hold up what others write.
const stalledAfter = 3 * time.Second

// postgresTimeouts makes the database cancel statements that the server no longer waits for.
func postgresTimeouts(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn
	}
	q := u.Query()
	for param, limit := range map[string]time.Duration{"statement_timeout": changeTime, "idle_in_transaction_session_timeout": stalledAfter} {
		if !q.Has(param) {
			q.Set(param, strconv.FormatInt(limit.Milliseconds(), 10))
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func limitConnections(db *sql.DB, n int) {
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
}

func isCode(err error, codes ...string) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if strings.HasPrefix(e.Code, code) {
			return true
		}
	}
	return false
}

// postgresUnavailable has one sentence for whatever ails a server: its operator reads its own log.
func postgresUnavailable(err error) string {
	if unreachable(err) {
		return databaseUnavailable
	}
	return ""
}

// unreachable reports whether the server could not be reached or could not take the work now.
func unreachable(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return isCode(err,
			"08",             // the connection broke
			"53",             // out of connections, memory or disk
			"57P",            // it is shutting down, or starting
			"57014",          // the statement took too long
			"25P03",          // the change stalled
			"55P03",          // so did the wait for a lock
			"25006",          // it is a replica that cannot write, for instance after a switch-over
			"40001", "40P01", // it broke a tie against us again and again
		)
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) ||
		pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed")
}
