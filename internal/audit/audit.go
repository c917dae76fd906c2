// Package audit keeps the record of access: who was let in to change something, who was turned
// away and why, and which credentials came and went. It is a file of JSON lines of its own, apart
// from the request log, and it never holds a secret: credentials appear by their ids.
package audit

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// Decision is what became of a request.
type Decision string

const (
	Allowed Decision = "allowed"
	Denied  Decision = "denied"
)

// Reason says why a request was denied.
type Reason string

const (
	Host         Reason = "host"             // it was addressed to a name that is not ours
	Origin       Reason = "origin"           // it came from a page of another origin
	NoCredential Reason = "no credential"    // it presented nothing
	Invalid      Reason = "invalid"          // what it presented is nothing we ever issued, or was altered
	Expired      Reason = "expired"          // the credential's time is over
	Revoked      Reason = "revoked"          // the credential was taken back
	Permission   Reason = "lacks permission" // the credential is good for other things
	Limited      Reason = "limited"          // the credential asks too often
	LockedOut    Reason = "locked out"       // too many wrong credentials came from the address
)

// Event is what happened to a credential, where something did.
type Event string

const (
	TokenCreated     Event = "token created"
	TokenRevoked     Event = "token revoked"
	KeyCreated       Event = "key created"
	KeyRevoked       Event = "key revoked"
	KeyRotated       Event = "key rotated"
	PairingRequested Event = "pairing asked"
	PairingApproved  Event = "pairing approved"
	PairingDenied    Event = "pairing denied"
	PairingClaimed   Event = "pairing claimed"

	// entriesDropped stands for lines that could not be written: the disk was full, or they came too fast.
	entriesDropped Event = "lines lost"
)

// Command is the server of what a person did with the program on this machine.
const Command = "command"

// Entry is one line. Allowed reads have none: they are the request log's matter.
type Entry struct {
	Time        time.Time `json:"time"`
	Server      string    `json:"server"` // player, catalog or command
	Decision    Decision  `json:"decision,omitempty"`
	Reason      Reason    `json:"reason,omitempty"`
	Event       Event     `json:"event,omitempty"`
	Credential  string    `json:"credential,omitempty"` // id of the token or key that was presented
	Name        string    `json:"name,omitempty"`       // of that credential, for people
	Subject     string    `json:"subject,omitempty"`    // id of the credential that an event is about
	SubjectName string    `json:"about,omitempty"`      // its name
	Method      string    `json:"method,omitempty"`
	Route       string    `json:"route,omitempty"` // as the API documents it, never the path that was sent
	Status      int       `json:"status,omitempty"`
	Address     string    `json:"address,omitempty"`
	RequestID   string    `json:"request_id,omitempty"`
	Count       int64     `json:"count,omitempty"` // lines like this one that it stands for
}

const maxFieldRunes = 128 // runes of what strangers can choose

// line encodes e. JSON escapes whatever could begin a second line or move a terminal's cursor.
func (e Entry) line() ([]byte, error) {
	for _, field := range []*string{&e.Method, &e.Name, &e.SubjectName, &e.Address} {
		*field = bounded(*field)
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode a line of the audit log: %w", err)
	}
	return append(b, '\n'), nil
}

func bounded(s string) string {
	if utf8.RuneCountInString(s) <= maxFieldRunes {
		return s
	}
	return string([]rune(s)[:maxFieldRunes])
}
