package playerhttp_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/testenv"
)

// TestEveryOperationRequiresItsPermission calls every operation of api/player.yaml with every kind
// of credential.
func TestEveryOperationRequiresItsPermission(t *testing.T) {
	h := start(t, 3)
	const all = access.KeyPermissions | access.Streams
	expiring, expired, err := h.store.Create(t.Context(),
		access.NewToken{Name: "expired", Permissions: all, Lifetime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	revoked, secret, err := h.store.Create(t.Context(), access.NewToken{Name: "revoked", Permissions: all})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.Revoke(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	testenv.WaitFor(t, "the token expires", func() bool { return time.Now().After(expiring.ExpiresAt) })
	h.secrets["expired"], h.secrets["revoked"] = expired, secret

	tried := 0
	for path, item := range document().Paths.Map() {
		for method, op := range item.Operations() {
			need := document().Permission(op)
			for _, kind := range []string{"", "read", "write", "both", "keys", "streams", "all", "expired",
				"revoked"} {
				withIDs := strings.NewReplacer("{path}", "songs", "{hash}", "ab", "{key_id}", "ke_1")
				got := h.scope(t, method, withIDs.Replace(path), kind)
				tried++
				allowed := need == "public" || kind == need || kind == "both" && (need == "read" || need == "write") ||
					kind == "all"
				denied := got.status == 401 || got.status == 403 || got.status == 429
				if allowed == denied {
					t.Errorf("%s %s, which needs %s, with token %q: got %d %s, want allowed %v",
						method, path, need, kind, got.status, got.body, allowed)
				}
				switch {
				case allowed:
				case kind == "" && got.status != 401, kind != "" && kind != "expired" && kind != "revoked" && got.status != 403:
					t.Errorf("%s %s with token %q: got %d, want 401 without a token, else 403",
						method, path, kind, got.status)
				case got.status == 401 && got.header.Get("WWW-Authenticate") != `Bearer realm="waxwing"`:
					t.Errorf("%s %s: got a 401 without WWW-Authenticate, want the header", method, path)
				}
			}
		}
	}
	testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: tried, Note: "every operation of player.yaml"})
	if strings.Contains(h.log.String(), secret) || strings.Contains(h.log.String(), h.secrets["both"]) {
		t.Error("got a token in the log, want none")
	}
}

// scope sends HEAD to /events, whose stream does not end, and otherwise the given method.
func (h *fixture) scope(t *testing.T, method, path, kind string) reply {
	t.Helper()
	if path == "/events" {
		method = http.MethodHead
	}
	return h.do(t, method, path, kind, "")
}

// TestTokenInHeaderOverridesQuery: the query is used only without an Authorization header, and two
// tokens in one place are rejected.
func TestTokenInHeaderOverridesQuery(t *testing.T) {
	h := start(t, 0)
	good, bad := h.secrets["read"], strings.Repeat("x", 40)
	for i, c := range []struct {
		headers []string
		query   string
		status  int
	}{
		{nil, "", 401},
		{nil, "?access_token=" + good, 200},
		{nil, "?x=1&access_token=" + good + "&y=2", 200},
		{nil, "?access%5Ftoken=" + good, 200},
		{nil, "?ACCESS_TOKEN=" + good, 401},
		{nil, "?access_token=" + bad, 401},
		{nil, "?access_token=" + good + "&access_token=" + good, 401},
		{nil, "?access_token=", 401},
		{nil, "#access_token=" + good, 401},
		{[]string{"Bearer " + good}, "?access_token=" + bad, 200},
		{[]string{"bearer " + good}, "", 200},
		{[]string{"Bearer  " + good}, "", 200},
		{[]string{"Bearer " + bad}, "?access_token=" + good, 401},
		{[]string{""}, "?access_token=" + good, 401},
		{[]string{"Basic " + good}, "?access_token=" + good, 401},
		{[]string{good}, "", 401},
		{[]string{"Bearer"}, "", 401},
		{[]string{"Bearer " + good, "Bearer " + good}, "", 401},
		{[]string{"Bearer " + good, "Bearer " + bad}, "", 401},
		{[]string{"Bearer " + good + "," + good}, "", 401},
		{[]string{"Bearer " + good + " x"}, "", 401},
	} {
		req, err := http.NewRequest("GET", h.url+"/playback-state"+c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.headers != nil {
			req.Header["Authorization"] = c.headers
		}
		got := h.send(t, req)
		if got.status != c.status && (c.status != 401 || got.status != 429) {
			t.Errorf("case %d %q %q: got %d %s, want %d", i, c.headers, c.query, got.status, got.body, c.status)
		}
	}
	testenv.Report(t, testenv.WrongCredentials,
		testenv.Tally{Inputs: 21, Note: testenv.TriedOf(21, 12, "conflicting forms")})
	if log := h.log.String(); strings.Contains(log, good) || strings.Contains(log, url.QueryEscape(good)) ||
		strings.Contains(log, "access_token") {
		t.Error("got a token or a query in the log, want neither")
	}
}

// TestNearMissTokensAreRejectedAndRateLimited sends 10,000 slight variations of a valid token.
// None is accepted, the address is rate-limited, and the valid token keeps working from that
// address.
func TestNearMissTokensAreRejectedAndRateLimited(t *testing.T) {
	h := start(t, 0)
	good := h.secrets["read"]
	byStatus := map[int]int{}
	misses := testenv.NearMisses(good, 10_000)
	for i, near := range misses {
		got := h.read(t, h.request(t, "GET", "/playback-state", near, ""))
		byStatus[got.status]++
		if got.status == 429 && got.header.Get("Retry-After") == "" {
			t.Fatal("got a 429 without Retry-After, want the header")
		}
		if i%50 == 0 || i < 20 {
			if owner := h.do(t, "GET", "/playback-state", "read", ""); owner.status != 200 {
				t.Fatalf("with the valid token: got %d %s, want 200", owner.status, owner.body)
			}
		}
	}
	accepted := len(misses) - byStatus[401] - byStatus[429]
	if accepted != 0 || byStatus[401] < 10 || byStatus[429] < 5000 {
		t.Errorf("got replies by status %v, want ten 401 a minute and otherwise 429", byStatus)
	}
	h.do(t, "GET", "/playback-state", "", "").want(t, 401, `~{"error":"`) // not a guess, so not a 429
	tried := testenv.TriedOf(len(misses), 10_000, "near misses of tokens")
	testenv.Report(t, testenv.WrongCredentials, testenv.Tally{
		Inputs: len(misses), Note: fmt.Sprintf("%s: %d got 401, %d got 429", tried, byStatus[401], byStatus[429]),
	})
}
