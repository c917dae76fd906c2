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

// Parameter is a value that a client can send to an operation of an API: a parameter of the path,
// the query or a header, or a field of the body.
type Parameter struct {
	Method, Path string // as documented
	In, Name     string
	all          []*openapi3.Parameter // of the operation
	body         *openapi3.Schema      // nil for an operation without one
}

func (p Parameter) String() string { return p.Method + " " + p.Path + " " + p.In + " " + p.Name }

// Parameters lists the parameters of every operation of an OpenAPI document, in a fixed order.
func Parameters(document []byte) (list []Parameter, err error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the API document: %w", err)
	}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		operations := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			op := operations[method]
			p := Parameter{Method: method, Path: path}
			for _, ref := range append(slices.Clone(paths[path].Parameters), op.Parameters...) {
				p.all = append(p.all, ref.Value)
			}
			if op.RequestBody != nil {
				if content := op.RequestBody.Value.Content["application/json"]; content != nil && content.Schema != nil {
					p.body = content.Schema.Value
				}
			}
			for _, documented := range p.all {
				p.In, p.Name = documented.In, documented.Name
				list = append(list, p)
			}
			if p.body != nil {
				for _, name := range slices.Sorted(maps.Keys(p.body.Properties)) {
					p.In, p.Name = "body", name
					list = append(list, p)
				}
			}
		}
	}
	return list, nil
}

// Request returns a request with payload as the value of the parameter and the values of valid for
// all others. It reports false if HTTP cannot carry the payload there.
func (p Parameter) Request(base, payload string, valid map[string]string) (req *http.Request, ok bool) {
	path, query, header := p.Path, url.Values{}, http.Header{}
	for _, other := range p.all {
		value, given := valid[other.Name]
		chosen := p.In == other.In && p.Name == other.Name
		if chosen {
			value = payload
		}
		switch {
		case other.In == "path":
			segment := url.PathEscape(value)
			if segment == "." || segment == ".." || segment == "" {
				return nil, false // a different path
			}
			path = strings.ReplaceAll(path, "{"+other.Name+"}", segment)
		case other.In == "query" && (chosen || other.Required && given):
			query.Set(other.Name, value)
		case other.In == "header" && chosen:
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				return nil, false
			}
			header.Set(other.Name, value)
		}
	}
	content := ""
	if p.body != nil {
		header.Set("Content-Type", "application/json")
		content = p.content(payload, valid)
	}
	address := base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequest(p.Method, address, strings.NewReader(content))
	if err != nil {
		return nil, false
	}
	req.Header = header
	return req, true
}

// content returns the body: the required fields and the parameter.
func (p Parameter) content(payload string, valid map[string]string) string {
	fields := map[string]any{}
	for name, schema := range p.body.Properties {
		chosen := p.In == "body" && p.Name == name
		value, known := valid[name]
		if chosen {
			value = payload
		}
		if !chosen && !known && !slices.Contains(p.body.Required, name) {
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

// typed converts text to the JSON type of the schema if possible.
func typed(schema *openapi3.Schema, text string) any {
	var number json.Number
	switch {
	case schema.Type.Includes("array"):
		return []string{text}
	case schema.Type.Includes("boolean") && (text == "true" || text == "false"):
		return text == "true"
	case schema.Type.Includes("integer") || schema.Type.Includes("number"):
		if json.Unmarshal([]byte(text), &number) == nil {
			return number
		}
	}
	return text
}
