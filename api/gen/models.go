package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is the part of JSON Schema that our documents use.
type schema struct {
	Ref         string    `yaml:"$ref"`
	Type        yaml.Node `yaml:"type"`
	Format      string    `yaml:"format"`
	Description string    `yaml:"description"`
	Required    []string  `yaml:"required"`
	Properties  yaml.Node `yaml:"properties"`
	Items       *schema   `yaml:"items"`
	OneOf       []schema  `yaml:"oneOf"`
	AllOf       []schema  `yaml:"allOf"`
	Sentence    string    `yaml:"x-sentence"`
	Lenient     bool      `yaml:"x-lenient"` // the server also accepts other types than the documented one
}

// models returns the gofmt-ed source of package pkg, which depends on src alone.
func models(src []byte, document, pkg string) ([]byte, error) {
	var doc struct {
		Components struct {
			Schemas yaml.Node `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	err := eachPair(&doc.Components.Schemas, func(name string, s schema) error {
		return writeType(&body, name, s)
	})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated from api/%s by api/gen. DO NOT EDIT.\n\n", document)
	fmt.Fprintf(&out, "// Package %s holds the wire types of api/%s.\npackage %s\n\n", pkg, document, pkg)
	if bytes.Contains(body.Bytes(), []byte("timestamp.Time")) {
		out.WriteString("import \"waxwing/api/timestamp\"\n\n")
	}
	out.Write(body.Bytes())
	return format.Source(out.Bytes())
}

// eachPair calls f for the entries of a YAML mapping in document order.
func eachPair(mapping *yaml.Node, f func(name string, s schema) error) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		var s schema
		name := mapping.Content[i].Value
		if err := mapping.Content[i+1].Decode(&s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := f(name, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func writeType(out *bytes.Buffer, name string, s schema) error {
	writeComment(out, name, s.Description)
	if len(s.AllOf) == 0 && s.Properties.IsZero() && !isObject(s) {
		t, _, err := goType(s)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "type %s %s\n\n", name, t)
		return nil
	}
	fmt.Fprintf(out, "type %s struct {\n", name)
	parts := append([]schema{s}, s.AllOf...)
	for _, part := range parts {
		if part.Ref != "" {
			fmt.Fprintf(out, "%s\n", refName(part.Ref))
			continue
		}
		if err := writeFields(out, part); err != nil {
			return err
		}
	}
	out.WriteString("}\n\n")
	return nil
}

func writeFields(out *bytes.Buffer, s schema) error {
	required := make(map[string]bool)
	for _, r := range s.Required {
		required[r] = true
	}
	return eachPair(&s.Properties, func(name string, p schema) error {
		t, nullable, err := goType(p)
		if err != nil {
			return err
		}
		tag := name
		if !required[name] {
			tag += ",omitempty"
			nullable = true
		}
		if nullable && !strings.HasPrefix(t, "[]") && t != "any" {
			t = "*" + t
		}
		if p.Description != "" {
			fmt.Fprintf(out, "// %s\n", oneLine(p.Description))
		}
		fmt.Fprintf(out, "%s %s `json:%q", goName(name), t, tag)
		if p.Sentence != "" {
			fmt.Fprintf(out, " sentence:%q", p.Sentence)
		}
		out.WriteString("`\n")
		return nil
	})
}

// goType returns the Go type of a schema and whether null is one of its values.
func goType(s schema) (name string, nullable bool, err error) {
	if s.Ref != "" {
		return refName(s.Ref), false, nil
	}
	if s.Lenient {
		return "any", false, nil
	}
	if len(s.OneOf) == 2 { // a reference that may be null
		for i, alternative := range s.OneOf {
			if types(s.OneOf[1-i]) == "null" {
				name, _, err = goType(alternative)
				return name, true, err
			}
		}
	}
	t := types(s)
	if rest, ok := strings.CutSuffix(t, " null"); ok {
		t, nullable = rest, true
	}
	switch {
	case t == "string" && s.Format == "date-time":
		return "timestamp.Time", nullable, nil
	case t == "string":
		return "string", nullable, nil
	case t == "integer":
		return "int", nullable, nil
	case t == "number":
		return "float64", nullable, nil
	case t == "boolean":
		return "bool", nullable, nil
	case t == "array" && s.Items != nil:
		item, _, err := goType(*s.Items)
		return "[]" + item, nullable, err
	case t == "" || strings.Contains(t, " "):
		return "any", nullable, nil
	}
	return "", false, fmt.Errorf("unsupported type %q", t)
}

// types returns the type or types of a schema, with null last.
func types(s schema) string {
	if s.Type.Kind != yaml.SequenceNode {
		return s.Type.Value
	}
	var list []string
	null := ""
	for _, n := range s.Type.Content {
		if n.Value == "null" {
			null = " null"
			continue
		}
		list = append(list, n.Value)
	}
	return strings.Join(list, " ") + null
}

func isObject(s schema) bool { return s.Type.Value == "object" }

func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// goName returns the Go name of a JSON field.
func goName(wire string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(wire, "_") {
		switch word {
		case "id", "url", "ok", "ids":
			b.WriteString(strings.Replace(strings.ToUpper(word), "IDS", "IDs", 1))
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// writeComment writes a doc comment that begins with the name.
func writeComment(out *bytes.Buffer, name, description string) {
	if description != "" {
		fmt.Fprintf(out, "// %s: %s\n", name, oneLine(description))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
