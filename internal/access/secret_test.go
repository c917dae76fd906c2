package access_test

import (
	"regexp"
	"strings"
	"testing"

	"waxwing/internal/access"
	"waxwing/internal/testenv"
)

func TestMintedSecretsAreUniqueAndPassCheck(t *testing.T) {
	form := regexp.MustCompile(`^wx[tk]_[0-9A-Za-z]{36}$`)
	seen := map[string]bool{}
	for range 1000 {
		for _, prefix := range []access.Prefix{access.TokenPrefix, access.KeyPrefix} {
			secret, hash := access.Mint(prefix)
			if !form.MatchString(secret) || !strings.HasPrefix(secret, string(prefix)) || seen[secret] {
				t.Fatalf("minted %q", secret)
			}
			seen[secret] = true
			if !access.Check(prefix, secret) || !access.HashOf(secret).Equal(hash) {
				t.Fatalf("Check(%q) = false, or its hash differs", secret)
			}
			if other := access.TokenPrefix; prefix != other && access.Check(other, secret) {
				t.Fatalf("Check(%q) accepts another prefix", secret)
			}
		}
	}
}

// Clients may rely on the checksum. The last six digits are the CRC-32 of the rest, computed by
// another program.
func TestChecksumFormatIsStable(t *testing.T) {
	const secret = "wxt_0123456789ABCDEFGHIJKLMNOPQRST0jEII3"
	if !access.Check(access.TokenPrefix, secret) {
		t.Errorf("Check(%s) = false", secret)
	}
}

// Only a well-formed secret passes, and no change of one character of it does.
func FuzzCheck(f *testing.F) {
	secret, _ := access.Mint(access.TokenPrefix)
	f.Add(secret)
	f.Add("wxt_")
	f.Add(strings.Repeat("x", 40))
	f.Add("wxt_" + strings.Repeat("é", 18))
	f.Fuzz(func(t *testing.T, s string) {
		testenv.CheckCost(t, func() {
			if !access.Check(access.TokenPrefix, s) {
				return
			}
			if len(s) != 40 || !strings.HasPrefix(s, "wxt_") {
				t.Fatalf("Check(%q) = true", s)
			}
			for i := range s {
				for _, c := range []byte("0aZ_") {
					if changed := s[:i] + string(c) + s[i+1:]; changed != s && access.Check(access.TokenPrefix, changed) {
						t.Fatalf("Check accepts both %q and %q", s, changed)
					}
				}
			}
		})
	})
}

func TestNamesAndOriginsAreValidated(t *testing.T) {
	for given, want := range map[string]string{
		"https://example.org":     "https://example.org",
		"HTTPS://Example.ORG/":    "https://example.org",
		"https://example.org:443": "https://example.org",
		"http://example.org:80":   "http://example.org",
		"http://localhost:8123":   "http://localhost:8123",
		"http://[::1]:80":         "http://[::1]",

		"example.org": "", "https://": "", "https://example.org/path": "", "https://a:b@example.org": "",
		"https://*.example.org": "", "null": "", "file:///x": "", "https://x?y": "",
	} {
		got, err := access.CleanOrigin(given)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("CleanOrigin(%q) = %q, %v; want %q", given, got, err, want)
		}
	}
	for given, ok := range map[string]bool{
		"Kitchen radio": true, "  padded ": true, "日本語 ラジオ": true, strings.Repeat("x", 64): true,
		"": false, "   ": false, "a\nb": false, "\x1b[31m": false, "\u202eabc": false, "a\u2028b": false,
		strings.Repeat("x", 65): false, "\xff": false,
	} {
		if _, err := access.CleanName(given); (err == nil) != ok {
			t.Errorf("CleanName(%q) = %v, want valid: %v", given, err, ok)
		}
	}
}
