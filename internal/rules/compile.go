package rules

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"waxwing/internal/words"
)

// Node is a checked rule or group. A group has Nodes and no Field.
type Node struct {
	Any   bool // of a group: one of Nodes is enough
	Nodes []Node

	Field   Field
	Negated bool // the song must not match the rest
	Compare Compare
	Texts   []string // folded; one unless Compare is OneOf
	Numbers []int64  // OneOf: any of them; Between: both ends, included
	// From and To are the ends of a range of times, the first included; nil: open.
	From, To *Moment
}

// Compare is how a node compares.
type Compare int

// The comparisons. A Flag is compared with true, a Time has a range.
const (
	OneOf Compare = iota
	Contains
	StartsWith
	Between
)

// Moment is a time, or a number of days before the current time.
type Moment struct {
	Time time.Time
	Days int // if Time is zero
}

// At returns the moment in milliseconds since 1970.
func (m Moment) At(now time.Time) int64 {
	if m.Time.IsZero() {
		return now.Add(-time.Duration(m.Days) * 24 * time.Hour).UnixMilli()
	}
	return m.Time.UnixMilli()
}

// Compile checks a set. Its errors are Invalid faults.
func (s Set) Compile() (Node, error) {
	if s.Sort != "" {
		if err := oneOf("sort", s.Sort, Sorts()...); err != nil {
			return Node{}, err
		}
	}
	if s.Order != "" {
		if err := oneOf("order", s.Order, "asc", "desc"); err != nil {
			return Node{}, err
		}
	}
	if s.Limit < 0 || s.Limit > MaxLimit {
		return Node{}, invalid("limit of rules must be 1 to %d", MaxLimit)
	}
	c := compiler{left: MaxRules}
	return c.group(s.Match, s.Rules, 1)
}

type compiler struct{ left int }

func (c *compiler) group(match string, list []Rule, depth int) (Node, error) {
	if depth > MaxDepth {
		return Node{}, invalid("groups of rules must be at most %d deep", MaxDepth)
	}
	if err := oneOf("match", match, All, Any); err != nil {
		return Node{}, err
	}
	if len(list) == 0 {
		return Node{}, invalid("rules must have at least one rule")
	}
	if c.left -= len(list); c.left < 0 {
		return Node{}, invalid("there must be at most %d rules", MaxRules)
	}
	group := Node{Any: match == Any}
	for _, r := range list {
		node, err := c.rule(r, depth)
		if err != nil {
			return Node{}, err
		}
		group.Nodes = append(group.Nodes, node)
	}
	return group, nil
}

func (c *compiler) rule(r Rule, depth int) (Node, error) {
	if r.Match != "" || r.Rules != nil {
		if r.Field != "" || r.Op != "" || r.Value != nil {
			return Node{}, invalid("a rule must have field, op and value, or match and rules, not both")
		}
		return c.group(r.Match, r.Rules, depth+1)
	}
	field, known := findField(r.Field)
	if !known {
		return Node{}, oneOf("field", r.Field, Fields()...)
	}
	if err := oneOf("op of "+r.Field, r.Op, ops[field.Kind]...); err != nil {
		return Node{}, err
	}
	n := Node{Field: field, Negated: r.Op == "is_not" || r.Op == "not_contains"}
	var err error
	switch field.Kind {
	case Text:
		err = n.texts(r)
	case Number:
		err = n.numbers(r)
	case Flag:
		flag, ok := r.Value.(bool)
		if !ok {
			err = wrongValue(r, "true or false")
		}
		n.Negated = n.Negated == flag
	case Time:
		err = n.times(r)
	}
	return n, err
}

func wrongValue(r Rule, want string) error {
	return invalid("value of %s %s must be %s", r.Field, r.Op, want)
}

// values returns the values of a rule: a list for in and between, one otherwise.
func values(r Rule, want string) ([]any, error) {
	list, isList := r.Value.([]any)
	switch {
	case r.Op == "in" && (!isList || len(list) == 0 || len(list) > MaxList):
		return nil, wrongValue(r, "a list of 1 to "+strconv.Itoa(MaxList)+" values, each "+want)
	case r.Op == "between" && (!isList || len(list) != 2):
		return nil, wrongValue(r, "a list of two values, each "+want)
	case r.Op == "in" || r.Op == "between":
		return list, nil
	}
	return []any{r.Value}, nil
}

func (n *Node) texts(r Rule) error {
	want := "a text of 1 to " + strconv.Itoa(MaxText) + " characters"
	list, err := values(r, want)
	if err != nil {
		return err
	}
	for _, v := range list {
		text, ok := v.(string)
		key := words.Key(words.Clean(text, MaxText+1))
		if !ok || key == "" || utf8.RuneCountInString(text) > MaxText {
			return wrongValue(r, want)
		}
		n.Texts = append(n.Texts, key)
	}
	switch r.Op {
	case "contains", "not_contains":
		n.Compare = Contains
	case "starts_with":
		n.Compare = StartsWith
	}
	return nil
}

func (n *Node) numbers(r Rule) error {
	const want = "a whole number from 0"
	list, err := values(r, want)
	if err != nil {
		return err
	}
	for _, v := range list {
		number, ok := whole(v)
		if !ok {
			return wrongValue(r, want)
		}
		n.Numbers = append(n.Numbers, number)
	}
	const most = math.MaxInt64
	switch r.Op {
	case "lt":
		n.Compare, n.Numbers = Between, []int64{0, n.Numbers[0] - 1}
	case "gt":
		n.Compare, n.Numbers = Between, []int64{n.Numbers[0] + 1, most}
	case "between":
		n.Compare = Between
	}
	return nil
}

// whole returns a number from 0 that JSON can hold exactly.
func whole(v any) (int64, bool) {
	switch v := v.(type) {
	case float64:
		return int64(v), v >= 0 && v <= 1<<53 && v == math.Trunc(v)
	case int64:
		return v, v >= 0 && v <= 1<<53
	case int:
		return int64(v), v >= 0 && v <= 1<<53
	}
	return 0, false
}

func (n *Node) times(r Rule) error {
	n.Compare = Between
	if r.Op == "in_last" {
		days, ok := whole(r.Value)
		if !ok || days < 1 || days > MaxDays {
			return wrongValue(r, "a number of days from 1 to "+strconv.Itoa(MaxDays))
		}
		n.From = &Moment{Days: int(days)}
		return nil
	}
	const want = `a date (2026-01-31), a time (2026-01-31T18:00:00Z) or a number of days ago ("30d")`
	list, err := values(r, want)
	if err != nil {
		return err
	}
	var moments []Moment
	for _, v := range list {
		text, _ := v.(string)
		m, ok := parseMoment(text)
		if !ok {
			return wrongValue(r, want)
		}
		moments = append(moments, m)
	}
	switch r.Op {
	case "before":
		n.To = &moments[0]
	case "after":
		n.From = &moments[0]
	case "between":
		n.From, n.To = &moments[0], &moments[1]
	}
	return nil
}

// parseMoment parses a date, which begins at midnight UTC, a time, or a number of days ago.
func parseMoment(text string) (Moment, bool) {
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		days, err := strconv.ParseUint(number, 10, 32)
		return Moment{Days: int(days)}, err == nil && days <= MaxDays
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1970 {
			return Moment{Time: t}, true
		}
	}
	return Moment{}, false
}
