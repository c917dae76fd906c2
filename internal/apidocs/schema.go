package apidocs

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is the part of JSON Schema that our documents use.
type schema struct {
	Ref         string `yaml:"$ref"`
	Type        yaml.Node
	Format      string
	Description string
	Enum        []yaml.Node
	Required    []string
	Minimum     *float64
	Maximum     *float64
	Default     yaml.Node
	Properties  yaml.Node
	Items       *schema
	OneOf       []schema `yaml:"oneOf"`
	AllOf       []schema `yaml:"allOf"`
}

// schemas lists the named schemas in the document's order.
func schemas(named *yaml.Node) (list []schemaView, err error) {
	err = each(named, func(name string, node *yaml.Node) error {
		var s schema
		if err := node.Decode(&s); err != nil {
			return err
		}
		v := schemaView{Name: name, Description: s.Description, Type: typeOf(s)}
		for _, part := range append([]schema{s}, s.AllOf...) {
			if part.Ref != "" {
				v.Fields = append(v.Fields, fieldView{
					Name: "…", Type: refName(part.Ref), Description: "all of its fields", Required: true,
				})
				continue
			}
			fields, err := fieldsOf(part)
			if err != nil {
				return err
			}
			v.Fields = append(v.Fields, fields...)
		}
		list = append(list, v)
		return nil
	})
	return list, err
}

func fieldsOf(s schema) (fields []fieldView, err error) {
	err = each(&s.Properties, func(name string, node *yaml.Node) error {
		var p schema
		if err := node.Decode(&p); err != nil {
			return err
		}
		f := fieldView{Name: name, Type: typeOf(p), Description: p.Description}
		for _, required := range s.Required {
			f.Required = f.Required || required == name
		}
		fields = append(fields, f)
		return nil
	})
	return fields, err
}

// typeOf describes a type in words.
func typeOf(s schema) string {
	switch {
	case s.Ref != "":
		return refName(s.Ref)
	case len(s.OneOf) > 0:
		var names []string
		for _, alternative := range s.OneOf {
			names = append(names, typeOf(alternative))
		}
		return strings.Join(names, " or ")
	case len(s.AllOf) > 0:
		return "object"
	}
	var names []string
	for _, n := range append([]*yaml.Node{&s.Type}, s.Type.Content...) {
		if n.Value != "" {
			names = append(names, n.Value)
		}
	}
	name := strings.Join(names, " or ")
	if s.Items != nil {
		name = strings.Replace(name, "array", "list of "+typeOf(*s.Items), 1)
	}
	if len(s.Enum) > 0 {
		var words []string
		for _, e := range s.Enum {
			words = append(words, e.Value)
		}
		name += ": " + strings.Join(words, ", ")
	}
	if s.Format != "" {
		name += " (" + s.Format + ")"
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil && *s.Maximum < 1<<53-1: // the largest exact number is no limit
		name += fmt.Sprintf(", %v to %v", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		name += fmt.Sprintf(", from %v", *s.Minimum)
	}
	return name
}

func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// oneLine as the indent of asJSON means no line breaks.
const oneLine = "-"

// asJSON writes a YAML value as JSON and keeps the order of its keys.
func asJSON(n *yaml.Node, indent string) string {
	if n.IsZero() {
		return ""
	}
	deeper, line, outer, space := indent+"  ", "\n"+indent+"  ", "\n"+indent, ": "
	if indent == oneLine {
		deeper, line, outer, space = oneLine, "", "", ":"
	}
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, line+quote(n.Content[i].Value)+space+asJSON(n.Content[i+1], deeper))
		}
		return "{" + strings.Join(parts, ",") + outer + "}"
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, line+asJSON(item, deeper))
		}
		if len(parts) == 0 {
			return "[]"
		}
		return "[" + strings.Join(parts, ",") + outer + "]"
	}
	if n.Tag == "!!str" || n.Tag == "!!timestamp" {
		return quote(n.Value)
	}
	return n.Value
}

func quote(s string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.TrimSpace(out.String())
}
