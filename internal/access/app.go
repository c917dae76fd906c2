package access

import (
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"crypto/subtle"
	"encoding"
	"encoding/binary"
	"encoding/hex"
)

// AppState is the state of MD5 after the secret of an app, which is exactly one block long. Apps
// log in with md5(secret + salt): the state is enough to compute that for any salt, and does not
// yield the secret. Who has it can log in with such a token, so it is stored like a secret.
type AppState [md5.Size]byte

// The encoding of a digest in package crypto/md5: a magic number, the state, the bytes of the
// current block, and the number of bytes so far.
const (
	digestMagic = "md5\x01"
	digestLen   = len(digestMagic) + md5.Size + md5.BlockSize + 8
)

// MintApp creates the secret of an app and returns it with its hash and state, which are stored.
func MintApp() (secret string, hash Hash, state AppState) {
	secret, hash = Mint(AppPrefix)
	digest := md5.New() //nolint:gosec // as above
	digest.Write([]byte(secret))
	encoded, err := digest.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil || len(encoded) != digestLen {
		panic("access: crypto/md5 encodes its state in another form than that of Go 1.26")
	}
	copy(state[:], encoded[len(digestMagic):])
	return secret, hash, state
}

// MintKey creates the secret of a key of the catalog, for an app or not, and returns it with what
// is stored of it. state is nil unless it is for an app.
func MintKey(app bool) (secret, hash string, state []byte) {
	if !app {
		secret, sum := Mint(KeyPrefix)
		return secret, sum.String(), nil
	}
	secret, sum, of := MintApp()
	return secret, sum.String(), of[:]
}

// Token returns md5(secret + salt) of the secret with this state.
func (s AppState) Token(salt string) [md5.Size]byte {
	encoded := make([]byte, digestLen)
	copy(encoded, digestMagic)
	copy(encoded[len(digestMagic):], s[:])
	binary.BigEndian.PutUint64(encoded[digestLen-8:], md5.BlockSize)
	digest := md5.New() //nolint:gosec // as above
	if err := digest.(encoding.BinaryUnmarshaler).UnmarshalBinary(encoded); err != nil {
		panic("access: crypto/md5 refuses its own state: " + err.Error())
	}
	digest.Write([]byte(salt))
	return [md5.Size]byte(digest.Sum(nil))
}

// Matches reports in constant time whether token is that of this state and salt.
func (s AppState) Matches(token [md5.Size]byte, salt string) bool {
	own := s.Token(salt)
	return subtle.ConstantTimeCompare(own[:], token[:]) == 1
}

// ParseToken parses the hex digits of a token, in any case.
func ParseToken(text string) (token [md5.Size]byte, ok bool) {
	if len(text) != hex.EncodedLen(md5.Size) {
		return token, false
	}
	_, err := hex.Decode(token[:], []byte(text))
	return token, err == nil
}
