// Package audit writes the audit log: every change that was allowed, every request that was denied
// and why, and every credential that was created, rotated or revoked. The log is a file of JSON
// lines, separate from the request log. It holds no secrets: credentials appear by id.
package audit

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// Decision is the outcome of the access check of a request.
type Decision string

const (
	Allowed Decision = "allowed"
	Denied  Decision = "denied"
)

// Reason says why a request was denied.
type Reason string

const (
	Host         Reason = "host"             // the Host header names another server
	Origin       Reason = "origin"           // a page of another origin sent it
	NoCredential Reason = "no credential"    // it carried no credential
	Invalid      Reason = "invalid"          // the credential was never issued, or was altered
	Expired      Reason = "expired"          // the credential has expired
	Revoked      Reason = "revoked"          // the credential was revoked
	Permission   Reason = "lacks permission" // the credential is valid but not for this route
	Limited      Reason = "rate limited"     // the credential exceeded its request rate
	LockedOut    Reason = "locked out"       // the address sent too many wrong credentials
)

// Event is a change to a credential or a pairing.
type Event string

const (
	TokenCreated     Event = "token created"
	TokenRevoked     Event = "token revoked"
	KeyCreated       Event = "key created"
	KeyRevoked       Event = "key revoked"
	KeyRotated       Event = "key rotated"
	PairingRequested Event = "pairing requested"
	PairingApproved  Event = "pairing approved"
	PairingDenied    Event = "pairing denied"
	PairingCancelled Event = "pairing cancelled"
	PairingClaimed   Event = "pairing claimed"

	// entriesDropped stands for Count entries that were not written: the disk failed, or the queue
	// was full.
	entriesDropped Event = "entries dropped"
)

// Command is the Server of entries that the command line writes.
const Command = "command"

// Entry is one line of the log. Reads that were allowed have none: the request log has them.
type Entry struct {
	Time        time.Time `json:"time"`
	Server      string    `json:"server"` // player, catalog, subsonic or command
	Decision    Decision  `json:"decision,omitempty"`
	Reason      Reason    `json:"reason,omitempty"`
	Event       Event     `json:"event,omitempty"`
	Credential  string    `json:"credential,omitempty"`   // id of the token or key in the request
	Name        string    `json:"name,omitempty"`         // name of that credential
	Subject     string    `json:"subject,omitempty"`      // id of the credential that the event changed
	SubjectName string    `json:"subject_name,omitempty"` // name of that credential
	Method      string    `json:"method,omitempty"`
	Route       string    `json:"route,omitempty"` // the route's pattern, never the requested path
	Status      int       `json:"status,omitempty"`
	Address     string    `json:"address,omitempty"`
	RequestID   string    `json:"request_id,omitempty"`
	Count       int64     `json:"count,omitempty"` // number of entries that this line stands for
}

// Bounds of the fields that a client chooses, in runes.
const (
	maxFieldRunes  = 128
	maxMethodRunes = 16
)

// line encodes e. JSON escapes line breaks and terminal control characters, so that no field can
// forge a second line.
func (e Entry) line() ([]byte, error) {
	e.Method = truncate(e.Method, maxMethodRunes)
	for _, field := range []*string{&e.Name, &e.SubjectName, &e.Address} {
		*field = truncate(*field, maxFieldRunes)
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode an audit entry: %w", err)
	}
	return append(b, '\n'), nil
}

func truncate(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most])
}
