// Package fault classifies errors, so that one place can turn any of them into
// an HTTP status, a sentence for a person and a log line.
package fault

import (
	"errors"
	"fmt"
)

// Kind says who must act on an error. The zero Kind is Internal, so an error
// nobody classified is never blamed on the caller.
type Kind uint8

const (
	Internal        Kind = iota // we must fix it; details stay in the log
	Invalid                     // the request can never succeed as written
	Unauthenticated             // no credential, or one that is not valid
	Forbidden                   // the credential, or the origin, may not do this
	NotFound                    // the thing named does not exist, or not for this caller
	Conflict                    // the request is fine, the state is not
	TooLarge                    // the body exceeds the limit
	Unsupported                 // the body is of a type we do not read
	TooMany                     // slow down
	Unavailable                 // try again later: something we need is away
)

// Error carries a Kind and a sentence that is safe to show to a client.
type Error struct {
	Kind Kind
	Msg  string
	Err  error // cause, for the log only
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Msg
	}
	return e.Msg + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// New returns an error of kind k whose sentence may be shown to the client.
func New(k Kind, format string, args ...any) error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...)}
}

// Wrap is New with a cause that is logged but never shown.
func Wrap(k Kind, cause error, format string, args ...any) error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// Of returns the Kind and the public sentence of err.
func Of(err error) (Kind, string) {
	var e *Error
	if errors.As(err, &e) && e.Kind != Internal {
		return e.Kind, e.Msg
	}
	return Internal, "something went wrong on our side; the log has the details under this request id"
}
