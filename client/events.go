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

	"waxwing/api/playerapi"
)

const (
	firstWait = 250 * time.Millisecond // before the first try to reconnect
	longWait  = 5 * time.Second
	silence   = 45 * time.Second // three heartbeats: a connection that is still open is dead
	maxEvent  = 1 << 20
)

// errSilent is the cause of giving up a connection over which nothing comes any more.
var errSilent = errors.New("no heartbeat")

// Events follows the player: it yields the state at once and then the newest after each
// change. When the connection is lost it yields the error, so that a person can be told,
// and goes on trying if the loop does. It ends with ctx, and after an error that trying
// again cannot mend, such as a token that was revoked.
func (p *Player) Events(ctx context.Context) iter.Seq2[playerapi.State, error] {
	return func(yield func(playerapi.State, error) bool) {
		wait := firstWait
		lastID := ""
		for ctx.Err() == nil {
			err := p.follow(ctx, &lastID, func(s playerapi.State) bool {
				wait = firstWait
				return yield(s, nil)
			})
			if err == nil || ctx.Err() != nil {
				return
			}
			if !yield(playerapi.State{}, err) || final(err) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			wait = min(2*wait, longWait)
		}
	}
}

// final reports whether the server refused for good.
func final(err error) bool {
	switch StatusOf(err) {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMisdirectedRequest:
		return true
	}
	return false
}

// follow reads one connection to its end. It returns nil if yield wanted no more.
func (p *Player) follow(ctx context.Context, lastID *string, yield func(playerapi.State) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	header := http.Header{"Accept": {"text/event-stream"}}
	if *lastID != "" {
		header.Set("Last-Event-ID", *lastID)
	}
	t := p.transport()
	resp, err := t.open(ctx, http.MethodGet, "/events", header, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	watchdog := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer watchdog.Stop()

	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 4096), maxEvent)
	var event, data string
	for lines.Scan() {
		watchdog.Reset(silence)
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "id":
			*lastID = value
		case name == "event":
			event = value
		case name == "data":
			data += value
		case lines.Text() == "" && event != "" && event != "state":
			event, data = "", "" // something else happened than a change of the player
		case lines.Text() == "" && data != "":
			var s playerapi.State
			if err := json.Unmarshal([]byte(data), &s); err != nil {
				return fmt.Errorf("read an event: %w", err)
			}
			event, data = "", ""
			if !yield(s) {
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
	return &Error{Message: "the connection to the player was lost", Err: cause}
}
