// Package apidocs renders an OpenAPI document as one HTML page without scripts and without other
// files. Both servers serve it at /docs.
package apidocs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"waxwing/internal/httpkit"
)

//go:embed page.html style.css
var files embed.FS

// Docs is a document and its page. The page is rendered on the first request, because that takes
// longer than the rest of the program's start.
type Docs struct {
	document []byte
	page     func() (rendered, error)
}

// rendered is a page ready to be sent.
type rendered struct {
	page   []byte
	policy string
}

var serverURL = regexp.MustCompile(`(?m)^servers:\n  - url: .*$`)

// New returns the handlers of a document. publicURL, if it is not empty, replaces the address of
// the server in it.
func New(document []byte, publicURL string) *Docs {
	if publicURL != "" {
		document = serverURL.ReplaceAllLiteral(document, []byte("servers:\n  - url: "+publicURL))
	}
	return &Docs{document: document, page: sync.OnceValues(func() (rendered, error) { return render(document) })}
}

func render(document []byte) (rendered, error) {
	view, err := parse(document)
	if err != nil {
		return rendered{}, err
	}
	style, err := files.ReadFile("style.css")
	if err != nil {
		return rendered{}, err
	}
	view.Style = template.CSS(style)
	page, err := template.New("page.html").Funcs(template.FuncMap{"prose": prose}).ParseFS(files, "page.html")
	if err != nil {
		return rendered{}, err
	}
	var buf bytes.Buffer
	if err := page.Execute(&buf, view); err != nil {
		return rendered{}, err
	}
	sum := sha256.Sum256(style)
	return rendered{
		page: buf.Bytes(),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

// Document serves GET /openapi.yaml.
func (d *Docs) Document(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "application/yaml", d.document)
}

// Page serves GET /docs.
func (d *Docs) Page(w http.ResponseWriter, _ *http.Request) error {
	docs, err := d.page()
	if err != nil {
		return fmt.Errorf("render the documentation: %w", err)
	}
	w.Header().Set("Content-Security-Policy", docs.policy)
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "text/html; charset=utf-8", docs.page)
}

// prose turns the Markdown of our descriptions into HTML: paragraphs, `code` and **strong**.
func prose(text string) template.HTML {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		escaped := template.HTMLEscapeString(strings.Join(strings.Fields(paragraph), " "))
		out.WriteString("<p>" + pairs(pairs(escaped, "`", "code"), "**", "strong") + "</p>")
	}
	return template.HTML(out.String())
}

// pairs wraps the text between two marks in an element.
func pairs(text, mark, element string) string {
	parts := strings.Split(text, mark)
	for i := 1; i+1 < len(parts); i += 2 {
		parts[i] = "<" + element + ">" + parts[i] + "</" + element + ">"
	}
	return strings.Join(parts, "")
}
