package art

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Names converts the hashes of covers to the names in their URLs and back. Hashes can be
// computed from a guessed artist, playlist, user or picture; names cannot without the secret of the
// catalog, so that nobody learns from guesses what the library contains.
//
// A name is the hash under a block cipher, whose key is an HMAC of the secret. That is as hard to
// guess as an HMAC of the hash, and needs no index to find the hash again.
type Names struct{ block cipher.Block }

func NewNames(secret []byte) (Names, error) {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("waxwing cover names 1"))
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		return Names{}, fmt.Errorf("prepare the names of covers: %w", err)
	}
	return Names{block}, nil
}

// Append appends the name of a cover. A hash of another length than [aes.BlockSize] bytes in hex
// gets the name of no cover.
func (c Names) Append(b []byte, hash string) []byte {
	start := len(b)
	b = append(b, hash...)
	name := b[start:]
	if len(name) != hex.EncodedLen(aes.BlockSize) {
		return append(b[:start], "unknown"...)
	}
	if _, err := hex.Decode(name, name); err != nil {
		return append(b[:start], "unknown"...)
	}
	c.block.Encrypt(name[:aes.BlockSize], name[:aes.BlockSize])
	for i := aes.BlockSize - 1; i >= 0; i-- { // in place, from the end
		name[2*i], name[2*i+1] = hexDigits[name[i]>>4], hexDigits[name[i]&15]
	}
	return b
}

const hexDigits = "0123456789abcdef"

// Hash returns the hash of the cover with a name, and false for what is not a name.
func (c Names) Hash(name string) (string, bool) {
	if len(name) != hex.EncodedLen(aes.BlockSize) {
		return "", false
	}
	for i := range len(name) {
		if c := name[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", false
		}
	}
	b, err := hex.DecodeString(name)
	if err != nil {
		return "", false
	}
	c.block.Decrypt(b, b)
	return hex.EncodeToString(b), true
}
