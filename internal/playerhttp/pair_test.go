package playerhttp_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/playerhttp"
)

func TestPairing(t *testing.T) {
	h := start(t, 1)
	h.ask(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
	var asked struct{ ID, Code string }
	h.ask(t, "POST", "/pair", "", `{"name":" Kitchen radio ","permissions":["write","read"]}`).json(t, &asked)
	h.ask(t, "POST", "/pair", "", `{"name":"Another","permissions":["read"]}`).want(t, 409, `~another app`)
	h.ask(t, "GET", "/pair", "keys", "").
		want(t, 200, `~{"waiting":[{"name":"Kitchen radio","code":"`+asked.Code+`","permissions":["read","write"],"expires_at":"`)
	claim := fmt.Sprintf(`{"id":%q}`, asked.ID)
	h.ask(t, "POST", "/pair/claim", "", claim).want(t, 202, `~{"status":"waiting","expires_at":"`)
	h.ask(t, "POST", "/pair/claim", "", `{"id":"guess"}`).want(t, 404, `~{"error":"`)

	h.ask(t, "POST", "/pair/approve", "both", `{"code":"`+asked.Code+`"}`).want(t, 403, `~needs the permission keys`)
	h.ask(t, "POST", "/pair/approve", "keys", `{"code":"`+asked.Code+`"}`).
		want(t, 403, `~would get read, write; your token has only keys`)
	h.ask(t, "POST", "/pair/approve", "all", `{"code":"`+asked.Code+`"}`).
		want(t, 200, `{"ok":true,"name":"Kitchen radio","permissions":["read","write"]}`)
	h.ask(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
	var claimed struct{ Token string }
	h.ask(t, "POST", "/pair/claim", "", claim).json(t, &claimed)
	h.ask(t, "POST", "/pair/claim", "", claim).want(t, 404, `~already answered`)
	h.ask(t, "POST", "/play", claimed.Token, "").want(t, 200, `{"ok":true,"track_id":"t0"}`)
	h.ask(t, "GET", "/playback-state", claimed.Token, "").want(t, 200, `~true`)
	list, err := h.store.List()
	if err != nil || list[len(list)-1].Name != "Kitchen radio" {
		t.Errorf("the tokens are %v, %v", list, err)
	}
}

func TestWrongCodesEndAPairing(t *testing.T) {
	h := start(t, 1)
	var asked struct{ ID, Code string }
	h.ask(t, "POST", "/pair", "", `{"name":"App","permissions":["read"]}`).json(t, &asked)
	for i, guessed := range []string{"deny", "approve", "deny", "approve", "deny"} {
		want := `~no app is waiting with the code`
		if i == 4 {
			want = `~the request has ended`
		}
		h.ask(t, "POST", "/pair/"+guessed, "all", `{"code":"x"}`).want(t, 404, want)
	}
	h.ask(t, "POST", "/pair/approve", "all", `{"code":"`+asked.Code+`"}`).
		want(t, 404, `{"error":"no app is waiting to be approved"}`)
	h.ask(t, "POST", "/pair/claim", "", `{"id":"`+asked.ID+`"}`).want(t, 404, `~{"error":"`)
	h.ask(t, "POST", "/pair", "", `{"name":"App","permissions":["read"]}`).want(t, 200, `~"code"`)
}

// TestDeniedPairing is told to the app at once and makes room for the next one.
func TestDeniedPairing(t *testing.T) {
	h := start(t, 1)
	h.ask(t, "POST", "/pair/deny", "keys", `{"code":"0000"}`).want(t, 404, `{"error":"no app is waiting to be approved"}`)
	var asked struct{ ID, Code string }
	h.ask(t, "POST", "/pair", "", `{"name":"Stranger","permissions":["read","write"]}`).json(t, &asked)
	code, claim := `{"code":"`+asked.Code+`"}`, `{"id":"`+asked.ID+`"}`
	h.ask(t, "POST", "/pair/deny", "both", code).want(t, 403, `~needs the permission keys`)
	h.ask(t, "POST", "/pair/deny", "keys", `{"code":"x"}`).
		want(t, 404, `{"error":"no app is waiting with the code \"x\""}`)
	h.ask(t, "POST", "/pair/claim", "", claim).want(t, 202, `~waiting`)
	// Whoever holds keys alone could not approve this one, and can refuse it.
	h.ask(t, "POST", "/pair/deny", "keys", code).want(t, 200, `{"ok":true,"name":"Stranger"}`)
	h.ask(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
	h.ask(t, "POST", "/pair/claim", "", claim).want(t, 409, `{"error":"the request was denied at the player"}`)
	h.ask(t, "POST", "/pair/claim", "", `{"id":"guess"}`).want(t, 404, `~unknown`)
	for _, path := range []string{"/pair/deny", "/pair/approve"} {
		h.ask(t, "POST", path, "all", code).want(t, 404, `{"error":"no app is waiting to be approved"}`)
	}

	var next struct{ ID, Code string }
	h.ask(t, "POST", "/pair", "", `{"name":"Kitchen radio","permissions":["read"]}`).json(t, &next)
	h.ask(t, "POST", "/pair/claim", "", claim).want(t, 404, `~already answered`)
	h.ask(t, "POST", "/pair/approve", "all", `{"code":"`+next.Code+`"}`).want(t, 200, `~"ok":true`)
	h.ask(t, "POST", "/pair/deny", "all", `{"code":"`+next.Code+`"}`).
		want(t, 404, `{"error":"no app is waiting to be approved"}`)
	h.ask(t, "POST", "/pair/claim", "", `{"id":"`+next.ID+`"}`).want(t, 200, `~wxt_`)
}

func TestPairingRefusesNonsense(t *testing.T) {
	h := start(t, 1)
	for _, body := range []string{
		``, `{}`, `{"name":"","permissions":["read"]}`, `{"name":"App"}`, `{"name":"App","permissions":[]}`, `{"name":"App","permissions":["all"]}`,
		`{"name":"App","permissions":"read"}`, `{"name":"a\nb","permissions":["read"]}`, `{"name":"\u001b[2J","permissions":["read"]}`,
		`{"name":"\u202eppA","permissions":["read"]}`,
	} {
		h.ask(t, "POST", "/pair", "", body).want(t, 400, `~{"error":"`)
	}
	h.ask(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
}

// TestPairingLastsAMinute turns the clock.
func TestPairingLastsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := playerhttp.NewPairing()
		id, code, err := p.Ask("App", access.Read)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Second)
		if p.Waiting() != 1 {
			t.Error("it was given up too early")
		}
		if _, _, err := p.Ask("Other", access.Read); err == nil {
			t.Error("two wait at once")
		}
		time.Sleep(time.Second)
		if p.Waiting() != 0 || p.Approve(code, access.Read) == nil || p.Claim(id) == nil {
			t.Error("it waits for more than a minute")
		}
		if _, _, err := p.Ask("Other", access.Read); err != nil {
			t.Error(err)
		}
	})
}

