package playerhttp_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
)

// createToken creates a token directly in the store, without the checks of the API.
func (h *fixture) createToken(t *testing.T, n access.NewToken) (access.Token, string) {
	t.Helper()
	created, secret, err := h.store.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return created, secret
}

func TestTokensCanBeCreatedListedAndRevoked(t *testing.T) {
	h := start(t, 0)
	h.do(t, "GET", "/token", "read", "").want(t, 200, `~"permissions":["read"]`)
	h.do(t, "GET", "/token", "both", "").want(t, 200, `~"current":true`)
	var created struct {
		Secret string
		Token  struct{ ID string }
	}
	h.do(t, "POST", "/tokens", "all", `{"name":" Overlay ","permissions":["read"],"expires_in":3600}`).json(t, &created)
	h.do(t, "GET", "/playback-state", created.Secret, "").want(t, 200, `~is_playing`)
	h.do(t, "POST", "/pause", created.Secret, "").want(t, 403, `~permission`)
	h.do(t, "GET", "/tokens", "keys", "").want(t, 200, `~"name":"Overlay","permissions":["read"],"origin":null`)
	if got := h.do(t, "GET", "/tokens", "all", ""); strings.Contains(got.body, created.Secret) ||
		strings.Contains(got.body, "hash") {
		t.Errorf("got token list %s, want no secret and no hash", got.body)
	}
	h.do(t, "POST", "/tokens/revoke", "all", `{"id":"`+created.Token.ID+`"}`).want(t, 200, `{"ok":true}`)
	h.do(t, "GET", "/playback-state", created.Secret, "").want(t, 401, `~error`)
	if got := h.do(t, "GET", "/tokens", "all", ""); strings.Contains(got.body, created.Token.ID) {
		t.Errorf("got token list %s, want it without the revoked token %s", got.body, created.Token.ID)
	}
	h.do(t, "POST", "/tokens/revoke", "all", `{"id":"Overlay"}`).want(t, 404, `~there is no token`)
}

// TestTokenCannotCreateStrongerToken: a token can neither create nor revoke a token that has more
// permissions than itself, and a token for a web origin cannot manage access at all.
func TestTokenCannotCreateStrongerToken(t *testing.T) {
	h := start(t, 0)
	h.do(t, "POST", "/tokens", "keys", `{"name":"x","permissions":["read"]}`).want(t, 403, `~yours, which has only keys`)
	h.do(t, "POST", "/tokens", "keys", `{"name":"x","permissions":["read","keys"]}`).
		want(t, 403, `~yours, which has only keys`)
	h.do(t, "POST", "/tokens", "both", `{"name":"x","permissions":["read"]}`).want(t, 403, `~needs the permission keys`)
	h.do(t, "POST", "/tokens", "keys", `{"name":"x","permissions":["keys"]}`).want(t, 200, `~"secret":"wxt_`)

	const all = access.Read | access.Write | access.Keys
	var shortLived struct {
		access.Token
		secret string
	}
	shortLived.Token, shortLived.secret = h.createToken(t,
		access.NewToken{Name: "short", Permissions: all, Lifetime: time.Hour})
	h.do(t, "POST", "/tokens", shortLived.secret, `{"name":"x","permissions":["read"]}`).
		want(t, 200, `~"expires_at":"`+shortLived.ExpiresAt.Format("2006-01-02T15:04:05.000Z")+`"`)
	h.do(t, "POST", "/tokens", shortLived.secret, `{"name":"x","permissions":["read"],"expires_in":7200}`).
		want(t, 403, `~must not expire later`)
	h.do(t, "POST", "/tokens", shortLived.secret, `{"name":"x","permissions":["read"],"expires_in":60}`).
		want(t, 200, `~"secret":"wxt_`)

	_, originToken := h.createToken(t,
		access.NewToken{Name: "page", Permissions: all, Origin: "https://page.example"})
	for _, at := range []string{
		"GET /tokens", "POST /tokens", "POST /tokens/revoke", "POST /pair/approve", "POST /pair/deny",
		"GET /api/keys", "POST /api/keys", "DELETE /api/keys/ke_1", "POST /api/keys/ke_1/rotate",
	} {
		method, path, _ := strings.Cut(at, " ")
		h.do(t, method, path, originToken, `{"id":"x","code":"1234","name":"x","permissions":["read"]}`).
			want(t, 403, `~cannot manage access`)
	}
	strong, _ := h.createToken(t, access.NewToken{Name: "strong", Permissions: all})
	h.do(t, "POST", "/tokens/revoke", "keys", `{"id":"`+strong.ID+`"}`).want(t, 403, `~yours, which has only keys`)
}

