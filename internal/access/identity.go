package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"waxwing/internal/fault"
)

// A client that has a token checks the server before it sends the token there: it sends the
// fingerprint of the token and a nonce, and the server replies with a signature that only a holder
// of the token or of its hash can compute. Neither says anything about the token.

// Fingerprint identifies a token to a server that stores its hash.
func (h Hash) Fingerprint() string { return h.mac("waxwing token fingerprint")[:32] }

// SignIdentity signs a nonce for a client that reached this server under the given host. The host
// is part of it, so that a server cannot pass on the signature of another one.
func (h Hash) SignIdentity(host, nonce string) string {
	return h.mac("waxwing server identity\n" + strings.ToLower(host) + "\n" + nonce)
}

// VerifyIdentity reports whether signature is that of host and nonce, in constant time.
func (h Hash) VerifyIdentity(host, nonce, signature string) bool {
	return hmac.Equal([]byte(h.SignIdentity(host, nonce)), []byte(signature))
}

func (h Hash) mac(message string) string {
	m := hmac.New(sha256.New, h[:])
	m.Write([]byte(message)) // never fails
	return hex.EncodeToString(m.Sum(nil))
}

// nonceLetters leaves the length to code: a counted repetition compiles to 100 KB.
var nonceLetters = regexp.MustCompile(`^[0-9A-Za-z_-]+$`)

// CheckNonce returns an Invalid fault for a nonce that is too short, too long or not plain.
func CheckNonce(nonce string) error {
	if len(nonce) < 16 || len(nonce) > 128 || !nonceLetters.MatchString(nonce) {
		return fault.New(fault.Invalid, "the nonce must be 16 to 128 letters, digits, - or _")
	}
	return nil
}

// SignIdentity signs a nonce with the hash of the token that has the fingerprint. A revoked or
// expired token counts too: its holder learns the state of the token from this server alone.
func (s *Store) SignIdentity(fingerprint, host, nonce string) (signature string, err error) {
	if err := CheckNonce(nonce); err != nil {
		return "", err
	}
	hash, ok := s.currentView(time.Now()).byFingerprint[fingerprint]
	if !ok {
		s.refresh() // a command may have created it a moment ago
		hash, ok = s.view.Load().byFingerprint[fingerprint]
	}
	if !ok {
		return "", fault.New(fault.Unauthenticated, "no token of this player has that fingerprint")
	}
	return hash.SignIdentity(host, nonce), nil
}
