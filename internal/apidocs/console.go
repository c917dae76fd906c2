package apidocs

// console is the data of console.js.
type console struct {
	Credential credentialField    `json:"credential"`
	Operations []consoleOperation `json:"operations"`
	Name       string             `json:"-"` // of the credential, for the page
}

// credentialField says how the credential is sent, and which variable stands for it in a command.
type credentialField struct {
	Header   string `json:"header"`
	Prefix   string `json:"prefix"`
	Variable string `json:"variable"`
}

type consoleOperation struct {
	ID         string         `json:"id"`
	Group      string         `json:"group"`
	Method     string         `json:"method"`
	Path       string         `json:"path"`
	Permission string         `json:"permission"`
	Parameters []consoleField `json:"parameters"`
	Body       bool           `json:"body"`
	Example    string         `json:"example"`
}

type consoleField struct {
	Name     string   `json:"name"`
	In       string   `json:"in"`
	Type     string   `json:"type"`
	Required bool     `json:"required"`
	Enum     []string `json:"enum,omitempty"`
}

func (doc *document) console(groups []group) console {
	c := console{Credential: credentialField{"Authorization", "Bearer ", "$TOKEN"}, Name: "Token"}
	for _, s := range doc.Components.SecuritySchemes {
		if s.Type == "apiKey" && s.In == "header" {
			c.Credential, c.Name = credentialField{Header: s.Name, Variable: "$KEY"}, "Key"
		}
	}
	for _, g := range groups {
		for _, op := range g.Operations {
			o := consoleOperation{
				ID: op.ID, Group: g.Title, Method: op.Method, Path: op.Path, Permission: op.Permission,
				Body: op.Body != "", Example: op.BodyExample, Parameters: []consoleField{},
			}
			for _, p := range op.Parameters {
				f := consoleField{Name: p.Name, In: p.In, Type: p.Type(), Required: p.Required}
				for _, value := range p.Schema.Enum {
					f.Enum = append(f.Enum, value.Value)
				}
				o.Parameters = append(o.Parameters, f)
			}
			c.Operations = append(c.Operations, o)
		}
	}
	return c
}
