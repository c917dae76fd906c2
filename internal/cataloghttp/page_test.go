package cataloghttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"waxwing/api/catalogapi"
	"waxwing/internal/access"
)

// TestCatalogServesTheWebPlayer checks that the page and its files need no key, and that their
// policy lets them talk to this server only.
func TestCatalogServesTheWebPlayer(t *testing.T) {
	h := start(t, 1)
	page := h.do(t, "", http.MethodGet, "/", "")
	if page.status != 200 || page.header.Get("Content-Type") != "text/html; charset=utf-8" ||
		!strings.Contains(page.body, `data-server="catalog"`) {
		t.Fatalf("got %d %s\n%s\nwant the page of a catalog", page.status, page.header.Get("Content-Type"), page.body)
	}
	loads := regexp.MustCompile(`(?:href|src)="(/web/v-[^"]+)"`).FindAllStringSubmatch(page.body, -1)
	if len(loads) < 5 {
		t.Errorf("got %d files of the page, want at least 5", len(loads))
	}
	for _, load := range append(loads, []string{"", "/"}) {
		got := h.do(t, "", http.MethodGet, load[1], "")
		policy := got.header.Get("Content-Security-Policy")
		if got.status != 200 || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: got %d with policy %q, want 200 and a strict policy", load[1], got.status, policy)
		}
	}
	if got := h.do(t, "", http.MethodGet, "/web/nothing.js", ""); got.status != 404 {
		t.Errorf("a file that does not exist: got %d, want 404", got.status)
	}
}

// TestCatalogIdentityIsShownToHoldersOfAKeyOnly: the page checks the server before it sends its
// key.
func TestCatalogIdentityIsShownToHoldersOfAKeyOnly(t *testing.T) {
	onBoth(t, 0, func(t *testing.T, h *fixture) {
		const nonce = "0123456789abcdef"
		host := strings.TrimPrefix(h.url, "http://")
		ask := func(hash access.Hash) reply {
			t.Helper()
			return h.do(t, "", http.MethodPost, "/identity",
				fmt.Sprintf(`{"fingerprint": %q, "nonce": %q}`, hash.Fingerprint(), nonce))
		}
		known := func() {
			t.Helper()
			hash := access.HashOf(h.keys["read"])
			var got catalogapi.Identity
			r := ask(hash)
			if err := json.Unmarshal([]byte(r.body), &got); err != nil || r.status != 200 ||
				!hash.VerifyIdentity(host, nonce, got.Signature) {
				t.Errorf("got %d %s, want a valid signature", r.status, r.body)
			}
		}
		known()
		for i := range 12 {
			want := http.StatusUnauthorized
			if i >= 10 {
				want = http.StatusTooManyRequests
			}
			if r := ask(access.HashOf(fmt.Sprint(i))); r.status != want {
				t.Errorf("unknown key %d: got %d %s, want %d", i, r.status, r.body, want)
			}
		}
		known()
		if r := h.do(t, "", http.MethodPost, "/identity", `{"fingerprint": "x", "nonce": "short"}`); r.status != 400 {
			t.Errorf("a short nonce: got %d %s, want 400", r.status, r.body)
		}
	})
}

func TestCurrentKeyIsThatOfTheRequest(t *testing.T) {
	h := start(t, 0)
	for name, want := range map[string]string{"read": "read", "both": "read write", "all": "read write keys"} {
		got := h.do(t, name, http.MethodGet, "/api/keys/current", "")
		var reply catalogapi.KeyReply
		if err := json.Unmarshal([]byte(got.body), &reply); err != nil || got.status != 200 || reply.Key.Name != name ||
			strings.Join(reply.Key.Permissions, " ") != want || !reply.Key.Current {
			t.Errorf("%s: got %d %s, want the key itself with %s", name, got.status, got.body, want)
		}
	}
	if got := h.do(t, "write", http.MethodGet, "/api/keys/current", ""); got.status != 403 {
		t.Errorf("without the permission read: got %d, want 403", got.status)
	}
}
