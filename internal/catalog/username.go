package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

const usernameLen = 30

// reservedUsernames could be confused with a path, a role or Waxwing itself.
var reservedUsernames = map[string]bool{
	"about": true, "admin": true, "administrator": true, "albums": true, "api": true, "artist": true, "artists": true,
	"docs": true, "health": true, "help": true, "link": true, "login": true, "logout": true, "me": true, "media": true,
	"metrics": true, "new": true, "null": true, "openapi.yaml": true, "playlists": true, "plays": true, "ready": true,
	"root": true, "scan": true, "search": true, "self": true, "settings": true, "songs": true, "stream": true,
	"support": true, "system": true, "trending": true, "undefined": true, "unknown": true, "user": true, "users": true,
	"waxwing": true, "www": true,
}

// isUsername reports whether s has the form of a username: [a-z0-9](?:[a-z0-9.-]{0,28}[a-z0-9])?
func isUsername(s string) bool {
	if len(s) == 0 || len(s) > usernameLen {
		return false
	}
	for i := range len(s) {
		c := s[i]
		edge := i == 0 || i == len(s)-1
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || !edge && (c == '.' || c == '-')) {
			return false
		}
	}
	return true
}

// CheckUsername validates a username that a user chose.
func CheckUsername(s string) error {
	if !isUsername(s) {
		return fault.New(
			fault.Invalid,
			"a username must have 1 to %d characters of a-z, 0-9, dot and hyphen, and begin and "+
				"end with a letter or digit",
			usernameLen,
		)
	}
	if reservedUsernames[s] {
		return fault.New(fault.Invalid, "the username %s is reserved", s)
	}
	return nil
}

// usernameFrom derives a username from a name. It returns fallback if no character of the name can
// be transliterated.
func usernameFrom(name, fallback string) string {
	var b strings.Builder
	gap := false
	for _, r := range words.Transliterate(name) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '\'':
		default:
			gap = true
		}
	}
	base := b.String()
	if base == "" {
		base = fallback
	}
	return cutUsername(base, usernameLen)
}

func cutUsername(s string, max int) string {
	if len(s) > max {
		s = s[:max]
	}
	return strings.TrimRight(s, "-.")
}

// withSuffix appends a number to a username.
func withSuffix(base string, n int) string {
	suffix := "-" + strconv.Itoa(n)
	return cutUsername(base, usernameLen-len(suffix)) + suffix
}

// usernames reserves unique usernames of one table within one change.
type usernames struct {
	t       *tx
	table   string // artists or users
	taken   map[string]bool
	checked map[string]bool // whether taken is complete for the name
	next    map[string]int  // next number to try, by base
}

func newUsernames(t *tx, table string) *usernames {
	return &usernames{t: t, table: table, taken: make(map[string]bool), checked: make(map[string]bool),
		next: make(map[string]int)}
}

// check looks up many usernames in one query.
func (u *usernames) check(ctx context.Context, names []string) error {
	for chunk := range slices.Chunk(names, 500) {
		taken, err := collect(ctx, u.t, "look up usernames", func(rows *sql.Rows) (name string, err error) {
			return name,
				rows.Scan(&name)
		},
			`SELECT username FROM `+u.table+` WHERE username IN (`+in(1, len(chunk))+`)`, anySlice(chunk)...)
		if err != nil {
			return err
		}
		for _, name := range taken {
			u.taken[name] = true
		}
		for _, name := range chunk {
			u.checked[name] = true
		}
	}
	return nil
}

// reserve returns base, or base with the first free number. Usernames are never reused, because
// rows are never deleted. Used numbers begin at 2 and rarely have gaps, so a search by doubling and
// halving finds the first free one in few queries.
func (u *usernames) reserve(ctx context.Context, base string) (string, error) {
	if n, ok := u.next[base]; ok {
		for ; ; n++ {
			free, err := u.isFree(ctx, withSuffix(base, n))
			if err != nil {
				return "", err
			}
			if free {
				u.next[base] = n + 1
				return u.mark(withSuffix(base, n)), nil
			}
		}
	}
	free, err := u.isFree(ctx, base)
	if err != nil {
		return "", err
	}
	if free && !reservedUsernames[base] {
		return u.mark(base), nil
	}
	low, high := 1, 2 // low is taken
	for {
		free, err := u.isFree(ctx, withSuffix(base, high))
		if err != nil {
			return "", err
		}
		if free {
			break
		}
		low, high = high, high*2
	}
	for high-low > 1 {
		mid := (low + high) / 2
		free, err := u.isFree(ctx, withSuffix(base, mid))
		if err != nil {
			return "", err
		}
		if free {
			high = mid
		} else {
			low = mid
		}
	}
	u.next[base] = high + 1
	return u.mark(withSuffix(base, high)), nil
}

func (u *usernames) mark(name string) string {
	u.taken[name] = true
	return name
}

func (u *usernames) isFree(ctx context.Context, name string) (bool, error) {
	if u.taken[name] || u.checked[name] {
		return !u.taken[name], nil
	}
	var n int
	err := u.t.QueryRowContext(ctx, `SELECT count(*) FROM `+u.table+` WHERE username = $1`, name).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("look up the username %s: %w", name, err)
	}
	return n == 0, nil
}
