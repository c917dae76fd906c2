// Package apidocs shows an OpenAPI document of ours as a page that needs nothing else: no
// script, no other file, no network. Both faces serve it at /docs.
package apidocs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"waxwing/internal/httpkit"
)

//go:embed page.html style.css
var files embed.FS

// Docs is a document and its page.
type Docs struct {
	document []byte
	page     []byte
	policy   string
}

// New renders a document. It panics on one that cannot be read: documents are part of the
// program, and a test renders both.
func New(document []byte) *Docs {
	d, err := render(document)
	if err != nil {
		panic(fmt.Sprintf("apidocs: %v", err))
	}
	return d
}

func render(document []byte) (*Docs, error) {
	view, err := parse(document)
	if err != nil {
		return nil, err
	}
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, err
	}
	view.Style = template.CSS(style)
	page, err := template.New("page.html").Funcs(template.FuncMap{"prose": prose}).ParseFS(files, "page.html")
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := page.Execute(&buf, view); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	return &Docs{
		document: document, page: buf.Bytes(),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

// Document answers GET /openapi.yaml.
func (d *Docs) Document(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "application/yaml", d.document)
}

// Page answers GET /docs.
func (d *Docs) Page(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Security-Policy", d.policy)
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "text/html; charset=utf-8", d.page)
}

// prose turns the little Markdown that our descriptions use into HTML: paragraphs, `code`
// and **strong**.
func prose(text string) template.HTML {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		escaped := template.HTMLEscapeString(strings.Join(strings.Fields(paragraph), " "))
		out.WriteString("<p>" + pairs(pairs(escaped, "`", "code"), "**", "strong") + "</p>")
	}
	return template.HTML(out.String())
}

// pairs wraps what stands between two marks into an element.
func pairs(text, mark, element string) string {
	parts := strings.Split(text, mark)
	for i := 1; i+1 < len(parts); i += 2 {
		parts[i] = "<" + element + ">" + parts[i] + "</" + element + ">"
	}
	return strings.Join(parts, "")
}
