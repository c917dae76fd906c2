package main

import (
	"errors"
	"slices"
	"strings"
)

// licence is told from others by words that all occur in its text.
type licence struct {
	name  string
	words []string
}

var known = []licence{
	{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "endorse or promote products"}},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
	{"ISC", []string{"Permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"}},
	{"MIT", []string{"Permission is hereby granted, free of charge", `THE SOFTWARE IS PROVIDED "AS IS"`}},
	{"public domain", []string{"SQLite", "public domain"}},
}

// companions add to a licence beside them: grants of patents, and credits.
var companions = []licence{
	{"", []string{"Additional IP Rights Grant"}},
	{"", []string{"This product includes software developed"}},
}

// recognise names the licences that a text holds; none for a companion of another text.
func recognise(text string) ([]string, error) {
	if strings.Contains(text, "GNU GENERAL PUBLIC LICENSE") || strings.Contains(text, "GNU LESSER GENERAL PUBLIC LICENSE") {
		return nil, errors.New("a licence that asks more of a static binary than we give")
	}
	plain := strings.Join(strings.Fields(text), " ")
	var names []string
	for _, l := range known {
		if l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause") {
			continue // the longer one has all words of the shorter
		}
		if l.in(plain) {
			names = append(names, l.name)
		}
	}
	for _, c := range companions {
		if names == nil && c.in(plain) {
			return nil, nil
		}
	}
	if names == nil {
		return nil, errors.New("terms that nobody has looked at")
	}
	return names, nil
}

func (l licence) in(plain string) bool {
	for _, w := range l.words {
		if !strings.Contains(plain, w) {
			return false
		}
	}
	return true
}
