package access_test

import (
	"path/filepath"
	"strings"
	"testing"

	"waxwing/internal/access"
	"waxwing/internal/fault"
)

// TestIdentityVectors fixes the algorithm, which the web player implements too.
func TestIdentityVectors(t *testing.T) {
	hash := access.HashOf("wxt_example")
	for what, got := range map[string][2]string{
		"hash":        {hash.String(), identityHash},
		"fingerprint": {hash.Fingerprint(), identityFingerprint},
		"signature":   {hash.SignIdentity("127.0.0.1:7833", "0123456789abcdef"), identitySignature},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got %s, want %s", what, got[0], got[1])
		}
	}
}

func TestIdentityIsBoundToTokenHostAndNonce(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "tokens.json"))
	_, secret := create(t, s, "tab")
	hash := access.HashOf(secret)
	const host, nonce = "localhost:7833", "0123456789abcdef"
	signature, err := s.SignIdentity(hash.Fingerprint(), "LOCALHOST:7833", nonce)
	if err != nil || !hash.VerifyIdentity(host, nonce, signature) {
		t.Fatalf("got %q, %v; want a valid signature", signature, err)
	}
	if access.HashOf("wxt_other").VerifyIdentity(host, nonce, signature) ||
		hash.VerifyIdentity("localhost:7834", nonce, signature) || hash.VerifyIdentity(host, nonce+"0", signature) ||
		hash.VerifyIdentity(host, nonce, "") {
		t.Error("the signature is valid for another token, host or nonce")
	}
	if strings.Contains(signature, hash.Fingerprint()) || strings.Contains(hash.String(), hash.Fingerprint()) {
		t.Error("the fingerprint is part of the signature or of the hash")
	}
	if _, err := s.Revoke(t.Context(), "tab"); err != nil {
		t.Fatal(err)
	}
	if again, err := s.SignIdentity(hash.Fingerprint(), host, nonce); err != nil || again != signature {
		t.Errorf("a revoked token: got %q, %v; want the same signature", again, err)
	}
	for _, bad := range []struct {
		fingerprint, nonce string
		want               fault.Kind
	}{
		{access.HashOf("wxt_other").Fingerprint(), nonce, fault.Unauthenticated},
		{"", nonce, fault.Unauthenticated},
		{hash.String()[:32], nonce, fault.Unauthenticated},
		{hash.Fingerprint(), "short", fault.Invalid},
		{hash.Fingerprint(), nonce + "\n127.0.0.1", fault.Invalid},
		{hash.Fingerprint(), strings.Repeat("a", 129), fault.Invalid},
	} {
		if kind, _ := fault.Of(second(s.SignIdentity(bad.fingerprint, host, bad.nonce))); kind != bad.want {
			t.Errorf("%q with nonce %q: got kind %v, want %v", bad.fingerprint, bad.nonce, kind, bad.want)
		}
	}
}

func second(_ string, err error) error { return err }

const (
	identityHash        = "eadcd768d85ae3271d7a50328c48419ad96c6f0f1a8fec09bbd6f1d77c516a69"
	identityFingerprint = "b0c196b7061ba4a204f7fe490817dfe1"
	identitySignature   = "3777b394f6bbb936e026d9d9ca2517df4e662e698334f0609b9024b8bfa711d9"
)
