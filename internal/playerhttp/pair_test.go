package playerhttp_test

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/playerhttp"
)

func TestApprovedPairingReturnsTokenOnce(t *testing.T) {
	h := start(t, 1)
	h.do(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
	var pair struct{ ID, Code string }
	h.do(t, "POST", "/pair", "", `{"name":" Kitchen radio ","permissions":["write","read"]}`).json(t, &pair)
	h.do(t, "POST", "/pair", "", `{"name":"Another","permissions":["read"]}`).want(t, 409, `~another app`)
	h.do(t, "GET", "/pair", "keys", "").
		want(t, 200, `~{"waiting":[{"name":"Kitchen radio","code":"`+pair.Code+
			`","permissions":["read","write"],"expires_at":"`)
	claim := fmt.Sprintf(`{"id":%q}`, pair.ID)
	h.do(t, "POST", "/pair/claim", "", claim).want(t, 202, `~{"status":"waiting","expires_at":"`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"guess"}`).want(t, 404, `~{"error":"`)

	h.do(t, "POST", "/pair/approve", "both", `{"code":"`+pair.Code+`"}`).want(t, 403, `~needs the permission keys`)
	h.do(t, "POST", "/pair/approve", "keys", `{"code":"`+pair.Code+`"}`).
		want(t, 403, `~would get read, write; your token has only keys`)
	h.do(t, "POST", "/pair/approve", "all", `{"code":"`+pair.Code+`"}`).
		want(t, 200, `{"ok":true,"name":"Kitchen radio","permissions":["read","write"],"expires_at":null}`)
	h.do(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
	var claimed struct{ Token string }
	h.do(t, "POST", "/pair/claim", "", claim).json(t, &claimed)
	h.do(t, "POST", "/pair/claim", "", claim).want(t, 404, `~already answered`)
	h.do(t, "POST", "/play", claimed.Token, "").want(t, 200, `{"ok":true,"track_id":"t0"}`)
	h.do(t, "GET", "/playback-state", claimed.Token, "").want(t, 200, `~true`)
	list, err := h.store.List()
	if err != nil || list[len(list)-1].Name != "Kitchen radio" {
		t.Errorf("got tokens %v, %v, want Kitchen radio as the last", list, err)
	}
}

func TestFiveWrongCodesEndPairing(t *testing.T) {
	h := start(t, 1)
	var pair struct{ ID, Code string }
	h.do(t, "POST", "/pair", "", `{"name":"App","permissions":["read"]}`).json(t, &pair)
	for i, action := range []string{"deny", "approve", "deny", "approve", "deny"} {
		want := `~no app is waiting with the code`
		if i == 4 {
			want = `~the request has ended`
		}
		h.do(t, "POST", "/pair/"+action, "all", `{"code":"x"}`).want(t, 404, want)
	}
	h.do(t, "POST", "/pair/approve", "all", `{"code":"`+pair.Code+`"}`).
		want(t, 404, `{"error":"no app is waiting to be approved","code":"not_found"}`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+pair.ID+`"}`).want(t, 404, `~{"error":"`)
	h.do(t, "POST", "/pair", "", `{"name":"App","permissions":["read"]}`).want(t, 200, `~"code"`)
}

// TestDeniedPairingIsReportedAndAllowsTheNext: the app learns of the denial when it claims its
// token, and another app can send a request at once.
func TestDeniedPairingIsReportedAndAllowsTheNext(t *testing.T) {
	h := start(t, 1)
	h.do(t, "POST", "/pair/deny", "keys", `{"code":"0000"}`).
		want(t, 404, `{"error":"no app is waiting to be approved","code":"not_found"}`)
	var pair struct{ ID, Code string }
	h.do(t, "POST", "/pair", "", `{"name":"Stranger","permissions":["read","write"]}`).json(t, &pair)
	code, claim := `{"code":"`+pair.Code+`"}`, `{"id":"`+pair.ID+`"}`
	h.do(t, "POST", "/pair/deny", "both", code).want(t, 403, `~needs the permission keys`)
	h.do(t, "POST", "/pair/deny", "keys", `{"code":"x"}`).
		want(t, 404, `{"error":"no app is waiting with the code \"x\"","code":"not_found"}`)
	h.do(t, "POST", "/pair/claim", "", claim).want(t, 202, `~waiting`)
	// A token with only the permission keys cannot approve this request, but can deny it.
	h.do(t, "POST", "/pair/deny", "keys", code).want(t, 200, `{"ok":true,"name":"Stranger"}`)
	h.do(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
	h.do(t, "POST", "/pair/claim", "", claim).
		want(t, 409, `{"error":"the request was denied at the player","code":"conflict"}`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"guess"}`).want(t, 404, `~unknown`)
	for _, path := range []string{"/pair/deny", "/pair/approve"} {
		h.do(t, "POST", path, "all", code).
			want(t, 404, `{"error":"no app is waiting to be approved","code":"not_found"}`)
	}

	var next struct{ ID, Code string }
	h.do(t, "POST", "/pair", "", `{"name":"Kitchen radio","permissions":["read"]}`).json(t, &next)
	h.do(t, "POST", "/pair/claim", "", claim).want(t, 409, `~was denied`)
	h.do(t, "POST", "/pair/approve", "all", `{"code":"`+next.Code+`"}`).want(t, 200, `~"ok":true`)
	h.do(t, "POST", "/pair/deny", "all", `{"code":"`+next.Code+`"}`).
		want(t, 404, `{"error":"no app is waiting to be approved","code":"not_found"}`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+next.ID+`"}`).want(t, 200, `~wxt_`)
}

func TestInvalidPairingRequestsAreRejected(t *testing.T) {
	h := start(t, 1)
	for _, body := range []string{
		``, `{}`, `{"name":"","permissions":["read"]}`, `{"name":"App"}`, `{"name":"App","permissions":[]}`,
		`{"name":"App","permissions":["all"]}`, `{"name":"App","permissions":"read"}`,
		`{"name":"a\nb","permissions":["read"]}`, `{"name":"\u001b[2J","permissions":["read"]}`,
		`{"name":"\u202eppA","permissions":["read"]}`,
	} {
		h.do(t, "POST", "/pair", "", body).want(t, 400, `~{"error":"`)
	}
	h.do(t, "GET", "/pair", "keys", "").want(t, 200, `{"waiting":[]}`)
}

func TestPairingExpiresAfterOneMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := playerhttp.NewPairing()
		id, code, err := p.Request("App", access.Read)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Second)
		if got := p.Waiting(); got != 1 {
			t.Errorf("got %d waiting requests after 59 s, want 1", got)
		}
		if _, _, err := p.Request("Other", access.Read); err == nil {
			t.Error("got no error for a second request, want one while the first waits")
		}
		time.Sleep(time.Second)
		if p.Waiting() != 0 || p.Approve(code, access.Read) == nil || p.Claim(id) == nil {
			t.Error("the request can be listed, approved or claimed after 60 s, want it expired")
		}
		if _, _, err := p.Request("Other", access.Read); err != nil {
			t.Error(err)
		}
	})
}

