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

// TestScopes asks every operation of the document with every kind of key.
func TestScopes(t *testing.T) {
	h := start(t, 1)
	secret, hash := access.Mint(access.KeyPrefix)
	h.keys["expired"] = secret
	if _, err := h.store.CreateKey(t.Context(), catalog.NewKey{Name: "expired", Hash: hash.String(), Permissions: []string{"read", "write"}, ExpiresAt: time.Now().Add(-time.Second)}); err != nil {
		t.Fatal(err)
	}
	secret, hash = access.Mint(access.KeyPrefix)
	h.keys["revoked"] = secret
	revoked, err := h.store.CreateKey(t.Context(), catalog.NewKey{Name: "revoked", Hash: hash.String(), Permissions: []string{"read", "write"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.RevokeKey(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("{song_id}", h.ids[0], "{playlist_id}", "pl_0000000000000000000000", "{album_id}", "al_0000000000000000000000",
		"{username_or_id}", "guest", "{username}", "ann", "{position}", "0", "{hash}", "00112233445566778899", "{key_id}", "ke_0000000000000000000000")
	asked := 0
	for path, item := range document().Paths.Map() {
		for method, op := range item.Operations() {
			need := document().Permission(op)
			for _, key := range []string{"", "read", "write", "both", "keys", "all", "expired", "revoked"} {
				want := 0
				switch {
				case need != "public" && (key == "expired" || key == "revoked"):
					want = 401
				case need == "public":
				case key == need || key == "both" && need != "keys" || key == "all":
				case key == "":
					want = 401
				default:
					want = 403
				}
				got := h.do(t, key, method, fill.Replace(path), "")
				if want == 401 && got.status == 429 {
					want = 429 // these are wrong credentials, and soon too many of them
				}
				if want != 0 && got.status != want || want == 0 && (got.status == 401 || got.status == 403 && need != "public") {
					t.Errorf("%s %s with %q: %d %s", method, path, key, got.status, got.body)
				}
				if got.status == 401 && got.header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s %s: no WWW-Authenticate", method, path)
				}
				asked++
			}
		}
	}
	if got := h.do(t, "", "GET", "/api/songs?x-api-key="+h.keys["read"], ""); got.status != 401 && got.status != 429 {
		t.Errorf("a key in the URL: %d", got.status)
	}
	if got := h.do(t, "read", "GET", "/api/songs", "", "X-Api-Key", h.keys["bob"]); got.status != 401 && got.status != 429 {
		t.Errorf("two keys: %d", got.status)
	}
	if asked < 100 {
		t.Errorf("only %d questions", asked)
	}
	testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: asked, Note: "every operation of catalog.yaml"})
}

func TestRatesAreToldAndKept(t *testing.T) {
	h := start(t, 1, func(c *cataloghttp.Config) { c.Rate, c.Burst = 0.001, 5 })
	for i := range 5 {
		got := h.get(t, "/api/songs").is(t, 200, nil)
		if got.header.Get("RateLimit-Policy") != `"default";q=5;w=5000` || !strings.HasPrefix(got.header.Get("RateLimit"), `"default";r=`+string(rune('4'-i))+`;t=`) {
			t.Errorf("request %d: %q, %q", i, got.header.Get("RateLimit-Policy"), got.header.Get("RateLimit"))
		}
	}
	got := h.get(t, "/api/songs")
	if got.status != 429 || got.header.Get("Retry-After") == "" || got.header.Get("Retry-After") == "0" || !strings.Contains(got.header.Get("RateLimit"), "r=0") {
		t.Errorf("the sixth: %d, %v", got.status, got.header)
	}
	if got := h.do(t, "bob", "GET", "/api/songs", ""); got.status != 200 {
		t.Errorf("another key: %d", got.status)
	}
	free := start(t, 1)
	for range 300 {
		if got := free.get(t, "/api/songs"); got.status != 200 || got.header.Get("RateLimit") != "" {
			t.Fatalf("without a limit: %d", got.status)
		}
	}
}

// TestARevokedKeyDiesAtOnce revokes a key under an open stream of sound.
func TestARevokedKeyDiesAtOnce(t *testing.T) {
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
	begun := time.Now()
	if err := h.store.RevokeKey(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	select {
	case <-live.Life().Done():
	case <-time.After(time.Second):
		t.Error("the life of the key goes on")
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it took %s", took)
	}
	_, _ = io.Copy(io.Discard, resp.Body) // what was sent may be whole or cut
	if got := h.get(t, "/api/songs"); got.status != 401 {
		t.Errorf("the revoked key opens: %d", got.status)
	}
	other, err := h.store.FindKey(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	fresh, hash := access.Mint(access.KeyPrefix)
	if err := h.store.RotateKey(t.Context(), other.ID, hash.String()); err != nil {
		t.Fatal(err)
	}
	if got := h.do(t, "bob", "GET", "/api/songs", ""); got.status != 401 {
		t.Errorf("the old secret: %d", got.status)
	}
	h.keys["bob"] = fresh
	if got := h.do(t, "bob", "GET", "/api/songs", ""); got.status != 200 {
		t.Errorf("the new secret: %d", got.status)
	}
}
