package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/api/playerapi"
)

const (
	minBackoff       = 250 * time.Millisecond // before the first attempt to reconnect
	maxBackoff       = 5 * time.Second
	heartbeatTimeout = 45 * time.Second // three heartbeats
	maxEvent         = 1 << 20
)

// errNoHeartbeat is the cause when a connection is closed because its heartbeats stopped.
var errNoHeartbeat = errors.New("no heartbeat")

// Events follows the player: it yields the state at once and the newest state after each
// change. When the connection is lost it yields the error and reconnects if the loop
// continues. It ends with ctx, and after an error that a retry cannot fix, such as a
// revoked token.
func (p *Player) Events(ctx context.Context) iter.Seq2[playerapi.State, error] {
	return events[playerapi.State](ctx, p.transport(), "/events", "state")
}

// LyricEvents follows the line of the lyrics that is sung now: it yields each line when it
// begins. Errors are as in [Player.Events].
func (p *Player) LyricEvents(ctx context.Context) iter.Seq2[playerapi.Lyric, error] {
	return events[playerapi.Lyric](ctx, p.transport(), "/events", "lyric")
}

// Revisions follows the revision of the catalog: it yields it at once and after each change.
// Errors are as in [Player.Events]; a catalog that lacks the endpoint ends it with a 404.
func (c *Catalog) Revisions(ctx context.Context) iter.Seq2[catalogapi.Revision, error] {
	return events[catalogapi.Revision](ctx, c.transport(), apiPath("events"), "revision")
}

// events yields the data of the events that have the name, and reconnects with exponential backoff.
func events[T any](ctx context.Context, t transport, path, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		wait := minBackoff
		lastID := ""
		for ctx.Err() == nil {
			err := follow(ctx, t, path, name, &lastID, func(data T) bool {
				wait = minBackoff
				return yield(data, nil)
			})
			if err == nil || ctx.Err() != nil {
				return
			}
			var none T
			if !yield(none, err) || final(err) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			wait = min(2*wait, maxBackoff)
		}
	}
}

// final reports whether the server refused in a way that a retry cannot change.
func final(err error) bool {
	switch StatusOf(err) {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMisdirectedRequest:
		return true
	}
	return false
}

// follow reads one connection to its end. It returns nil if yield returned false.
func follow[T any](
	ctx context.Context, t transport, path, want string, lastID *string, yield func(T) bool,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	header := http.Header{"Accept": {"text/event-stream"}}
	if *lastID != "" {
		header.Set("Last-Event-ID", *lastID)
	}
	resp, err := t.open(ctx, http.MethodGet, path, header, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	watchdog := time.AfterFunc(heartbeatTimeout, func() { cancel(errNoHeartbeat) })
	defer watchdog.Stop()

	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 4096), maxEvent)
	var event, data string
	for lines.Scan() {
		watchdog.Reset(heartbeatTimeout)
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "id":
			*lastID = clip(value, maxHeader)
		case field == "event":
			event = value
		case field == "data" && len(data)+len(value) > maxEvent:
			return &Error{Message: fmt.Sprintf("the %s sent an event that is too long", t.name)}
		case field == "data":
			data += value
		case lines.Text() == "" && event != "" && event != want:
			event, data = "", ""
		case lines.Text() == "" && data != "":
			var decoded T
			if err := json.Unmarshal([]byte(data), &decoded); err != nil {
				return fmt.Errorf("read an event: %w", err)
			}
			event, data = "", ""
			if !yield(decoded) {
				return nil
			}
		}
	}
	cause := lines.Err()
	if cause == nil {
		cause = io.ErrUnexpectedEOF
	}
	if c := context.Cause(ctx); c != nil {
		cause = c
	}
	return &Error{Message: fmt.Sprintf("the connection to the %s was lost", t.name), Err: cause}
}
