package access

import (
	"encoding/json"
	"strings"

	"waxwing/internal/fault"
)

// Permissions is the set a credential was issued with, exactly: Write does not include Read.
type Permissions uint8

const (
	Read Permissions = 1 << iota
	Write
)

// ParsePermissions reads a set from its words. An empty set is refused: a credential that
// opens nothing is a mistake.
func ParsePermissions(words []string) (Permissions, error) {
	var set Permissions
	for _, word := range words {
		switch strings.TrimSpace(word) {
		case "read":
			set |= Read
		case "write":
			set |= Write
		default:
			return 0, fault.New(fault.Invalid, "a permission is read or write, not %q", word)
		}
	}
	if set == 0 {
		return 0, fault.New(fault.Invalid, "name at least one permission: read, write")
	}
	return set, nil
}

// Has reports whether p contains every permission of q.
func (p Permissions) Has(q Permissions) bool { return p&q == q }

// Words lists the set in a fixed order.
func (p Permissions) Words() []string {
	words := []string{}
	if p.Has(Read) {
		words = append(words, "read")
	}
	if p.Has(Write) {
		words = append(words, "write")
	}
	return words
}

func (p Permissions) String() string { return strings.Join(p.Words(), ", ") }

// MarshalJSON and UnmarshalJSON store a set as a list of words.
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
