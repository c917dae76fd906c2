package catalog

import (
	"crypto/sha256"
	"encoding/hex"
)

// GeneratedCover names the picture that is drawn from seed. The same seed is always the same
// picture under the same hash.
func GeneratedCover(seed string) Cover {
	sum := sha256.Sum256([]byte("waxwing generated cover 1\x00" + seed))
	return Cover{Hash: hex.EncodeToString(sum[:16]), Source: CoverGenerated, Seed: seed}
}
