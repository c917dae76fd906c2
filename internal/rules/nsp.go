package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// File is a smart playlist of an .nsp file.
type File struct {
	Name    string // empty: none
	Comment string
	Rules   Set
}

const maxFile = 1 << 20 // bytes

// nspFields are the names of our fields in .nsp files.
var nspFields = map[string]string{
	"title": "title", "artist": "artist", "album": "album", "genre": "genre", "year": "year", "rating": "rating",
	"loved": "liked", "playcount": "play_count", "lastplayed": "last_played", "dateadded": "added",
	"duration": "duration", "filetype": "format", "filepath": "path",
}

// nspOps are the names of our comparisons in .nsp files, except those of ranges and days.
var nspOps = map[string]string{
	"is": "is", "isnot": "is_not", "contains": "contains", "notcontains": "not_contains", "startswith": "starts_with",
	"lt": "lt", "gt": "gt", "before": "before", "after": "after", "intherange": "between", "inthelast": "in_last",
}

// ParseNSP reads an .nsp file. What has no equivalent here is an Invalid fault that names it.
func ParseNSP(r io.Reader) (File, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return File{}, fmt.Errorf("read the smart playlist: %w", err)
	}
	if len(text) > maxFile {
		return File{}, invalid("the smart playlist is larger than %d bytes", maxFile)
	}
	var in struct {
		Name, Comment string
		All, Any      []map[string]any
		Sort, Order   string
		Limit         int64
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &in); err != nil {
		return File{}, invalid("the smart playlist is not valid JSON of an .nsp file")
	}
	if (in.All == nil) == (in.Any == nil) {
		return File{}, invalid("an .nsp file must have all or any, and not both")
	}
	f := File{Name: in.Name, Comment: in.Comment, Rules: Set{Match: All, Limit: in.Limit}}
	list := in.All
	if in.Any != nil {
		f.Rules.Match, list = Any, in.Any
	}
	if f.Rules.Rules, err = nspRules(list, 1); err != nil {
		return File{}, err
	}
	if err := f.Rules.nspSort(in.Sort, in.Order); err != nil {
		return File{}, err
	}
	return f, f.Rules.Check()
}

func (s *Set) nspSort(sort, order string) error {
	if sort == "" {
		return nil
	}
	name, reversed := strings.CutPrefix(sort, "-")
	s.Sort = strings.ToLower(strings.TrimPrefix(name, "+"))
	if ours, ok := nspFields[s.Sort]; ok {
		s.Sort = ours
	}
	if !slices.Contains(Sorts(), s.Sort) {
		return invalid("sort %q of an .nsp file is not supported", shorten(sort))
	}
	if s.Sort == SortRandom {
		return nil
	}
	s.Order = "asc"
	if reversed != strings.EqualFold(order, "desc") {
		s.Order = "desc"
	}
	return nil
}

func nspRules(list []map[string]any, depth int) (rules []Rule, err error) {
	if depth > MaxDepth {
		return nil, invalid("groups of rules must be at most %d deep", MaxDepth)
	}
	for _, object := range list {
		if len(object) != 1 {
			return nil, invalid("a rule of an .nsp file must have one operator")
		}
		for op, value := range object {
			rule, err := nspRule(strings.ToLower(op), value, depth)
			if err != nil {
				return nil, err
			}
			rules = append(rules, rule)
		}
	}
	return rules, nil
}

func nspRule(op string, value any, depth int) (Rule, error) {
	if op == All || op == Any {
		var group []map[string]any
		items, _ := value.([]any)
		for _, item := range items {
			object, _ := item.(map[string]any)
			group = append(group, object)
		}
		list, err := nspRules(group, depth+1)
		return Rule{Match: op, Rules: list}, err
	}
	fields, _ := value.(map[string]any)
	if len(fields) != 1 {
		return Rule{}, invalid("operator %q of an .nsp file must have one field", shorten(op))
	}
	for name, v := range fields {
		field, known := nspFields[strings.ToLower(name)]
		if !known {
			return Rule{}, invalid("field %q of an .nsp file is not supported", shorten(name))
		}
		return nspCompare(field, op, v)
	}
	return Rule{}, nil
}

// nspCompare converts a comparison. Files have durations in seconds, and ranges of dates with the
// last day.
func nspCompare(field, op string, value any) (Rule, error) {
	rule := Rule{Field: field, Op: nspOps[op], Value: value}
	f, _ := findField(field)
	days, isDays := whole(value)
	switch {
	case op == "notinthelast" && isDays && f.Kind == Time:
		before := Rule{Field: field, Op: "before", Value: fmt.Sprintf("%dd", days)}
		if field == "added" {
			return before, nil
		}
		never := Rule{Field: "play_count", Op: "is", Value: float64(0)}
		return Rule{Match: Any, Rules: []Rule{before, never}}, nil
	case rule.Op == "":
		return Rule{}, invalid("operator %q of an .nsp file is not supported", shorten(op))
	case field == "duration":
		rule.Value = scaled(value, 1000)
	case f.Kind == Time && rule.Op == "between":
		rule.Value = shiftLast(value, 1)
	}
	return rule, nil
}

