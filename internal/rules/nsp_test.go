package rules_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"waxwing/internal/fault"
	"waxwing/internal/rules"
	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestNSPRoundTrip(t *testing.T) {
	const text = `{"name": "Best", "comment": "of all", "all": [
		{"gt": {"rating": 3}}, {"inTheLast": {"lastPlayed": 30}}, {"notInTheLast": {"dateAdded": 90}},
		{"notInTheLast": {"lastplayed": 7}},
		{"any": [{"is": {"loved": true}}, {"startsWith": {"filepath": "jazz"}}, {"inTheRange": {"year": [1980, 1989]}}]},
		{"lt": {"duration": 300}}, {"inTheRange": {"dateadded": ["2020-01-01", "2020-12-31"]}}],
		"sort": "-rating", "limit": 50}`
	want := rules.File{Name: "Best", Comment: "of all", Rules: rules.Set{Match: rules.All, Sort: "rating", Order: "desc",
		Limit: 50, Rules: []rules.Rule{
			{Field: "rating", Op: "gt", Value: 3.0}, {Field: "last_played", Op: "in_last", Value: 30.0},
			{Field: "added", Op: "before", Value: "90d"},
			{Match: rules.Any, Rules: []rules.Rule{{Field: "last_played", Op: "before", Value: "7d"},
				{Field: "play_count", Op: "is", Value: 0.0}}},
			{Match: rules.Any, Rules: []rules.Rule{{Field: "liked", Op: "is", Value: true},
				{Field: "path", Op: "starts_with", Value: "jazz"},
				{Field: "year", Op: "between", Value: []any{1980.0, 1989.0}}}},
			{Field: "duration", Op: "lt", Value: 300000.0},
			{Field: "added", Op: "between", Value: []any{"2020-01-01", "2021-01-01"}}}}}
	got, err := rules.ParseNSP(strings.NewReader(text))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("parsed: got %+v, error %v; want %+v", got, err, want)
	}
	var written bytes.Buffer
	if err := rules.WriteNSP(&written, got); err != nil {
		t.Fatal(err)
	}
	again, err := rules.ParseNSP(&written)
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("written and parsed: got %+v, error %v; want %+v", again, err, want)
	}
}

func TestNSPRejectsWhatHasNoEquivalent(t *testing.T) {
	for text, want := range map[string]string{
		`{"all": [{"is": {"bpm": 120}}]}`:                  `field "bpm" of an .nsp file is not supported`,
		`{"all": [{"inPlaylist": {"title": "x"}}]}`:        `operator "inplaylist" of an .nsp file is not supported`,
		`{"all": [{"is": {"title": "x"}}], "sort": "bpm"}`: `sort "bpm" of an .nsp file is not supported`,
		`{"all": [{"is": {"title": "x", "album": "y"}}]}`:  `must have one field`,
		`{"all": [{}]}`:                    `must have one operator`,
		`{"all": [], "any": []}`:           `all or any, and not both`,
		`{}`:                               `all or any, and not both`,
		`[`:                                `is not valid JSON`,
		`{"all": [{"gt": {"year": "x"}}]}`: `value of year gt must be a whole number`,
		strings.Repeat(`{"all": [`, 6) + strings.Repeat(`]}`, 6): `at most 5 deep`,
	} {
		_, err := rules.ParseNSP(strings.NewReader(text))
		if kind, sentence := fault.Of(err); kind != fault.Invalid || !strings.Contains(sentence, want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	set := rules.Set{Match: rules.All, Rules: []rules.Rule{{Field: "last_played", Op: "after", Value: "2d"}}}
	err := rules.WriteNSP(&bytes.Buffer{}, rules.File{Rules: set})
	if kind, _ := fault.Of(err); kind != fault.Invalid {
		t.Errorf("export of days ago: got %v, want an Invalid fault", err)
	}
}

func TestRuleFromText(t *testing.T) {
	for text, want := range map[string]rules.Rule{
		"year between 1980,1989":     {Field: "year", Op: "between", Value: []any{1980.0, 1989.0}},
		"title contains paper boats": {Field: "title", Op: "contains", Value: "paper boats"},
		"genre in Rock, Drum & Bass": {Field: "genre", Op: "in", Value: []any{"Rock", "Drum & Bass"}},
		"liked is true":              {Field: "liked", Op: "is", Value: true},
		"added in_last 30":           {Field: "added", Op: "in_last", Value: 30.0},
		"last_played before 30d":     {Field: "last_played", Op: "before", Value: "30d"},
	} {
		if got, err := rules.ParseRule(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, error %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "year", "year is", "year is x", "mood is x", "liked is 2"} {
		if _, err := rules.ParseRule(text); err == nil {
			t.Errorf("%q: got no error, want one", text)
		}
	}
}
