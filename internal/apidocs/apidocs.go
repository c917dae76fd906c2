// Package apidocs shows an OpenAPI document of ours as a page that needs nothing else: no
// script, no other file, no network. Both servers serve it at /docs.
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
	"sync"

	"waxwing/internal/httpkit"
)

//go:embed page.html style.css
var files embed.FS

// Docs is a document and its page. The page is made when it is first asked for: few ever ask, and making it
// takes longer than all else at the start of the program.
type Docs struct {
	document []byte
	shown    func() (shown, error)
}

// shown is a page ready to be sent.
type shown struct {
	page   []byte
	policy string
}

// New prepares a document to be shown.
func New(document []byte) *Docs {
	return &Docs{document: document, shown: sync.OnceValues(func() (shown, error) { return render(document) })}
}

func render(document []byte) (shown, error) {
	view, err := parse(document)
	if err != nil {
		return shown{}, err
	}
	style, err := files.ReadFile("style.css")
	if err != nil {
		return shown{}, err
	}
	view.Style = template.CSS(style)
	page, err := template.New("page.html").Funcs(template.FuncMap{"prose": prose}).ParseFS(files, "page.html")
	if err != nil {
		return shown{}, err
	}
	var buf bytes.Buffer
	if err := page.Execute(&buf, view); err != nil {
		return shown{}, err
	}
	sum := sha256.Sum256(style)
	return shown{
		page: buf.Bytes(),
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
	docs, err := d.shown()
	if err != nil {
		return fmt.Errorf("render the documentation: %w", err)
	}
	w.Header().Set("Content-Security-Policy", docs.policy)
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "text/html; charset=utf-8", docs.page)
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
