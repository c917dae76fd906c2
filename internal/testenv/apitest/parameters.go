// Package apitest checks HTTP servers against their OpenAPI documents in tests.
package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Slot is one place of an API into which a client can put what it likes: a parameter of a path, a query or
// a header, or a field of a body.
type Slot struct {
	Method, Path string // as documented
	In, Name     string
	siblings     []*openapi3.Parameter
	body         *openapi3.Schema // nil for an operation without one
}

func (s Slot) String() string { return s.Method + " " + s.Path + " " + s.In + " " + s.Name }

// Slots lists every slot of every operation of an API document, in a fixed order.
func Slots(document []byte) (slots []Slot, err error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the API document: %w", err)
	}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		operations := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			op := operations[method]
			s := Slot{Method: method, Path: path}
			for _, p := range append(slices.Clone(paths[path].Parameters), op.Parameters...) {
				s.siblings = append(s.siblings, p.Value)
			}
			if op.RequestBody != nil {
				if content := op.RequestBody.Value.Content["application/json"]; content != nil && content.Schema != nil {
					s.body = content.Schema.Value
				}
			}
			for _, p := range s.siblings {
				s.In, s.Name = p.In, p.Name
				slots = append(slots, s)
			}
			if s.body != nil {
				for _, name := range slices.Sorted(maps.Keys(s.body.Properties)) {
					s.In, s.Name = "body", name
					slots = append(slots, s)
				}
			}
		}
	}
	return slots, nil
}

// Request puts payload into the slot, and what valid says into all others. It reports false where HTTP
// itself cannot carry the payload there.
func (s Slot) Request(base, payload string, valid map[string]string) (req *http.Request, ok bool) {
	path, query, header := s.Path, url.Values{}, http.Header{}
	for _, p := range s.siblings {
		value, given := valid[p.Name]
		chosen := s.In == p.In && s.Name == p.Name
		if chosen {
			value = payload
		}
		switch {
		case p.In == "path":
			segment := url.PathEscape(value)
			if segment == "." || segment == ".." || segment == "" {
				return nil, false // another path
			}
			path = strings.ReplaceAll(path, "{"+p.Name+"}", segment)
		case p.In == "query" && (chosen || p.Required && given):
			query.Set(p.Name, value)
		case p.In == "header" && chosen:
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				return nil, false
			}
			header.Set(p.Name, value)
		}
	}
	content := ""
	if s.body != nil {
		header.Set("Content-Type", "application/json")
		content = s.content(payload, valid)
	}
	address := base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequest(s.Method, address, strings.NewReader(content))
	if err != nil {
		return nil, false
	}
	req.Header = header
	return req, true
}

// content is the body: the required fields, and the one that is tried.
func (s Slot) content(payload string, valid map[string]string) string {
	fields := map[string]any{}
	for name, schema := range s.body.Properties {
		chosen := s.In == "body" && s.Name == name
		value, known := valid[name]
		if chosen {
			value = payload
		}
		if !chosen && !known && !slices.Contains(s.body.Required, name) {
			continue
		}
		fields[name] = typed(schema.Value, value)
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// typed is text as the JSON that the schema asks for, where it can be that.
func typed(schema *openapi3.Schema, text string) any {
	var number json.Number
	switch {
	case schema.Type.Includes("array"):
		return []string{text}
	case schema.Type.Includes("boolean") && (text == "true" || text == "false"):
		return text == "true"
	case (schema.Type.Includes("integer") || schema.Type.Includes("number")) && json.Unmarshal([]byte(text), &number) == nil:
		return number
	}
	return text
}
