package access_test

import (
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"encoding/hex"
	"strings"
	"testing"

	"waxwing/internal/access"
)

func TestTokensOfAppsFollowFromTheirState(t *testing.T) {
	for i := range 200 {
		secret, hash, state := access.MintApp()
		if len(secret) != 64 || !access.Check(access.AppPrefix, secret) || hash != access.HashOf(secret) {
			t.Fatalf("secret: got %d characters, want 64 that are well formed and hashed", len(secret))
		}
		if access.Check(access.KeyPrefix, secret) {
			t.Fatal("the secret of an app is accepted as an ordinary key")
		}
		salt := strings.Repeat("sält ", i)
		want := md5.Sum([]byte(secret + salt)) //nolint:gosec // as above
		if got := state.Token(salt); got != want {
			t.Fatalf("salt of %d bytes: got %x, want %x", len(salt), got, want)
		}
		token, ok := access.ParseToken(strings.ToUpper(hex.EncodeToString(want[:])))
		if !ok || !state.Matches(token, salt) || state.Matches(token, salt+"x") {
			t.Fatalf("salt of %d bytes: the token must match this salt and no other", len(salt))
		}
		if strings.Contains(secret, hex.EncodeToString(state[:])) {
			t.Fatal("the secret contains its state")
		}
	}
	for _, bad := range []string{"", "00", strings.Repeat("g", 32), strings.Repeat("0", 33), strings.Repeat("0", 31)} {
		if _, ok := access.ParseToken(bad); ok {
			t.Errorf("ParseToken(%q): got ok, want an error", bad)
		}
	}
}