// TestDeniedPairingIsForgottenAfterOneMinute: a denial is reported until the request would have
// expired.
func TestDeniedPairingIsForgottenAfterOneMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := playerhttp.NewPairing()
		id, code, err := p.Request("App", access.Read)
		if err != nil || p.Deny(code) != nil {
			t.Fatalf("cannot create and deny a request: %v", err)
		}
		time.Sleep(59 * time.Second)
		if kind, _ := fault.Of(p.Claim(id)); kind != fault.Conflict {
			t.Errorf("claim after 59 s: got fault %v, want %v", kind, fault.Conflict)
		}
		time.Sleep(time.Second)
		if kind, _ := fault.Of(p.Claim(id)); kind != fault.NotFound {
			t.Errorf("claim after 60 s: got fault %v, want %v", kind, fault.NotFound)
		}
	})
}

// TestPairingCannotRequestKeysPermission: only the approver can grant keys, or grant fewer
// permissions than requested.
func TestPairingCannotRequestKeysPermission(t *testing.T) {
	h := start(t, 0)
	h.do(t, "POST", "/pair", "", `{"name":"App","permissions":["read","keys"]}`).want(t, 400, `~cannot request keys`)
	for _, c := range []struct{ grant, got string }{
		{`["read"]`, `["read"]`}, {`["read","write","keys"]`, `["read","write","keys"]`}, {`[]`, `["read","write"]`},
	} {
		var pair struct{ ID, Code string }
		h.do(t, "POST", "/pair", "", `{"name":"App","permissions":["read","write"]}`).json(t, &pair)
		h.do(t, "POST", "/pair/approve", "all", `{"code":"`+pair.Code+`","permissions":["root"]}`).
			want(t, 400, `~unknown permission`)
		h.do(t, "POST", "/pair/approve", "all", `{"code":"`+pair.Code+`","permissions":`+c.grant+`}`).
			want(t, 200, `~"permissions":`+c.got)
		h.do(t, "POST", "/pair/claim", "", `{"id":"`+pair.ID+`"}`).want(t, 200, `~"permissions":`+c.got)
	}
}

