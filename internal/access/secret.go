// Package access creates, hashes, checks and revokes the credentials of both APIs. Only hashes of
// secrets are stored.
package access

import (
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
)

// Prefix identifies the kind of a credential, for people and for secret scanners.
type Prefix string

const (
	TokenPrefix Prefix = "wxt_" // token of the control API
	KeyPrefix   Prefix = "wxk_" // key of the catalog API
	AppPrefix   Prefix = "wxa_" // key of an app that speaks the Subsonic API
)

const (
	alphabet    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLen   = 30 // 178 bits, too many to guess at any rate
	checksumLen = 6
)

// Hash is the SHA-256 of a secret, the form in which it is stored.
type Hash [sha256.Size]byte

// HashOf returns the hash of a secret, whether or not it is well formed.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// Equal compares in constant time.
func (h Hash) Equal(other Hash) bool { return subtle.ConstantTimeCompare(h[:], other[:]) == 1 }

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText and UnmarshalText encode a hash as hex.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

func (h *Hash) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(h) {
		return fmt.Errorf("a hash has %d hex digits, not %d", hex.EncodedLen(len(h)), len(text))
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// Mint creates a secret and returns it with the hash to store.
func Mint(p Prefix) (secret string, hash Hash) {
	body := string(p) + randomBase62(p.length()-len(p)-checksumLen)
	sum := checksum(body)
	secret = body + string(sum[:])
	return secret, HashOf(secret)
}

// length returns the length of a secret. That of an app is one block of MD5: see [AppState].
func (p Prefix) length() int {
	if p == AppPrefix {
		return md5.BlockSize
	}
	return len(p) + randomLen + checksumLen
}

// Check reports whether secret is well formed: prefix, length, alphabet and checksum. A mistyped
// credential is thus refused without a look-up.
func Check(p Prefix, secret string) bool {
	if len(secret) != p.length() || !strings.HasPrefix(secret, string(p)) {
		return false
	}
	for i := len(p); i < len(secret); i++ {
		if !isBase62(secret[i]) {
			return false
		}
	}
	body := secret[:len(secret)-checksumLen]
	sum := checksum(body)
	return string(sum[:]) == secret[len(body):]
}

// randomBase62 returns n random digits. It rejects bytes beyond the last multiple of 62, which
// would favour some digits.
func randomBase62(n int) string {
	out := make([]byte, 0, n)
	var buf [64]byte
	for len(out) < n {
		_, _ = rand.Read(buf[:]) // never returns an error: it crashes the program instead
		for _, b := range buf {
			if int(b) < 256-256%len(alphabet) && len(out) < n {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out)
}

// checksum is the CRC-32 (IEEE) of body as six base62 digits.
func checksum(body string) (digits [checksumLen]byte) {
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}
	return digits
}

func isBase62(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
