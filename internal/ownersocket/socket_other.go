//go:build !linux && !darwin

package ownersocket

import (
	"context"
	"errors"
	"fmt"
	"net"
)

var errUnsupported = fmt.Errorf("this system does not report the account of a connection: %w", errors.ErrUnsupported)

// Listen is not supported.
func Listen(string) (net.Listener, error) { return nil, errUnsupported }

// Dial is not supported.
func Dial(context.Context, string) (net.Conn, error) { return nil, errUnsupported }
