package playerhttp_test

import (
	"fmt"
	"net"
	"net/http"
	"testing"

	"waxwing/api/playerapi"
	"waxwing/internal/access"
)

// TestIdentityIsShownToHoldersOfATokenOnly also checks that guesses are limited, and that this
// limits nobody who has a token.
func TestIdentityIsShownToHoldersOfATokenOnly(t *testing.T) {
	h := start(t, 1)
	const nonce = "0123456789abcdef"
	hash := access.HashOf(h.secrets["read"])
	ask := func(fingerprint, host string) reply {
		t.Helper()
		req := h.request(t, http.MethodPost, "/identity", "",
			fmt.Sprintf(`{"fingerprint": %q, "nonce": %q}`, fingerprint, nonce))
		if host != "" {
			req.Host = host
		}
		return h.send(t, req)
	}
	known := func() {
		t.Helper()
		for _, host := range []string{h.cfg.Addr.String(), fmt.Sprintf("LocalHost:%d", h.cfg.Addr.(*net.TCPAddr).Port)} {
			var got playerapi.Identity
			r := ask(hash.Fingerprint(), host)
			r.json(t, &got)
			if r.status != http.StatusOK || !hash.VerifyIdentity(host, nonce, got.Signature) {
				t.Errorf("as %s: got %d %s, want a valid signature", host, r.status, r.body)
			}
		}
	}
	known()
	other := fmt.Sprintf("[::1]:%d", h.cfg.Addr.(*net.TCPAddr).Port)
	ask(hash.Fingerprint(), other).want(t, http.StatusBadRequest, "~must be the address")
	for i := range 12 {
		want := http.StatusUnauthorized
		if i >= 10 {
			want = http.StatusTooManyRequests
		}
		ask(access.HashOf(fmt.Sprint(i)).Fingerprint(), "").want(t, want, "~error")
	}
	known()
	h.do(t, http.MethodPost, "/identity", "", `{"fingerprint": "x"}`).want(t, http.StatusBadRequest, "~nonce")
}
