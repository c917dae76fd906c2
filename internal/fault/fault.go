// Package fault classifies errors, so that one place can translate them to an HTTP status, a
// message and a log line.
package fault

import (
	"errors"
	"fmt"
)

// Kind says who must act on an error. The zero Kind is Internal, so that an unclassified error
// does not blame the caller.
type Kind uint8

const (
	Internal        Kind = iota // a bug or a failure of the server; details go only to the log
	Invalid                     // the request can never succeed as written
	Unauthenticated             // no credential, or one that is not valid
	Forbidden                   // the credential or the origin lacks the permission
	NotFound                    // does not exist, or is not visible to the caller
	Conflict                    // the request is valid, but conflicts with the state
	TooLarge                    // the body exceeds the limit
	Unsupported                 // the body has an unsupported type
	TooMany                     // rate limit exceeded
	Unavailable                 // a dependency is unavailable: try again later
)

// Error carries a Kind and a message that may be sent to a client.
type Error struct {
	Kind Kind
	Code Code // "": that of the kind
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

// New returns an error of kind k with a message that may be sent to a client.
func New(k Kind, format string, args ...any) error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...)}
}

// Wrap is New with a cause that is logged but not sent to clients.
func Wrap(k Kind, cause error, format string, args ...any) error {
	return &Error{Kind: k, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// Of returns the Kind and the public message of err.
func Of(err error) (Kind, string) {
	var e *Error
	if errors.As(err, &e) && e.Kind != Internal {
		return e.Kind, e.Msg
	}
	return Internal, "internal error; see the log of the server for this X-Request-Id"
}
