//go:build unix

// Package postgres runs PostgreSQL servers for tests. Each listens on a free loopback port, keeps
// its data in a temporary directory and never runs as root.
package postgres

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

	"waxwing/internal/testenv"
)

// Cluster is a PostgreSQL server. The zero value is ready to use: the first call of Database starts
// the server. A package that shares one between its tests passes Stop to testenv.Main.
type Cluster struct {
	MaxConnections int // 0: 200

	mu        sync.Mutex
	dir       string
	bin       string
	port      int
	log       *bytes.Buffer // of the last run; read it only after the server has ended
	command   *exec.Cmd
	exited    chan error
	databases int      // created so far
	settings  []string // of the command line, NAME=VALUE
}

// ForTest returns a server that stops at the end of the test.
func ForTest(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Database creates an empty database and returns its URL. The test is skipped with -short and, as
// by testenv.NeedsTool, without PostgreSQL on the machine.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	testenv.SkipIfShort(t)
	bin := programs(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.command == nil {
		c.bin = bin
		if err := c.start(); err != nil {
			t.Fatalf("start PostgreSQL: %v", err)
		}
	}
	c.databases++
	name := fmt.Sprintf("test_%d", c.databases)
	admin, err := sql.Open("pgx", c.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatalf("create a database: %v", err)
	}
	return c.url(name)
}

// Dir returns the directory that holds all files of the server.
func (c *Cluster) Dir() string { return c.dir }

// Addr returns the address that the server listens on.
func (c *Cluster) Addr() string { return fmt.Sprintf("127.0.0.1:%d", c.port) }

func (c *Cluster) url(database string) string {
	return fmt.Sprintf("postgres://waxwing@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

// programs returns the directory of the server's programs: on PATH, or where Debian installs them.
func programs(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) == 0 {
		testenv.NeedsTool(t, "postgres")
	}
	return filepath.Dir(found[len(found)-1])
}

func (c *Cluster) start() error {
	dir, err := os.MkdirTemp("", "waxwing-postgres-")
	if err != nil {
		return err
	}
	c.dir = dir
	initdb, err := c.program("initdb", "--pgdata="+c.data(), "--username=waxwing", "--auth=trust", "--no-sync",
		"--encoding=UTF8", "--locale=C.UTF-8")
	if err != nil {
		return err
	}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if c.port, err = freePort(); err != nil {
		return err
	}
	if err := c.launch(); err != nil {
		return errors.Join(err, c.Stop())
	}
	return nil
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// program prepares one of PostgreSQL's programs to run in the cluster's directory, not as root.
func (c *Cluster) program(name string, args ...string) (*exec.Cmd, error) {
	credential, err := unprivileged(c.dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	testenv.KillWithParent(cmd)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential, cmd.Dir = credential, c.dir
	return cmd, nil
}

// launch runs the server and waits until it accepts queries.
func (c *Cluster) launch() error {
	args := []string{"-D", c.data(), "-p", strconv.Itoa(c.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "shared_buffers=64MB",
		"-c", "max_connections=" + strconv.Itoa(cmp.Or(c.MaxConnections, 200))}
	for _, setting := range c.settings {
		args = append(args, "-c", setting)
	}
	cmd, err := c.program("postgres", args...)
	if err != nil {
		return err
	}
	c.log = new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = c.log, c.log
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	c.command, c.exited = cmd, exited
	go func() { exited <- cmd.Wait() }()
	if err := c.waitReady(); err != nil {
		c.end(syscall.SIGQUIT)
		return fmt.Errorf("%w\n%s", err, c.log.Bytes())
	}
	return nil
}

// Kill ends the server with SIGKILL. Committed data survives.
func (c *Cluster) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(syscall.SIGKILL)
}

func (c *Cluster) end(signal syscall.Signal) {
	if c.command != nil {
		_ = c.command.Process.Signal(signal) // it may have ended already
		<-c.exited
		c.command = nil
	}
}

// Restart starts a killed server again at the same address and waits until it accepts queries. It
// retries, because the killed server's child processes block a start until they notice that they
// are orphans.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := c.launch()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("restart PostgreSQL: %v", err)
		}
	}
}

func (c *Cluster) waitReady() error {
	db, err := sql.Open("pgx", c.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case exit := <-c.exited:
			c.exited <- exit
			return fmt.Errorf("the server ended: %w", errors.Join(exit, err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the server and removes its directory. It does nothing if the server was never started.
func (c *Cluster) Stop() error {
	c.end(syscall.SIGQUIT) // without a checkpoint: the data is deleted
	if c.dir == "" {
		return nil
	}
	return os.RemoveAll(c.dir)
}

// unprivileged gives dir to the user "nobody" and returns that user's credential, because the
// server refuses to run as root. It returns nil if the tests do not run as root.
func unprivileged(dir string) (*syscall.Credential, error) {
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
