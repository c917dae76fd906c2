package cataloghttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/testenv"
)

// TestScopes sends every operation of the document with every kind of key.
func TestScopes(t *testing.T) {
	h := start(t, 1)
	secret, hash := access.Mint(access.KeyPrefix)
	h.keys["expired"] = secret
	_, err := h.store.CreateKey(t.Context(), catalog.NewKey{
		Name: "expired", Hash: hash.String(), Permissions: []string{"read", "write"}, ExpiresAt: time.Now().Add(-time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	secret, hash = access.Mint(access.KeyPrefix)
	h.keys["revoked"] = secret
	revoked, err := h.store.CreateKey(t.Context(), catalog.NewKey{
		Name: "revoked", Hash: hash.String(), Permissions: []string{"read", "write"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.RevokeKey(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	withIDs := strings.NewReplacer("{song_id}", h.ids[0], "{playlist_id}", "pl_0000000000000000000000",
		"{album_id}", "al_0000000000000000000000", "{username_or_id}", "guest", "{username}", "ann",
		"{position}", "0", "{hash}", "00112233445566778899", "{key_id}", "ke_0000000000000000000000",
		"{id}", h.ids[0], "{play_id}", "py_0000000000010000000001", "{genre}", "pop")
	requests := 0
	for path, item := range document().Paths.Map() {
		for method, op := range item.Operations() {
			need := document().Permission(op)
			if path == "/api/events" {
				method = http.MethodHead // the stream does not end
			}
			for _, key := range []string{"", "read", "write", "both", "keys", "all", "expired", "revoked"} {
				want := 0
				switch {
				case (need != "public" || path == "/media/covers/{hash}") && (key == "expired" || key == "revoked"):
					want = 401 // a cover needs no key, but an invalid one is refused
				case need == "public":
				case key == need || key == "both" && need != "keys" || key == "all":
				case key == "":
					want = 401
				default:
					want = 403
				}
				got := h.do(t, key, method, withIDs.Replace(path), "")
				if want == 401 && got.status == 429 {
					want = 429 // too many invalid credentials were sent before
				}
				denied := got.status == 401 || got.status == 403 && need != "public"
				if want != 0 && got.status != want || want == 0 && denied {
					t.Errorf("%s %s with key %q: got %d %s, want %d", method, path, key, got.status, got.body, want)
				}
				if got.status == 401 && got.header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s %s: got 401 without WWW-Authenticate, want the header", method, path)
				}
				requests++
			}
		}
	}
	if got := h.do(t, "", "GET", "/api/songs?x-api-key="+h.keys["read"], ""); got.status != 401 && got.status != 429 {
		t.Errorf("key in the URL: got %d, want 401", got.status)
	}
	got := h.do(t, "read", "GET", "/api/songs", "", "X-Api-Key", h.keys["bob"])
	if got.status != 401 && got.status != 429 {
		t.Errorf("two keys: got %d, want 401", got.status)
	}
	if requests < 100 {
		t.Errorf("sent %d requests, want at least 100", requests)
	}
	testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: requests, Note: "every operation of catalog.yaml"})
}

// TestProxiedRequestsLeaveAPartOfTheRate: playback has the same key as the requests that the player
// passes on.
func TestProxiedRequestsLeaveAPartOfTheRate(t *testing.T) {
	h := start(t, 1, func(c *cataloghttp.Config) { c.Rate, c.Burst = 0.001, 20 })
	passed := 0
	for range 30 {
		if got := h.get(t, "/api/songs", "Priority", "u=5"); got.status == 200 {
			passed++
		} else if got.status != 429 {
			t.Fatalf("got %d %s, want 200 or 429", got.status, got.body)
		}
	}
	if passed != 15 {
		t.Errorf("got %d requests of a proxy, want 15 of 20", passed)
	}
	for i := range 5 {
		if got := h.get(t, "/api/songs"); got.status != 200 {
			t.Errorf("request %d of the player: got %d, want 200", i, got.status)
		}
	}
	if got := h.get(t, "/api/songs"); got.status != 429 {
		t.Errorf("request 21: got %d, want 429", got.status)
	}
}

func TestRateLimitsAreReportedAndEnforced(t *testing.T) {
	h := start(t, 1, func(c *cataloghttp.Config) { c.Rate, c.Burst = 0.001, 5 })
	for i := range 5 {
		got := h.get(t, "/api/songs").is(t, 200, nil)
		policy, limit := got.header.Get("RateLimit-Policy"), got.header.Get("RateLimit")
		left := `"default";r=` + string(rune('4'-i)) + `;t=`
		if policy != `"default";q=5;w=5000` || !strings.HasPrefix(limit, left) {
			t.Errorf("request %d: got %q, %q; want %s…", i, policy, limit, left)
		}
	}
	got := h.get(t, "/api/songs")
	retry := got.header.Get("Retry-After")
	if got.status != 429 || retry == "" || retry == "0" || !strings.Contains(got.header.Get("RateLimit"), "r=0") {
		t.Errorf("sixth request: got %d, %v; want 429 with Retry-After", got.status, got.header)
	}
	if got := h.do(t, "bob", "GET", "/api/songs", ""); got.status != 200 {
		t.Errorf("another key: got %d, want 200", got.status)
	}
	unlimited := start(t, 1)
	for range 300 {
		if got := unlimited.get(t, "/api/songs"); got.status != 200 || got.header.Get("RateLimit") != "" {
			t.Fatalf("without a limit: got %d, want 200", got.status)
		}
	}
}

// The key is revoked during an open audio stream.
func TestRevokedKeyIsRejectedWithinASecond(t *testing.T) {
	h := start(t, 1)
	req, err := http.NewRequestWithContext(t.Context(), "GET", h.url+"/api/songs/"+h.ids[0]+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", h.keys["read"])
	key, err := h.store.FindKey(t.Context(), "read")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := h.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	live, err := h.store.KeyByHash(t.Context(), access.HashOf(h.keys["read"]).String())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := h.store.RevokeKey(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	select {
	case <-live.Context().Done():
	case <-time.After(time.Second):
		t.Error("context of the revoked key: got no cancellation within a second, want one")
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("time of the revocation: got %s, want at most 1s", took)
	}
	_, _ = io.Copy(io.Discard, resp.Body) // the reply may be incomplete
	if got := h.get(t, "/api/songs"); got.status != 401 {
		t.Errorf("revoked key: got %d, want 401", got.status)
	}
	other, err := h.store.FindKey(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	rotated, hash := access.Mint(access.KeyPrefix)
	if err := h.store.RotateKey(t.Context(), other.ID, hash.String(), nil); err != nil {
		t.Fatal(err)
	}
	if got := h.do(t, "bob", "GET", "/api/songs", ""); got.status != 401 {
		t.Errorf("old secret: got %d, want 401", got.status)
	}
	h.keys["bob"] = rotated
	if got := h.do(t, "bob", "GET", "/api/songs", ""); got.status != 200 {
		t.Errorf("new secret: got %d, want 200", got.status)
	}
}
