package ownersocket

import (
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxAddress is the length limit of a socket's address.
const maxAddress = 107

// shortAddress returns an address for path: path itself or, if that is too long, one through an
// open folder, which release closes.
func shortAddress(path string) (address string, release func(), err error) {
	if len(path) <= maxAddress {
		return path, func() {}, nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	address = filepath.Join("/proc/self/fd", strconv.Itoa(int(folder.Fd())), filepath.Base(path))
	return address, func() { _ = folder.Close() }, nil
}

// peer returns the account of the process at the other end.
func peer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var credentials *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		credentials, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, failed
	}
	return int(credentials.Uid), nil
}
