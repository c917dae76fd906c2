package access

import (
	"encoding/json"
	"strings"

	"waxwing/internal/fault"
)

// Permissions is a set of permissions. None includes another: Write does not include Read, and
// neither includes Keys, the permission to manage credentials, or Streams, the permission to make
// the player connect to addresses of the web.
type Permissions uint8

const (
	Read Permissions = 1 << iota
	Write
	Keys
	Streams
)

// KeyPermissions are those that a key of the catalog can have.
const KeyPermissions = Read | Write | Keys

// permissionWords names each permission, in the order in which a set lists them.
var permissionWords = [...]struct {
	permission Permissions
	word       string
}{{Read, "read"}, {Write, "write"}, {Keys, "keys"}, {Streams, "streams"}}

// ParsePermissions parses the names of permissions of a token. An empty set is an error: a
// credential without permissions is a mistake.
func ParsePermissions(words []string) (Permissions, error) {
	return parse(words, KeyPermissions|Streams)
}

// ParseKeyPermissions is ParsePermissions for a key of the catalog.
func ParseKeyPermissions(words []string) (Permissions, error) { return parse(words, KeyPermissions) }

func parse(words []string, allowed Permissions) (Permissions, error) {
	var set Permissions
	for _, word := range words {
		permission, known := permissionOf(strings.TrimSpace(word))
		if !known || !allowed.Has(permission) {
			return 0, fault.New(fault.Invalid, "unknown permission %q; use %s", word, allowed)
		}
		set |= permission
	}
	if set == 0 {
		return 0, noPermission(allowed)
	}
	return set, nil
}

func noPermission(allowed Permissions) error {
	return fault.New(fault.Invalid, "no permission given; use at least one of %s", allowed)
}

func permissionOf(word string) (Permissions, bool) {
	for _, named := range permissionWords {
		if named.word == word {
			return named.permission, true
		}
	}
	return 0, false
}

// Has reports whether p contains every permission of q.
func (p Permissions) Has(q Permissions) bool { return p&q == q }

// Words lists the set in a fixed order.
func (p Permissions) Words() []string {
	words := []string{}
	for _, named := range permissionWords {
		if p.Has(named.permission) {
			words = append(words, named.word)
		}
	}
	return words
}

func (p Permissions) String() string { return strings.Join(p.Words(), ", ") }

// MarshalJSON and UnmarshalJSON encode a set as a list of words.
func (p Permissions) MarshalJSON() ([]byte, error) { return json.Marshal(p.Words()) }

func (p *Permissions) UnmarshalJSON(data []byte) error {
	var words []string
	if err := json.Unmarshal(data, &words); err != nil {
		return err
	}
	set, err := ParsePermissions(words)
	*p = set
	return err
}
