// Package ownersocket connects processes of one account through a Unix socket. Both sides ask the
// kernel for the account of the other, so neither needs a credential. Where the system has no such
// socket, Listen returns an error that is [errors.ErrUnsupported].
package ownersocket
