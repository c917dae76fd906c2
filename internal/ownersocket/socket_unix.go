//go:build linux || darwin

package ownersocket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// Listen creates the socket at path with mode 0600 and replaces one that a crashed process left.
// The caller holds a lock, so that no other process listens there. Only processes of this account
// and of root are accepted.
func Listen(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	address, release, err := shortAddress(path)
	if err != nil {
		return nil, err
	}
	defer release()
	config := net.ListenConfig{Control: makePrivate}
	ln, err := config.Listen(context.Background(), "unix", address)
	if err != nil {
		return nil, err
	}
	unix := ln.(*net.UnixListener)
	unix.SetUnlinkOnClose(false) // it would use the address
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, unix.Close(), os.Remove(path))
	}
	return &listener{unix, path}, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is not a socket; remove it", path)
	}
	return os.Remove(path)
}

// makePrivate sets the mode of the socket before it has a name. Linux applies it to the file;
// elsewhere the mode is set afterwards.
func makePrivate(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) })
}

// listener accepts connections of this account and of root, and closes all others.
type listener struct {
	*net.UnixListener
	path string
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if uid, err := peer(c); err == nil && (uid == os.Geteuid() || uid == 0) {
			return conn{c}, nil
		}
		_ = c.Close()
	}
}

func (l *listener) Close() error {
	err := l.UnixListener.Close()
	if err == nil {
		err = os.Remove(l.path)
	}
	return err
}

// conn is a connection whose remote address has a name for logs.
type conn struct{ *net.UnixConn }

func (conn) RemoteAddr() net.Addr { return &net.UnixAddr{Name: "socket", Net: "unix"} }

// Dial connects to the socket at path if it and the listening process belong to this account or to
// root. Root may also use the socket of the account that owns the folder.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	owner, err := ownerOf(path, fs.ModeSocket)
	if err != nil {
		return nil, err
	}
	folder, err := ownerOf(filepath.Dir(path), fs.ModeDir)
	if err != nil {
		return nil, err
	}
	self := os.Geteuid()
	if owner != self && owner != 0 && (self != 0 || owner != folder) {
		return nil, fmt.Errorf("%s belongs to another account (%d)", path, owner)
	}
	address, release, err := shortAddress(path)
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	uid, err := peer(c.(*net.UnixConn))
	if err == nil && uid != owner && uid != 0 {
		err = fmt.Errorf("the process that listens on %s belongs to another account (%d)", path, uid)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// ownerOf returns the account that owns a file, which must have that type.
func ownerOf(path string, want fs.FileMode) (uid int, err error) {
	stat := os.Lstat
	if want == fs.ModeDir {
		stat = os.Stat // the data folder may be a link
	}
	info, err := stat(path)
	if err != nil {
		return 0, err
	}
	if info.Mode().Type() != want {
		return 0, fmt.Errorf("%s is not a %v", path, want)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid), nil
}
