// Package apidocs renders an OpenAPI document as an HTML page with a console that sends requests.
// Both servers serve it at /docs.
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

//go:embed page.html style.css console.js
var files embed.FS

// Docs is a document and its page. The page is rendered on the first request, because that takes
// longer than the rest of the program's start.
type Docs struct {
	document  []byte
	publicURL string
	page      func() (rendered, error)
}

// rendered is a page ready to be sent.
type rendered struct {
	page   []byte
	server string // the address in the page
	policy string
}

var serverURL = regexp.MustCompile(`(?m)^servers:\n  - url: .*$`)

// New returns the handlers of a document. publicURL, if it is not empty, replaces the address of
// the server in it.
func New(document []byte, publicURL string) *Docs {
	if publicURL != "" {
		document = serverURL.ReplaceAllLiteral(document, []byte("servers:\n  - url: "+publicURL))
	}
	return &Docs{
		document: document, publicURL: publicURL,
		page: sync.OnceValues(func() (rendered, error) { return render(document) }),
	}
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
		page: buf.Bytes(), server: view.Server,
		policy: "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

// Document serves GET /openapi.yaml.
func (d *Docs) Document(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "application/yaml", d.document)
}

// Script serves GET /docs/console.js.
func (d *Docs) Script(w http.ResponseWriter, _ *http.Request) error {
	script, err := files.ReadFile("console.js")
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "text/javascript; charset=utf-8", script)
}

// Page serves GET /docs. The page names the address at which it was opened.
func (d *Docs) Page(w http.ResponseWriter, r *http.Request) error {
	docs, err := d.page()
	if err != nil {
		return fmt.Errorf("render the documentation: %w", err)
	}
	page := docs.page
	if opened := template.HTMLEscapeString(d.openedAt(r)); docs.server != "" && opened != docs.server {
		page = bytes.ReplaceAll(page, []byte(docs.server), []byte(opened))
	}
	w.Header().Set("Content-Security-Policy", docs.policy)
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "text/html; charset=utf-8", page)
}

// openedAt returns the address of the server as the client knows it. The Host was checked before.
func (d *Docs) openedAt(r *http.Request) string {
	if _, host, ok := strings.Cut(d.publicURL, "://"); ok && (r.Host == "" || strings.HasPrefix(host+"/", r.Host+"/")) {
		return d.publicURL
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
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
