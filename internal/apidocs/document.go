package apidocs

import (
	"fmt"
	"html/template"
	"strings"

	"go.yaml.in/yaml/v3"
)

// view is the data of the page.
type view struct {
	Title, Summary, Description string
	Version, Server             string
	Style                       template.CSS
	Groups                      []group
	Console                     console
	Schemas                     []schemaView
}

type group struct {
	Name, Title string
	Operations  []operationView
}

type operationView struct {
	ID, Method, Path, Summary, Description string
	Permission                             string // "" if none is required
	Parameters                             []parameter
	Body                                   string // name of the schema
	BodyExample                            string
	Replies                                []replyView
	Curl                                   string
}

type replyView struct {
	Status, Description, Schema, Example string
	Good                                 bool
}

type schemaView struct {
	Name, Description, Type string
	Fields                  []fieldView
}

type fieldView struct {
	Name, Type, Description string
	Required                bool
}

// document is the part of OpenAPI that our documents use.
type document struct {
	Info struct {
		Title, Version, Summary, Description string
	}
	Servers []struct{ URL string }
	Tags    []struct{ Name, Description string }
	// Security applies to operations that have none of their own.
	Security   []map[string][]string
	Paths      yaml.Node
	Components struct {
		SecuritySchemes map[string]scheme `yaml:"securitySchemes"`
		Responses       map[string]response
		Parameters      map[string]parameter
		Schemas         yaml.Node
	}
}

type scheme struct {
	Type, Scheme, In, Name string
}

type parameter struct {
	Ref                   string `yaml:"$ref"`
	Name, In, Description string
	Required              bool
	Example               yaml.Node
	Schema                schema
}

// Type names the parameter's type for the page.
func (p parameter) Type() string { return typeOf(p.Schema) }

type operation struct {
	ID          string `yaml:"operationId"`
	Tags        []string
	Summary     string
	Description string
	Security    *[]map[string][]string
	Parameters  []parameter
	RequestBody struct{ Content yaml.Node } `yaml:"requestBody"`
	Responses   yaml.Node
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Content     yaml.Node
}

type media struct {
	Schema  schema
	Example yaml.Node
	Stream  string `yaml:"x-stream"` // example of a stream, whose schema is that of one event
}

// parse turns a document into the data of the page, in the order of the document.
func parse(src []byte) (*view, error) {
	var doc document
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	info := doc.Info
	v := &view{Title: info.Title, Summary: info.Summary, Description: info.Description, Version: info.Version}
	if len(doc.Servers) > 0 {
		v.Server = doc.Servers[0].URL
	}
	groups := make(map[string]int)
	for _, tag := range doc.Tags {
		groups[tag.Name] = len(v.Groups)
		v.Groups = append(v.Groups, group{Name: tag.Name, Title: tag.Description})
	}
	err := each(&doc.Paths, func(path string, item *yaml.Node) error {
		return each(item, func(method string, node *yaml.Node) error {
			var op operation
			if err := node.Decode(&op); err != nil || op.ID == "" {
				return err // an entry without an id, such as shared parameters, is no operation
			}
			described, err := doc.operation(strings.ToUpper(method), path, op)
			if err != nil {
				return err
			}
			tag := ""
			if len(op.Tags) > 0 {
				tag = op.Tags[0]
			}
			if _, ok := groups[tag]; !ok {
				groups[tag] = len(v.Groups)
				v.Groups = append(v.Groups, group{Name: tag, Title: tag})
			}
			g := &v.Groups[groups[tag]]
			g.Operations = append(g.Operations, described)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	v.Console = doc.console(v.Groups)
	v.Schemas, err = schemas(&doc.Components.Schemas)
	return v, err
}

// each calls f for the entries of a YAML mapping in order.
func each(mapping *yaml.Node, f func(key string, value *yaml.Node) error) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if err := f(mapping.Content[i].Value, mapping.Content[i+1]); err != nil {
			return fmt.Errorf("%s: %w", mapping.Content[i].Value, err)
		}
	}
	return nil
}

func (doc *document) operation(method, path string, op operation) (operationView, error) {
	v := operationView{ID: op.ID, Method: method, Path: path, Summary: op.Summary, Description: op.Description}
	for _, p := range op.Parameters {
		if p.Ref != "" {
			p = doc.Components.Parameters[refName(p.Ref)]
		}
		v.Parameters = append(v.Parameters, p)
	}
	security := doc.Security
	if op.Security != nil {
		security = *op.Security
	}
	var credential scheme
	if len(security) > 0 {
		for name, roles := range security[0] {
			credential, v.Permission = doc.Components.SecuritySchemes[name], strings.Join(roles, ", ")
			if v.Permission == "" {
				v.Permission = name
			}
		}
	}
	body, err := firstMedia(&op.RequestBody.Content)
	if err != nil {
		return v, err
	}
	v.Body = refName(body.Schema.Ref)
	v.BodyExample = asJSON(&body.Example, "")
	err = each(&op.Responses, func(status string, node *yaml.Node) error {
		var r response
		if err := node.Decode(&r); err != nil {
			return err
		}
		if r.Ref != "" {
			r = doc.Components.Responses[refName(r.Ref)]
		}
		m, err := firstMedia(&r.Content)
		reply := replyView{
			Status: status, Description: r.Description, Schema: refName(m.Schema.Ref), Good: strings.HasPrefix(status, "2"),
		}
		if reply.Good {
			reply.Example = asJSON(&m.Example, "")
			if m.Stream != "" {
				reply.Example = strings.TrimSpace(m.Stream)
			}
		}
		v.Replies = append(v.Replies, reply)
		return err
	})
	v.Curl = doc.curl(v, credential, asJSON(&body.Example, oneLine))
	return v, err
}

// curl is a command that works once the credential is set.
func (doc *document) curl(v operationView, credential scheme, body string) string {
	parts := []string{"curl"}
	switch {
	case v.Permission == "":
	case credential.Type == "http":
		parts = append(parts, `-H "Authorization: Bearer $TOKEN"`)
	case credential.In == "header":
		parts = append(parts, fmt.Sprintf(`-H "%s: $KEY"`, credential.Name))
	}
	if v.Method != "GET" {
		parts = append(parts, "-X "+v.Method)
	}
	if body != "" {
		parts = append(parts, "--json '"+strings.ReplaceAll(body, "'", `'\''`)+"'")
	}
	server := ""
	if len(doc.Servers) > 0 {
		server = doc.Servers[0].URL
	}
	return strings.Join(append(parts, server+v.Path), " ")
}

func firstMedia(content *yaml.Node) (m media, err error) {
	if len(content.Content) < 2 {
		return media{}, nil
	}
	err = content.Content[1].Decode(&m)
	return m, err
}