// from returns a client that sends from an address of this machine.
func from(t *testing.T, address string) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestStrangersCannotBlockPairing: each address has one place of five, an invitation needs none.
func TestStrangersCannotBlockPairing(t *testing.T) {
	h := start(t, 1)
	const body = `{"name":"App","permissions":["read"]}`
	var codes []string
	for i := range 7 {
		h.http = from(t, fmt.Sprintf("127.0.0.%d", i+1))
		for range 3 { // a stranger sends requests without end
			got := h.do(t, "POST", "/pair", "", body)
			var pair struct{ Code string }
			if got.json(t, &pair); got.status == 200 {
				codes = append(codes, pair.Code)
			}
		}
	}
	var list struct {
		Waiting []struct{ Code, Request string }
	}
	h.do(t, "GET", "/pair", "keys", "").json(t, &list)
	if len(codes) != 5 || len(list.Waiting) != 5 {
		t.Fatalf("got %d requests accepted and %d listed, want 5", len(codes), len(list.Waiting))
	}
	for i, w := range list.Waiting {
		if w.Code != codes[i] {
			t.Errorf("request %d has the code %s, want %s: oldest first", i, w.Code, codes[i])
		}
	}
	var invited struct{ ID, Request string }
	h.do(t, "POST", "/pair/invite", "all", `{"name":"Tab","permissions":["read","write","keys"],"expires_in":600}`).
		json(t, &invited)
	h.do(t, "GET", "/pair/invite/"+invited.Request, "all", "").want(t, 200, `~"claimed":false`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+invited.Request+`"}`).want(t, 404, `~unknown`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+invited.ID+`"}`).want(t, 200, `~"token":"wxt_`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+invited.ID+`"}`).want(t, 404, `~already answered`)
	h.do(t, "GET", "/pair/invite/"+invited.Request, "all", "").want(t, 200, `~"claimed":true`)
	h.do(t, "GET", "/pair/invite/"+invited.ID, "all", "").want(t, 404, `~unknown`)

	// A wrong code for one request does not end the others.
	wrong := fmt.Sprintf(`{"code":%q,"request":%q}`, codes[1], list.Waiting[0].Request)
	for range 4 {
		h.do(t, "POST", "/pair/approve", "all", wrong).want(t, 404, `~no app is waiting with the code`)
	}
	h.do(t, "POST", "/pair/approve", "all", wrong).want(t, 404, `~the request has ended`)
	h.do(t, "POST", "/pair/approve", "all", wrong).want(t, 404, `~no longer waits`)
	h.do(t, "POST", "/pair/approve", "all", `{"code":"`+codes[1]+`"}`).want(t, 200, `~"ok":true`)
	h.do(t, "POST", "/pair", "", body).want(t, 200, `~"code"`)
}

// TestPairingCannotOutliveItsApprover: the token of the app expires with the approver's, and is not
// created if the approver's was revoked before.
func TestPairingCannotOutliveItsApprover(t *testing.T) {
	h := start(t, 1)
	const all = access.Read | access.Write | access.Keys
	approver, secret := h.createToken(t, access.NewToken{Name: "tab", Permissions: all, Lifetime: time.Hour})
	limit := approver.ExpiresAt.Format("2006-01-02T15:04:05.000Z")
	for _, c := range []struct{ lifetime, want string }{
		{`null`, limit}, {`7200`, limit}, {`600`, ""},
	} {
		var pair struct{ ID, Code string }
		h.do(t, "POST", "/pair", "", `{"name":"App","permissions":["read"],"expires_in":`+c.lifetime+`}`).json(t, &pair)
		want := `~"expires_at":"` + c.want
		h.do(t, "POST", "/pair/approve", secret, `{"code":"`+pair.Code+`","permissions":["read","keys"]}`).
			want(t, 200, want)
		h.do(t, "POST", "/pair/claim", "", `{"id":"`+pair.ID+`"}`).want(t, 200, want)
	}
	list, err := h.store.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range list {
		if token.Name == "App" && (token.ExpiresAt.IsZero() || token.ExpiresAt.After(approver.ExpiresAt)) {
			t.Errorf("got a token until %v, want at most %v", token.ExpiresAt, approver.ExpiresAt)
		}
	}
	var pair struct{ ID, Code string }
	h.do(t, "POST", "/pair", "", `{"name":"App","permissions":["read"]}`).json(t, &pair)
	h.do(t, "POST", "/pair/approve", secret, `{"code":"`+pair.Code+`"}`).want(t, 200, `~"ok":true`)
	h.do(t, "POST", "/tokens/revoke", "all", `{"id":"`+approver.ID+`"}`).want(t, 200, `~true`)
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+pair.ID+`"}`).want(t, 404, `~expired or was revoked`)
}
