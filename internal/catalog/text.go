package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// keySeparator stands between the parts of a key. It is a control character, so no part contains
// it.
const keySeparator = "\x1f"

// hashedKey begins a key that is too long to be stored as it is.
const hashedKey = "sha256:"

func isHashedKey(key string) bool { return strings.HasPrefix(key, hashedKey) }

// shortKey limits a key to a length that every index accepts.
func shortKey(key string) string {
	key = strings.ReplaceAll(strings.ToValidUTF8(key, "\uFFFD"), "\x00", "")
	if len(key) <= 400 {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return hashedKey + hex.EncodeToString(sum[:])
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// boolInt converts a boolean to the integer that both engines store.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