// scaled multiplies a number or the numbers of a list.
func scaled(value any, by float64) any {
	switch v := value.(type) {
	case float64:
		return math.Round(v*by*1000) / 1000
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = scaled(item, by)
		}
		return list
	}
	return value
}

// shiftLast moves the second of two dates by days.
func shiftLast(value any, days int) any {
	list, _ := value.([]any)
	if len(list) != 2 {
		return value
	}
	text, _ := list[1].(string)
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return value
	}
	return []any{list[0], date.AddDate(0, 0, days).Format(time.DateOnly)}
}

// WriteNSP writes an .nsp file. A rule that such a file cannot express is an Invalid fault.
func WriteNSP(w io.Writer, f File) error {
	if err := f.Rules.Check(); err != nil {
		return err
	}
	list, err := toNSP(f.Rules.Rules)
	if err != nil {
		return err
	}
	out := map[string]any{f.Rules.Match: list}
	if f.Name != "" {
		out["name"] = f.Name
	}
	if f.Comment != "" {
		out["comment"] = f.Comment
	}
	if f.Rules.Limit > 0 {
		out["limit"] = f.Rules.Limit
	}
	sort, order := f.Rules.Sort, f.Rules.Order
	if sort == "" {
		sort = SortAdded
	}
	out["sort"] = nspName(nspFields, sort)
	if order == "" && slices.Contains([]string{SortAdded, SortRating, SortPlayCount, SortLastPlayed}, sort) {
		order = "desc"
	}
	if order == "desc" && sort != SortRandom {
		out["order"] = order
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the smart playlist: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the smart playlist: %w", err)
	}
	return nil
}

// nspName returns the name that a table maps to ours, or ours.
func nspName(table map[string]string, ours string) string {
	for theirs, name := range table {
		if name == ours {
			return theirs
		}
	}
	return ours
}

func toNSP(list []Rule) (out []map[string]any, err error) {
	for _, r := range list {
		if days, ok := r.notInTheLast(); ok {
			out = append(out, map[string]any{"notInTheLast": map[string]any{"lastplayed": json.Number(days)}})
			continue
		}
		if r.Rules != nil {
			group, err := toNSP(r.Rules)
			if err != nil {
				return nil, err
			}
			out = append(out, map[string]any{r.Match: group})
			continue
		}
		rules, err := r.toNSP()
		if err != nil {
			return nil, err
		}
		out = append(out, rules)
	}
	return out, nil
}

// notInTheLast returns the days of a group that nspCompare made of notInTheLast.
func (r Rule) notInTheLast() (days string, ok bool) {
	if r.Match != Any || len(r.Rules) != 2 || r.Rules[1].Field != "play_count" || r.Rules[1].Op != "is" {
		return "", false
	}
	text, _ := r.Rules[0].Value.(string)
	days, isDays := strings.CutSuffix(text, "d")
	plays, _ := whole(r.Rules[1].Value)
	return days, isDays && plays == 0 && r.Rules[0].Field == "last_played" && r.Rules[0].Op == "before"
}

func (r Rule) toNSP() (map[string]any, error) {
	field, value := nspName(nspFields, r.Field), r.Value
	f, _ := findField(r.Field)
	op := nspName(nspOps, r.Op)
	text, _ := r.Value.(string)
	n, isDays := strings.CutSuffix(text, "d")
	switch {
	case r.Op == "in": // any of several comparisons
		items, _ := r.Value.([]any)
		var group []map[string]any
		for _, item := range items {
			one, err := Rule{Field: r.Field, Op: "is", Value: item}.toNSP()
			if err != nil {
				return nil, err
			}
			group = append(group, one)
		}
		return map[string]any{Any: group}, nil
	case r.Op == "before" && isDays && r.Field == "added":
		return map[string]any{"notInTheLast": map[string]any{field: json.Number(n)}}, nil
	case f.Kind == Time && r.Op != "in_last" && !isDates(r.Value):
		return nil, invalid("an .nsp file cannot express %s %s %v: use dates", r.Field, r.Op, r.Value)
	case r.Field == "duration":
		value = scaled(r.Value, 0.001)
	case f.Kind == Time && r.Op == "between":
		value = shiftLast(r.Value, -1)
	}
	for camel, plain := range map[string]string{"isNot": "isnot", "notContains": "notcontains",
		"startsWith": "startswith", "inTheRange": "intherange", "inTheLast": "inthelast"} {
		if op == plain {
			op = camel
		}
	}
	return map[string]any{op: map[string]any{field: value}}, nil
}

// isDates reports whether a value is a date or a list of dates.
func isDates(value any) bool {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	return !slices.ContainsFunc(list, func(v any) bool {
		text, _ := v.(string)
		_, err := time.Parse(time.DateOnly, text)
		return err != nil
	})
}
