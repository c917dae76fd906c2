package catalog

import "crypto/rand"

// Prefixes of ids. Ids contain an underscore and usernames do not, so the two never collide.
const (
	songPrefix     = "so_"
	albumPrefix    = "al_"
	artistPrefix   = "ar_"
	playlistPrefix = "pl_"
	userPrefix     = "us_"
	keyPrefix      = "ke_"
)

const (
	base62   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	idDigits = 22 // 131 bits
)

// newID returns a random id of the given kind.
func newID(prefix string) string {
	id := make([]byte, 0, len(prefix)+idDigits)
	id = append(id, prefix...)
	var buf [32]byte
	for len(id) < cap(id) {
		_, _ = rand.Read(buf[:]) // never fails
		for _, b := range buf {
			// Bytes beyond the last multiple of 62 would bias the digits.
			if b < 248 && len(id) < cap(id) {
				id = append(id, base62[b%62])
			}
		}
	}
	return string(id)
}

// isID reports whether id has the form of the given kind. Other ids cannot exist, so they are never
// sent to the database.
func isID(prefix, id string) bool {
	if len(id) != len(prefix)+idDigits || id[:len(prefix)] != prefix {
		return false
	}
	for _, c := range []byte(id[len(prefix):]) {
		if !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z') {
			return false
		}
	}
	return true
}
