package ownersocket

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// maxAddress is the length limit of a socket's address.
const maxAddress = 103

// shortAddress returns path if it can be the address of a socket.
func shortAddress(path string) (address string, release func(), err error) {
	if len(path) > maxAddress {
		return "", nil, fmt.Errorf("the path %s is too long for a socket: %w", path, errors.ErrUnsupported)
	}
	return path, func() {}, nil
}

// peer returns the account of the process at the other end.
func peer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var credentials *unix.Xucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		credentials, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	if err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, failed
	}
	return int(credentials.Uid), nil
}
