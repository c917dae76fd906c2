//go:build linux || darwin

package ownersocket_test

import (
	"context"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/ownersocket"
	"waxwing/internal/testenv"
)

// listen serves the path with an echo of one byte.
func listen(t *testing.T, path string) net.Listener {
	t.Helper()
	ln, err := ownersocket.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte{'!'})
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = ln.Close(); <-done })
	return ln
}

// reach returns an error unless the listener at path replies.
func reach(path string) error {
	c, err := ownersocket.Dial(context.Background(), path)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	_, err = c.Read(make([]byte, 1))
	return err
}

func TestSocketIsPrivateAndRemovedWhenClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln := listen(t, path)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Fatalf("got mode %v, %v; want a socket with 0600", info.Mode(), err)
	}
	if err := reach(path); err != nil {
		t.Errorf("the same account: %v", err)
	}
	_ = ln.Close()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("after Close: got %v, want no file", err)
	}
	if err := reach(path); !os.IsNotExist(err) {
		t.Errorf("without a listener: got %v, want no file", err)
	}
}

func TestStaleSocketIsReplacedButNoOtherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	stale, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = stale.Close()
	if err := reach(path); err == nil {
		t.Error("a stale socket accepted a connection")
	}
	listen(t, path)
	if err := reach(path); err != nil {
		t.Errorf("after the replacement: %v", err)
	}
	other := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(other, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ownersocket.Listen(other); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("got %v, want an error about a file that is not a socket", err)
	}
	if err := reach(other); err == nil {
		t.Error("a file that is not a socket was dialed")
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "keep" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

func TestLongPathsWork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has addresses through an open folder")
	}
	dir := t.TempDir()
	for len(dir) < 300 {
		dir = filepath.Join(dir, strings.Repeat("long", 20))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "control.sock")
	listen(t, path)
	if err := reach(path); err != nil {
		t.Error(err)
	}
}

// TestOtherAccountsAreRefusedOnBothSides opens the folder and the socket to everybody, so that only
// the kernel's word about the account protects them.
func TestOtherAccountsAreRefusedOnBothSides(t *testing.T) {
	if path := os.Getenv("OWNERSOCKET_DIAL"); path != "" { // the other account
		c, err := net.Dial("unix", path) // without the checks of Dial
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		if n, err := c.Read(make([]byte, 1)); n != 0 {
			t.Errorf("read %d bytes, %v; want a closed connection", n, err)
		}
		if err := reach(path); err == nil || !strings.Contains(err.Error(), "another account") {
			t.Errorf("Dial: got %v, want an error about another account", err)
		}
		return
	}
	testenv.NeedsRoot(t)
	dir, err := os.MkdirTemp("", "ownersocket-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "test")
	text, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	const stranger = 65534
	path := filepath.Join(dir, "s")
	as := func(uid uint32, path string) {
		t.Helper()
		cmd := exec.Command(program, "-test.run=^TestOtherAccountsAreRefusedOnBothSides$")
		cmd.Env = []string{"OWNERSOCKET_DIAL=" + path}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("as %d: %v\n%s", uid, err, out)
		}
	}
	listen(t, path)
	for name, mode := range map[string]fs.FileMode{dir: 0o755, path: 0o666} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(path, stranger-1, stranger-1); err != nil {
		t.Fatal(err)
	}
	as(stranger, path)
}
