package playerhttp_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"waxwing/api/playerapi"
)

// nextProblem returns the next report of an overlay.
func (l *listener) nextProblem(t testing.TB) (got playerapi.OverlayProblem) {
	t.Helper()
	name := ""
	for l.lines.Scan() {
		field, value, _ := strings.Cut(l.lines.Text(), ": ")
		if field == "event" {
			name = value
		}
		if field == "data" && name == "overlay" {
			if err := json.Unmarshal([]byte(value), &got); err != nil {
				t.Fatal(err)
			}
			return got
		}
	}
	t.Fatalf("the stream ended before a report: %v", l.lines.Err())
	return got
}

// TestOwnerLearnsThatAnOverlayShowsNothing: those who may create tokens get an event, also if they
// connect later. Others get none, and a report needs no token.
func TestOwnerLearnsThatAnOverlayShowsNothing(t *testing.T) {
	h := start(t, 1)
	h.do(t, "POST", "/overlay/problem", "", `{"problem":"<b>hello"}`).want(t, 400, "~no_token or refused")
	report := func(problem string) {
		h.do(t, "POST", "/overlay/problem", "", `{"problem":"`+problem+`"}`).want(t, 200, `{"ok":true}`)
	}
	owner, guest := h.listen(t, "all"), h.listen(t, "both")
	report("refused")
	if got := owner.nextProblem(t); got.Problem != "refused" || time.Until(got.ExpiresAt.Time) < time.Minute {
		t.Errorf("got %+v, want refused, for longer than the minute after which an overlay reports again", got)
	}
	for range 20 {
		report("refused") // passed on again after some seconds only
	}
	report("no_token")
	if got := owner.nextProblem(t); got.Problem != "no_token" {
		t.Errorf("got %+v, want no_token", got)
	}
	if got := h.listen(t, "all").nextProblem(t); got.Problem != "no_token" {
		t.Errorf("a later listener: got %+v, want no_token", got)
	}
	h.do(t, "POST", "/volume", "write", `{"volume":7}`).want(t, 200, `~7`)
	for {
		state, _, err := guest.next(t) // fails at an event that is not the state
		if err != nil {
			t.Fatal(errors.Join(errors.New("the stream ended before the new volume"), err))
		}
		if state.Volume == 7 {
			return
		}
	}
}