func TestInvalidTokenRequestsCreateNothing(t *testing.T) {
	h := start(t, 0)
	count := func() int { return strings.Count(h.do(t, "GET", "/tokens", "all", "").body, `"id":`) }
	before := count()
	for _, body := range []string{
		``, `{}`, `[]`, `{"name":"x"}`, `{"name":"","permissions":["read"]}`,
		`{"name":"x","permissions":[]}`, `{"name":"x","permissions":["root"]}`,
		`{"name":"x","permissions":["read"],"expires_in":0}`, `{"name":"x","permissions":["read"],"expires_in":-5}`,
		`{"name":"x","permissions":["read"],"expires_in":9223372036854775807}`,
		`{"name":"x","permissions":["read"],"expires_in":"soon"}`,
		`{"name":"x","permissions":["read"],"origin":"not an origin"}`, `{"name":"a\u0000b","permissions":["read"]}`,
	} {
		h.do(t, "POST", "/tokens", "all", body).want(t, 400, `~{"error":"`)
	}
	if after := count(); before == 0 || after != before {
		t.Errorf("got %d tokens, want %d as before the requests, and not 0", after, before)
	}
}

// TestPairingEventsReachOnlyApprovers: pairing events go to tokens with the permission keys only.
func TestPairingEventsReachOnlyApprovers(t *testing.T) {
	h := start(t, 0)
	lines := make(chan string)
	listen := func(token string) {
		resp, err := h.http.Do(h.request(t, http.MethodGet, "/events", token, ""))
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		go func() {
			for text := bufio.NewScanner(resp.Body); text.Scan(); {
				if after, isData := strings.CutPrefix(text.Text(), `data: {"waiting":`); isData {
					lines <- token + " " + after
				}
			}
		}()
	}
	listen("both")
	listen("all")
	var pair struct{ ID, Code string }
	h.do(t, "POST", "/pair", "", `{"name":"Radio","permissions":["read"],"expires_in":600}`).json(t, &pair)
	want := func(part string) {
		t.Helper()
		select {
		case got := <-lines:
			if !strings.HasPrefix(got, "all ") || !strings.Contains(got, part) {
				t.Errorf("got pairing event %s, want one for the token all that contains %s", got, part)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("got no pairing event in 5 s, want one that contains %s", part)
		}
	}
	want(`"code":"` + pair.Code + `"`)
	h.do(t, "POST", "/pair/approve", "all", `{"code":"`+pair.Code+`"}`).want(t, 200, `~"ok":true`)
	want(`all []}`)
	var claimed struct{ Token string }
	h.do(t, "POST", "/pair/claim", "", `{"id":"`+pair.ID+`"}`).json(t, &claimed)
	h.do(t, "GET", "/token", claimed.Token, "").want(t, 200, `~"expires_at":"2`)
	h.do(t, "POST", "/pair", "", `{"name":"Stranger","permissions":["read"]}`).json(t, &pair)
	want(`"code":"` + pair.Code + `"`)
	h.do(t, "POST", "/pair/deny", "all", `{"code":"`+pair.Code+`"}`).want(t, 200, `~"ok":true`)
	want(`all []}`)
	h.do(t, "POST", "/pair", "", `{"name":"Radio","permissions":["read"],"expires_in":0}`).want(t, 400, `~expires_in`)
}
