// Package rules defines the rules of smart playlists: their form, their validation, and their
// conversion from and to .nsp files. It does not evaluate them.
package rules

import (
	"slices"
	"strings"

	"waxwing/internal/fault"
)

// Set is the rules of a smart playlist, in the form of the API.
type Set struct {
	Match string `json:"match"` // All or Any
	Rules []Rule `json:"rules"`
	Sort  string `json:"sort,omitempty"`  // one of Sorts; empty: SortAdded
	Order string `json:"order,omitempty"` // asc or desc; empty: the one that people expect
	Limit int64  `json:"limit,omitempty"` // 0: none
}

// Rule compares a field, or is a group of rules: then Match and Rules are set and the others empty.
type Rule struct {
	Field string `json:"field,omitempty"`
	Op    string `json:"op,omitempty"`
	Value any    `json:"value,omitempty"`
	Match string `json:"match,omitempty"`
	Rules []Rule `json:"rules,omitempty"`
}

// The values of match.
const (
	All = "all"
	Any = "any"
)

// The orders that need a name in code.
const (
	SortAdded      = "added"
	SortRandom     = "random"
	SortRating     = "rating"
	SortPlayCount  = "play_count"
	SortLastPlayed = "last_played"
)

// Sorts are the orders of a smart playlist.
func Sorts() []string {
	return []string{"title", "artist", "album", "year", SortAdded, "duration", SortPlayCount, SortLastPlayed, SortRating,
		SortRandom}
}

// Bounds of a set.
const (
	MaxDepth = 5   // groups in each other, the outermost included
	MaxRules = 100 // rules and groups
	MaxText  = 200 // characters of a text
	MaxList  = 100 // values of in
	MaxLimit = 1_000_000
	MaxDays  = 36_500
)

// Kind is the type of a field.
type Kind int

// The kinds of fields.
const (
	Text Kind = iota
	Number
	Flag
	Time
)

// Field is a property of a song.
type Field struct {
	Name     string
	Kind     Kind
	Personal bool // of the owner of the playlist
}

var fields = []Field{
	{Name: "title"}, {Name: "artist"}, {Name: "album"}, {Name: "genre"}, {Name: "year", Kind: Number},
	{Name: "rating", Kind: Number, Personal: true}, {Name: "liked", Kind: Flag, Personal: true},
	{Name: "play_count", Kind: Number, Personal: true}, {Name: "last_played", Kind: Time, Personal: true},
	{Name: "added", Kind: Time}, {Name: "duration", Kind: Number}, {Name: "format"}, {Name: "path"},
}

// ops are the comparisons of each kind.
var ops = map[Kind][]string{
	Text:   {"is", "is_not", "contains", "not_contains", "starts_with", "in"},
	Number: {"is", "is_not", "lt", "gt", "between", "in"},
	Flag:   {"is", "is_not"},
	Time:   {"before", "after", "between", "in_last"},
}

// Fields are the names of all fields.
func Fields() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// Ops are the names of all comparisons.
func Ops() []string {
	var all []string
	for _, kind := range []Kind{Text, Number, Flag, Time} {
		for _, op := range ops[kind] {
			if !slices.Contains(all, op) {
				all = append(all, op)
			}
		}
	}
	return all
}

// Check returns an Invalid fault that says what is wrong with the set and what is allowed.
func (s Set) Check() error {
	_, err := s.Compile()
	return err
}

// Personal reports whether the set depends on what the owner likes, rates and plays.
func (s Set) Personal() bool {
	return s.Sort == SortRating || s.Sort == SortPlayCount || s.Sort == SortLastPlayed ||
		contains(s.Rules, func(r Rule) bool {
			f, _ := findField(r.Field)
			return f.Personal
		})
}

// Timed reports whether the set depends on the current time.
func (s Set) Timed() bool {
	return contains(s.Rules, func(r Rule) bool {
		if r.Op == "in_last" {
			return true
		}
		f, _ := findField(r.Field)
		values, isList := r.Value.([]any)
		if !isList {
			values = []any{r.Value}
		}
		return f.Kind == Time && slices.ContainsFunc(values, func(v any) bool {
			text, _ := v.(string)
			return strings.HasSuffix(text, "d")
		})
	})
}

func contains(list []Rule, is func(Rule) bool) bool {
	return slices.ContainsFunc(list, func(r Rule) bool { return is(r) || contains(r.Rules, is) })
}

func findField(name string) (Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

func invalid(format string, args ...any) error { return fault.New(fault.Invalid, format, args...) }

// oneOf returns an Invalid fault unless value is one of the allowed values.
func oneOf(name, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return invalid("%s %q is unknown; use one of: %s", name, shorten(value), strings.Join(allowed, ", "))
}

// shorten returns the beginning of a text for a message.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