// TestDeniedPairingIsForgotten with the minute that it would have had.
func TestDeniedPairingIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := playerhttp.NewPairing()
		id, code, err := p.Ask("App", access.Read)
		if err != nil || p.Deny(code) != nil {
			t.Fatal("it cannot be denied")
		}
		time.Sleep(59 * time.Second)
		if kind, _ := fault.Of(p.Claim(id)); kind != fault.Conflict {
			t.Error("it was forgotten too early:", kind)
		}
		time.Sleep(time.Second)
		if kind, _ := fault.Of(p.Claim(id)); kind != fault.NotFound {
			t.Error("it is remembered for more than a minute:", kind)
		}
	})
}

// TestPairingGrantsKeysToNobodyWhoAsks: only the one who approves can add them, or take away.
func TestPairingGrantsKeysToNobodyWhoAsks(t *testing.T) {
	h := start(t, 0)
	h.ask(t, "POST", "/pair", "", `{"name":"App","permissions":["read","keys"]}`).want(t, 400, `~cannot request keys`)
	for _, c := range []struct{ grant, got string }{
		{`["read"]`, `["read"]`}, {`["read","write","keys"]`, `["read","write","keys"]`}, {`[]`, `["read","write"]`},
	} {
		var asked struct{ ID, Code string }
		h.ask(t, "POST", "/pair", "", `{"name":"App","permissions":["read","write"]}`).json(t, &asked)
		h.ask(t, "POST", "/pair/approve", "all", `{"code":"`+asked.Code+`","permissions":["root"]}`).
			want(t, 400, `~unknown permission`)
		h.ask(t, "POST", "/pair/approve", "all", `{"code":"`+asked.Code+`","permissions":`+c.grant+`}`).
			want(t, 200, `~"permissions":`+c.got)
		h.ask(t, "POST", "/pair/claim", "", `{"id":"`+asked.ID+`"}`).want(t, 200, `~"permissions":`+c.got)
	}
}
