// Package timestamp holds moments as both APIs write them: RFC 3339 in UTC, always with
// milliseconds.
package timestamp

import (
	"fmt"
	"time"
)

const layout = "2006-01-02T15:04:05.000Z"

// Time is a moment on the wire.
type Time struct{ time.Time }

// At returns t as the wire shows it.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

func (t Time) String() string { return t.UTC().Format(layout) }

// MarshalJSON writes the one form.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.AppendFormat(make([]byte, 0, len(layout)+2)), nil
}

// AppendFormat appends t in quotes, as JSON has it. A page of songs holds a hundred moments, and
// package time is quick with whole seconds only.
func (t Time) AppendFormat(b []byte) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, time.RFC3339)
	millis := t.Nanosecond() / int(time.Millisecond)
	return append(b[:len(b)-1], '.', '0'+byte(millis/100), '0'+byte(millis/10%10), '0'+byte(millis%10), 'Z', '"')
}

// UnmarshalJSON reads any RFC 3339 moment.
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("a time is a string like %s", layout)
	}
	parsed, err := time.Parse(time.RFC3339Nano, string(data[1:len(data)-1]))
	if err != nil {
		return err
	}
	t.Time = parsed.UTC()
	return nil
}

// Known is nil for a time that never was.
func Known(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	at := At(t)
	return &at
}
