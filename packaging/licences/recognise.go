package main

import (
	"errors"
	"slices"
	"strings"
)

// licence is recognised by phrases that all occur in its text.
type licence struct {
	name  string
	words []string
}

var known = []licence{
	{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "endorse or promote products"}},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
	{"ISC", []string{"Permission to use, copy, modify, and",
		"distribute this software for any purpose with or without fee"}},
	{"MIT", []string{"Permission is hereby granted, free of charge", `THE SOFTWARE IS PROVIDED "AS IS"`}},
	{"public domain", []string{"SQLite", "public domain"}},
}

// companions are texts that accompany a licence: patent grants and credits.
var companions = []licence{
	{"", []string{"Additional IP Rights Grant"}},
	{"", []string{"This product includes software developed"}},
}

// recognise returns the licences in a text; none for a companion.
func recognise(text string) ([]string, error) {
	if strings.Contains(text, "GNU GENERAL PUBLIC LICENSE") || strings.Contains(text,
		"GNU LESSER GENERAL PUBLIC LICENSE") {
		return nil, errors.New("this licence does not allow a static binary as we distribute it")
	}
	plain := strings.Join(strings.Fields(text), " ")
	var names []string
	for _, l := range known {
		if l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause") {
			continue // BSD-3-Clause contains all phrases of BSD-2-Clause
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
		return nil, errors.New("unknown licence; review it and add it to recognise.go")
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
