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
	connectionLife = 30 * time.Minute // then it is replaced, so that load follows a moved database
)

// postgresConnections is the default limit of connections. More would only queue in the database.
func postgresConnections() int { return max(8, 4*runtime.NumCPU()) }

// postgresConfig parses a URL. Its parameters override our defaults.
func postgresConfig(dsn string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil || RedactDSN(dsn) == redacted("postgres") || RedactDSN(dsn) == redacted("postgresql") {
		return nil, unreadable(dsn)
	}
	if !strings.Contains(dsn, "connect_timeout") {
		cfg.ConnectTimeout = connectTime
	}
	// Both sides detect a dead peer within seconds: the database ends its sessions and their locks.
	for name, value := range map[string]string{
		"application_name":    "waxwing",
		"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3",
	} {
		if _, set := cfg.RuntimeParams[name]; !set {
			cfg.RuntimeParams[name] = value
		}
	}
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3,
	}}
	cfg.DialFunc = dialer.DialContext
	return cfg, nil
}

// unreadable is the fault for a malformed URL. It repeats no part of the URL, because the driver's
// message may contain a password.
func unreadable(dsn string) error {
	if u, err := url.Parse(dsn); err == nil && RedactDSN(dsn) != redacted(u.Scheme) {
		return fault.New(fault.Invalid, "cannot parse the postgres:// URL: check its port, its sslmode and the other "+
			"parameters after the ?")
	}
	return fault.New(fault.Invalid, "cannot parse the postgres:// URL: percent-encode special characters in its user "+
		"name and password"+
		" (%%25 for %%, %%2F for /, %%3F for ?, %%23 for #, %%40 for @, %%20 for a space)")
}

func openPostgres(dsn string) (write, read *sql.DB, err error) {
	cfg, err := postgresConfig(dsn)
	if err != nil {
		return nil, nil, err
	}
	write, read = openPool(cfg), openPool(cfg)
	// All changes update the revision's row, so several writers of one server would only queue in the
	// database and block the other servers with their locks.
	limitConnections(write, 1)
	limitConnections(read, postgresConnections()-1)
	return write, read, nil
}

func openPool(cfg *pgx.ConnConfig) *sql.DB {
	pool := stdlib.OpenDB(*cfg)
	pool.SetConnMaxLifetime(connectionLife)
	return pool
}

// stalledAfter is how long a change may be idle before the database aborts it, so that a stalled or
// disconnected server does not block the others.
const stalledAfter = 3 * time.Second

// postgresTimeouts makes the database cancel statements that the server no longer waits for.
func postgresTimeouts(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn
	}
	q := u.Query()
	for param, limit := range map[string]time.Duration{"statement_timeout": changeTime,
		"idle_in_transaction_session_timeout": stalledAfter} {
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

// postgresUnavailable returns one message for all failures; the database's own log has the details.
func postgresUnavailable(err error) string {
	if unreachable(err) {
		return databaseUnavailable
	}
	return ""
}

// unreachable reports whether the server is unreachable or cannot work now.
func unreachable(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return isCode(err,
			"08",             // the connection broke
			"53",             // out of connections, memory or disk
			"57P",            // it is shutting down, or starting
			"57014",          // the statement took too long
			"25P03",          // the change stalled
			"55P03",          // the wait for a lock took too long
			"25006",          // it is a read-only replica, for instance after a failover
			"40001", "40P01", // conflicts with other changes, several times
		)
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) ||
		pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed")
}
