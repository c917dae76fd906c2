package playerhttp_test

import (
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/playerhttp"
)

// TestPairingEndsWhenTheAppLeaves: by a message of the app, or because it no longer asks for its
// token. An app that did not promise to ask waits for a minute.
func TestPairingEndsWhenTheAppLeaves(t *testing.T) {
	h := start(t, 1)
	var pair struct{ ID, Code string }
	request := `{"name":"Tablet","permissions":["read"],"poll_within":2}`
	h.do(t, "POST", "/pair", "", request).json(t, &pair)
	h.do(t, "POST", "/pair/cancel", "", `{"id":"guess"}`).want(t, 404, `~unknown`)
	h.do(t, "POST", "/pair/cancel", "", `{"id":"`+pair.ID+`"}`).want(t, 200, `{"ok":true}`)
	h.do(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
	h.do(t, "POST", "/pair/approve", "all", `{"code":"`+pair.Code+`"}`).want(t, 404, `~no app is waiting`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+pair.ID+`"}`).want(t, 404, `~unknown`)
	h.do(t, "POST", "/pair", "", `{"name":"Tablet","permissions":["read"],"poll_within":1}`).want(t, 400, `~2 to 60`)

	var invited struct{ ID string }
	h.do(t, "POST", "/pair/invite", "all", `{"name":"Tablet","permissions":["read"]}`).json(t, &invited)
	h.do(t, "POST", "/pair/cancel", "", `{"id":"`+invited.ID+`"}`).want(t, 404, `~unknown`)

	synctest.Test(t, func(t *testing.T) {
		p := playerhttp.NewPairing()
		id, changed := p.RequestPolled(2 * time.Second)
		for range 3 {
			time.Sleep(1900 * time.Millisecond)
			if err := p.Claim(id); err != nil {
				t.Fatalf("a request that asks for its token in time: got %v, want it to wait", err)
			}
		}
		watched := changed()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		select {
		case <-watched:
		default:
			t.Error("got no report of the end of the request")
		}
		if p.Claim(id) == nil || p.Waiting() != 0 {
			t.Error("a request that did not ask for its token still waits")
		}
	})
}
