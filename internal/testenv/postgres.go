//go:build unix

package testenv

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that creates the databases
)

// Postgres is a PostgreSQL server for the tests of one package: started by the first test that asks
// for a database, on a free loopback port, in a temporary folder, never as root. The zero value is
// ready; TestMain calls Stop at the end.
type Postgres struct {
	MaxConnections int // 0: 200

	mu      sync.Mutex
	dir     string
	bin     string
	port    int
	log     *bytes.Buffer // of the last run; read it only when that has ended
	command *exec.Cmd
	exited  chan error
	made    int
}

// Database makes an empty database and returns its URL. Without PostgreSQL on the machine the test
// is left out, as with Need.
func (p *Postgres) Database(t testing.TB) string {
	t.Helper()
	bin := postgresBin(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.command == nil {
		p.bin = bin
		if err := p.start(); err != nil {
			t.Fatalf("start PostgreSQL: %v", err)
		}
	}
	p.made++
	name := fmt.Sprintf("proof_%d", p.made)
	admin, err := sql.Open("pgx", p.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	return p.url(name)
}

// Folder is where the server keeps everything it writes.
func (p *Postgres) Folder() string { return p.dir }

func (p *Postgres) url(database string) string {
	return fmt.Sprintf("postgres://waxwing@127.0.0.1:%d/%s?sslmode=disable", p.port, database)
}

// postgresBin is the folder of the server's programs: on PATH, or where Debian puts them.
func postgresBin(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) == 0 {
		Need(t, "postgres")
	}
	return filepath.Dir(found[len(found)-1])
}

func (p *Postgres) start() error {
	dir, err := os.MkdirTemp("", "waxwing-postgres-")
	if err != nil {
		return err
	}
	p.dir = dir
	initdb, err := p.program("initdb", "--pgdata="+p.data(), "--username=waxwing", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
	if err != nil {
		return err
	}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if p.port, err = freePort(); err != nil {
		return err
	}
	if err := p.launch(); err != nil {
		return errors.Join(err, p.Stop())
	}
	return nil
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// program prepares one of PostgreSQL's programs to run in our folder, as a user that is not root.
func (p *Postgres) program(name string, args ...string) (*exec.Cmd, error) {
	identity, err := lowly(p.dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(p.bin, name), args...)
	dieWithUs(cmd)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential, cmd.Dir = identity, p.dir
	return cmd, nil
}

// launch runs the server and waits until it answers.
func (p *Postgres) launch() error {
	cmd, err := p.program("postgres", "-D", p.data(), "-p", strconv.Itoa(p.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections="+strconv.Itoa(cmp.Or(p.MaxConnections, 200)), "-c", "shared_buffers=64MB")
	if err != nil {
		return err
	}
	p.log = new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	p.command, p.exited = cmd, exited
	go func() { exited <- cmd.Wait() }()
	if err := p.answers(); err != nil {
		p.end(syscall.SIGQUIT)
		return fmt.Errorf("%w\n%s", err, p.log.Bytes())
	}
	return nil
}

// Addr is where it listens.
func (p *Postgres) Addr() string { return fmt.Sprintf("127.0.0.1:%d", p.port) }

// Kill ends the server without a word. What was committed stays.
func (p *Postgres) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(syscall.SIGKILL)
}

func (p *Postgres) end(how syscall.Signal) {
	if p.command != nil {
		_ = p.command.Process.Signal(how) // it may be gone already
		<-p.exited
		p.command = nil
	}
}

// Restart brings a killed server back at the same place and returns when it answers. The processes
// of the killed one may take a moment to notice that they are orphans; until then it cannot start.
func (p *Postgres) Restart(t testing.TB) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := p.launch()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("restart PostgreSQL: %v", err)
		}
	}
}

// answers waits until the server takes queries.
func (p *Postgres) answers() error {
	db, err := sql.Open("pgx", p.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	deadline, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		if err = db.PingContext(deadline); err == nil {
			return nil
		}
		select {
		case <-deadline.Done():
			return err
		case exit := <-p.exited:
			p.exited <- exit
			return fmt.Errorf("the server ended: %w", errors.Join(exit, err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the server and removes its folder. It may be called when nothing was started.
func (p *Postgres) Stop() error {
	p.end(syscall.SIGQUIT) // at once: nothing in it is worth keeping
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// lowly gives dir to a user that is not root, because the server refuses to run as root, and
// returns who that is; nil: whoever runs the tests.
func lowly(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(nobody.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(nobody.Gid)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}
