package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// member is a `waxwing catalog` process of a cluster. It keeps its address across restarts.
type member struct {
	t    *testing.T
	name string
	home string
	addr string
	db   string
	cmd  *exec.Cmd
	log  *testenv.Buffer

	errors []string // errors in the logs of earlier processes
}

func newMember(t *testing.T, name, db string) *member {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	m := &member{t: t, name: name, home: t.TempDir(), addr: ln.Addr().String(), db: db}
	t.Cleanup(func() {
		m.kill()
		if t.Failed() {
			t.Logf("errors of %s:\n%s", m.name, strings.Join(m.errors, "\n"))
			if m.log != nil {
				lines := strings.Split(m.log.String(), "\n")
				t.Logf("end of its log:\n%s", strings.Join(lines[max(0, len(lines)-20):], "\n"))
			}
		}
	})
	return m
}

func (m *member) args(args ...string) []string {
	return append(args, "--data-dir", filepath.Join(m.home, "data"), "--db", m.db)
}

// start starts the server; it does not wait until the server is ready.
func (m *member) start(more ...string) {
	m.t.Helper()
	m.log = &testenv.Buffer{}
	m.cmd = exec.Command(program, append(m.args("catalog", "--catalog-addr", m.addr,
		"--rate-limit", "0", "--db-connections", "6"), more...)...)
	m.cmd.Env, m.cmd.Stdout, m.cmd.Stderr = environment(m.home), m.log, m.log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *member) kill() {
	if m.cmd != nil {
		_ = m.cmd.Process.Kill() // it may have ended already
		_ = m.cmd.Wait()
		m.cmd = nil
		for line := range strings.Lines(m.log.String()) {
			if strings.Contains(line, "ERR") {
				m.errors = append(m.errors, line)
			}
		}
	}
}

// status returns the status code of a path, or 0 if the member does not respond.
func (m *member) status(path string) int {
	ctx, cancel := context.WithTimeout(m.t.Context(), 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.addr+path, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close() // only the status counts
	return resp.StatusCode
}

func (m *member) ready() {
	m.eventually(30*time.Second, "/ready of "+m.name, func() bool { return m.status("/ready") == 200 })
}

func (m *member) eventually(limit time.Duration, what string, f func() bool) time.Duration {
	m.t.Helper()
	start := time.Now()
	for !f() {
		if time.Since(start) > limit {
			m.t.Fatalf("timeout after %v: waited for %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(start)
}

// TestClusterSurvivesFaults runs two servers over one PostgreSQL under load, while servers and
// database are killed, delayed and disconnected.
func TestClusterSurvivesFaults(t *testing.T) {
	cluster := postgres.ForTest(t)
	cluster.MaxConnections = 40
	url := cluster.Database(t)
	proxy := testenv.NewProxy(t, cluster.Addr())
	a := newMember(t, "a", url)
	b := newMember(t, "b", strings.Replace(url, cluster.Addr(), proxy.Addr(), 1))
	a.start() // both at the same time, on an empty database
	b.start()
	a.ready()
	b.ready()
	secret := a.key()
	db := openAdmin(t, url)
	a.eventually(20*time.Second, "the first scan", func() bool { return count(t, db, `SELECT count(*) FROM songs`) > 10 })
	leaders := func() int { return count(t, db, leadersSQL) }
	a.eventually(5*time.Second, "one leader", func() bool { return leaders() == 1 })
	if users := count(t, db, `SELECT count(*) FROM users`); users != 1 {
		t.Errorf("users after the first start of two servers: got %d, want 1", users)
	}

	span := 1500 * time.Millisecond
	rounds := 1
	if testenv.Long() {
		span, rounds = 5*time.Second, 10
	}
	l := newLoad(t, secret, a, b)
	faults := 0
	for range rounds {
		l.run(span)

		t.Log("a server is killed and restarted")
		l.whileDown(a, func() {
			a.kill()
			l.run(span)
			a.eventually(10*time.Second, "a leader after the kill", func() bool { return leaders() == 1 })
			a.start()
			a.ready()
		})
		l.run(span)

		t.Log("the database is killed and restarted")
		l.whileFailing(a, b, func() {
			cluster.Kill()
			l.run(span)
			for _, m := range []*member{a, b} {
				if got := m.status("/health"); got != 200 {
					t.Errorf("/health of %s without the database: got %d, want 200", m.name, got)
				}
				if got := m.status("/ready"); got != 503 {
					t.Errorf("/ready of %s without the database: got %d, want 503", m.name, got)
				}
			}
			cluster.Restart(t)
		})
		l.run(span)

		t.Log("the database is slow for one server, then unresponsive, then disconnected")
		l.whileFailing(b, nil, func() { proxy.Latency(3 * time.Second); l.run(2 * span); proxy.Latency(0) })
		l.whileFailing(b, nil, func() { proxy.Blackhole(true); l.run(2 * span); proxy.Blackhole(false) })
		l.whileFailing(b, nil, func() { proxy.Cut(); l.run(span); proxy.Restore() })

		t.Log("the database is out of connections")
		l.whileFailing(a, b, func() {
			release := takeConnections(t, url)
			l.run(span)
			release()
		})
		l.run(span)
		faults += 6
	}
	l.stop()

	violations := l.violations(t)
	if rows := count(t, db, `SELECT count(*) FROM plays`); rows != l.acknowledged() {
		t.Errorf("stored plays: got %d, want the %d acknowledged", rows, l.acknowledged())
		violations++
	}
	if counted := count(t, db, `SELECT coalesce(sum(play_count), 0) FROM songs`); counted != l.acknowledged() {
		t.Errorf("sum of play counts: got %d, want the %d acknowledged", counted, l.acknowledged())
		violations++
	}
	testenv.Report(t, testenv.DatabaseLoss, testenv.Tally{
		Inputs: l.requests(), Faults: faults, Violations: violations,
		Note: fmt.Sprintf("%d plays counted exactly once, %d changes visible everywhere after 1 s, "+
			"recovery within %v of 5s", l.acknowledged(), l.checked(), l.slowestRecovery().Round(time.Millisecond)),
	})
}

const leadersSQL = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = 2002876535 ` +
	`AND objid::bigint = 3 AND granted`

// key creates a key that reads and writes.
func (m *member) key() string {
	m.t.Helper()
	cmd := exec.Command(program,
		m.args("key", "create", "--name", "load", "--permission", "read", "--permission", "write")...)
	cmd.Env = environment(m.home)
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("key create: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func openAdmin(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url+"&connect_timeout=10")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(0) // do not reuse connections after a restart of the database
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// takeConnections takes every connection of the database, including those of the servers, until
// release is called.
func takeConnections(t *testing.T, url string) (release func()) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(1000)
	var held []*sql.Conn
	take := func() {
		for {
			c, err := db.Conn(t.Context())
			if err != nil {
				return // no connection is left
			}
			held = append(held, c)
		}
	}
	take()
	for range 5 { // the servers lose their connections and may reconnect in between
		_, err = held[0].ExecContext(t.Context(),
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waxwing'`)
		if err != nil {
			t.Fatal(err)
		}
		take()
	}
	return func() {
		for _, c := range held {
			_ = c.Close() // the pool is closed below
		}
		_ = db.Close()
	}
}
