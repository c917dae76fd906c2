package mpd

import (
	"context"
	"errors"
	"fmt"

	"waxwing/internal/fault"
)

// The codes of errors in the protocol.
const (
	codeArg        = 2
	codePassword   = 3
	codePermission = 4
	codeUnknown    = 5
	codeNoExist    = 50
	codeQueueFull  = 51
	codeSystem     = 52
	codeSync       = 55
	codeExist      = 56
)

// ackError is an error as the protocol reports it.
type ackError struct {
	code    int
	message string
}

func (e *ackError) Error() string { return e.message }

func ack(code int, format string, args ...any) error {
	return &ackError{code, fmt.Sprintf(format, args...)}
}

// errBadIndex and the following are MPD's messages for what does not exist.
var (
	errBadIndex   = ack(codeArg, "Bad song index")
	errNoSong     = ack(codeNoExist, "No such song")
	errNoFolder   = ack(codeNoExist, "No such directory")
	errNoPlaylist = ack(codeNoExist, "No such playlist")
	errNotPlaying = ack(codeSync, "Not playing")
)

// asAck converts an error of a command. Errors without a kind are not shown.
func asAck(err error) *ackError {
	var a *ackError
	if errors.As(err, &a) {
		return a
	}
	if errors.Is(err, context.Canceled) {
		return &ackError{codeSystem, "the player is shutting down"}
	}
	kind, message := fault.Of(err)
	switch kind {
	case fault.Invalid:
		return &ackError{codeArg, message}
	case fault.NotFound:
		return &ackError{codeNoExist, message}
	case fault.Forbidden, fault.Unauthenticated:
		return &ackError{codePermission, message}
	case fault.Conflict:
		return &ackError{codeSync, message}
	}
	if kind == fault.Internal {
		message = "internal error; see the log of the player"
	}
	return &ackError{codeSystem, message}
}

// maxMessage bounds the text of an error, so that its line stays below the limit of clients.
const maxMessage = 1000

// appendAck appends the line of an error. index is the place of the command in a command list.
func appendAck(b []byte, e *ackError, index int, command string) []byte {
	b = fmt.Appendf(b, "ACK [%d@%d] {%s} ", e.code, index, command)
	return append(appendClean(b, clip(e.message, maxMessage)), '\n')
}
