package fault

import (
	"errors"
	"fmt"
)

// Code names a fault for programs. The list is part of both APIs: words are added, never renamed.
type Code string

const (
	InternalError      Code = "internal_error"
	InvalidParameter   Code = "invalid_parameter"
	InvalidBody        Code = "invalid_body"
	MissingCredential  Code = "missing_credential"
	InvalidCredential  Code = "invalid_credential"
	MissingPermission  Code = "missing_permission"
	OriginNotAllowed   Code = "origin_not_allowed"
	InvalidLink        Code = "invalid_link"
	NotAllowed         Code = "not_allowed"
	ResourceNotFound   Code = "not_found"
	UnknownPath        Code = "unknown_path"
	MethodNotAllowed   Code = "method_not_allowed"
	StateConflict      Code = "conflict"
	QueueEmpty         Code = "queue_empty"
	StaleIndex         Code = "stale_index"
	PreconditionFailed Code = "precondition_failed"
	BodyTooLarge       Code = "too_large"
	UnsupportedType    Code = "unsupported_type"
	InvalidRange       Code = "invalid_range"
	HostNotAllowed     Code = "host_not_allowed"
	RateLimited        Code = "rate_limited"
	TooManyFailures    Code = "too_many_failures"
	NotAvailable       Code = "unavailable"
	CatalogUnavailable Code = "catalog_unavailable"
)

// NoCode is for the one error body that has no code: its form was fixed before there were codes.
const NoCode Code = "-"

// kindCodes has the code of a kind where no better one is known.
var kindCodes = [...]Code{
	Internal:        InternalError,
	Invalid:         InvalidParameter,
	Unauthenticated: InvalidCredential,
	Forbidden:       NotAllowed,
	NotFound:        ResourceNotFound,
	Conflict:        StateConflict,
	TooLarge:        BodyTooLarge,
	Unsupported:     UnsupportedType,
	TooMany:         RateLimited,
	Unavailable:     NotAvailable,
}

// WithCode returns an error of kind k with a code of its own.
func WithCode(k Kind, code Code, format string, args ...any) error {
	return &Error{Kind: k, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// WrapCode is WithCode with a cause that is logged but not sent to clients.
func WrapCode(k Kind, code Code, cause error, format string, args ...any) error {
	return &Error{Kind: k, Code: code, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// CodeOf returns the code of err; "" if its reply has none.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case !errors.As(err, &e):
		return InternalError
	case e.Kind == Internal || e.Code == "":
		return kindCodes[e.Kind]
	case e.Code == NoCode:
		return ""
	}
	return e.Code
}
