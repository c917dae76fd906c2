package rules

import (
	"strconv"
	"strings"
)

// ParseRule parses a rule of the form "FIELD OP VALUE", with commas between the values of in and
// between.
func ParseRule(text string) (Rule, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	op, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
	value = strings.TrimSpace(value)
	if value == "" {
		return Rule{}, invalid(`a rule must have a field, an op and a value, such as "year gt 1999"`)
	}
	r := Rule{Field: name, Op: op}
	field, _ := findField(name)
	if op == "in" || op == "between" {
		var list []any
		for part := range strings.SplitSeq(value, ",") {
			list = append(list, parseValue(field, op, strings.TrimSpace(part)))
		}
		r.Value = list
	} else {
		r.Value = parseValue(field, op, value)
	}
	return r, Set{Match: All, Rules: []Rule{r}}.Check()
}

// parseValue returns the value that a text means for a field, or the text.
func parseValue(f Field, op, text string) any {
	switch {
	case f.Kind == Number || op == "in_last":
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	case f.Kind == Flag:
		if flag, err := strconv.ParseBool(text); err == nil && len(text) > 1 {
			return flag
		}
	}
	return text
}
