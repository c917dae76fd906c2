package apitest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"waxwing/internal/httpkit"
)

// Document is an OpenAPI document that replies and routes are compared with.
type Document struct {
	*openapi3.T

	scheme  string   // of security
	checked sync.Map // replies that were compared
}

// Load parses a document, whose security scheme has the given name. Bodies of the binary content
// types are not compared with a schema.
func Load(yaml []byte, scheme string, binary ...string) *Document {
	doc, err := openapi3.NewLoader().LoadFromData(yaml)
	if err != nil {
		panic(err)
	}
	for _, contentType := range binary {
		openapi3filter.RegisterBodyDecoder(contentType, openapi3filter.FileBodyDecoder)
	}
	return &Document{T: doc, scheme: scheme}
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// matches reports whether a path matches a template. {path} matches any number of segments, other
// placeholders match one.
func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	for i, segment := range want {
		switch {
		case i == len(got):
			return false
		case segment == "{path}":
			return true
		case segment != got[i] && !placeholder.MatchString(segment):
			return false
		}
	}
	return len(want) == len(got)
}

// Operation finds the documented operation of a request: the one with the longest literal text if
// several templates match. It returns nil if there is none.
func (d *Document) Operation(method, path string) (template string, item *openapi3.PathItem, op *openapi3.Operation) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	longest := -1
	for candidate, at := range d.Paths.Map() {
		length := len(placeholder.ReplaceAllString(candidate, ""))
		if length > longest && matches(candidate, path) {
			longest, template, item = length, candidate, at
		}
	}
	if item == nil {
		return "", nil, nil
	}
	return template, item, item.GetOperation(method)
}

// CheckReply compares a reply with the document. It reports whether the operation is documented.
func (d *Document) CheckReply(t testing.TB, req *http.Request, status int, header http.Header, text string) bool {
	t.Helper()
	template, item, op := d.Operation(req.Method, req.URL.EscapedPath())
	if op == nil {
		return false
	}
	name, body := req.Method+" "+req.URL.Path, []byte(text)
	if header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatalf("%s: decompress the body: %v", name, err)
		}
	}
	head := req.Method == http.MethodHead
	if head && len(body) > 0 {
		t.Errorf("%s: got a body of %d bytes, want none", name, len(body))
	}
	reply := fmt.Sprintln(req.Method, template, status, header.Get("Content-Type"), len(header), string(body))
	if _, before := d.checked.LoadOrStore(reply, true); before {
		return true
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req,
			Route:   &routers.Route{Spec: d.T, Path: template, PathItem: item, Method: req.Method, Operation: op},
		},
		Status: status, Header: header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: head, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(t.Context(), input.SetBodyBytes(body)); err != nil {
		t.Errorf("%s: the reply %d %.600s\ndiffers from the document: %v", name, status, body, err)
	}
	return true
}

// Permission returns the permission that an operation requires, or "public".
func (d *Document) Permission(op *openapi3.Operation) string {
	if op.Security == nil || len(*op.Security) == 0 {
		return "public"
	}
	return (*op.Security)[0][d.scheme][0]
}

// CheckRoutes compares routes and their permissions with the document, in both directions.
func (d *Document) CheckRoutes(t testing.TB, routes []httpkit.Route) {
	t.Helper()
	permissions := map[httpkit.Need]string{
		httpkit.Public: "public", httpkit.Read: "read", httpkit.Write: "write", httpkit.Keys: "keys",
		httpkit.Streams: "streams",
	}
	documented := map[string]string{}
	for path, item := range d.Paths.Map() {
		for method, op := range item.Operations() {
			documented[method+" "+path] = d.Permission(op)
		}
	}
	served := map[string]bool{}
	for _, route := range routes {
		pattern := strings.NewReplacer("{$}", "", "...}", "}").Replace(route.Pattern)
		served[pattern] = true
		if need := permissions[route.Need]; documented[pattern] != need {
			t.Errorf("%s needs the permission %q, but is documented with %q", pattern, need, documented[pattern])
		}
	}
	for pattern := range documented {
		if !served[pattern] {
			t.Errorf("%s is documented and not served", pattern)
		}
	}
}
