package cataloghttp_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"waxwing/api"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/httpkit"
)

// document is api/catalog.yaml, read once.
var document = sync.OnceValue(func() *openapi3.T {
	doc, err := openapi3.NewLoader().LoadFromData(api.CatalogYAML)
	if err != nil {
		panic(err)
	}
	for _, t := range []string{"text/html", "application/yaml", "audio/flac", "multipart/byteranges", "image/jpeg", "image/png"} {
		openapi3filter.RegisterBodyDecoder(t, openapi3filter.FileBodyDecoder)
	}
	return doc
})

// checked remembers which answers were held against the document already.
var checked sync.Map

// operationOf finds what the document says about a request; nil if nothing.
func operationOf(method, path string) (where string, item *openapi3.PathItem, op *openapi3.Operation) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	paths := document().Paths.Map()
	if item := paths[path]; item != nil {
		return path, item, item.GetOperation(method)
	}
	for where, item := range paths {
		if fits(where, path) {
			return where, item, item.GetOperation(method)
		}
	}
	return "", nil, nil
}

// fits compares a path with a template segment by segment.
func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return len(want) == len(got) && !slices.ContainsFunc(want, func(s string) bool {
		i := slices.Index(want, s)
		return s != got[i] && !strings.HasPrefix(s, "{")
	})
}

// checkAgainstDocument holds every answer of every test against api/catalog.yaml, and against what
// the interface promises for all of them.
func checkAgainstDocument(t testing.TB, req *http.Request, got reply) {
	t.Helper()
	name := req.Method + " " + req.URL.Path
	if got.header.Get("X-Waxwing-Version") != version || got.header.Get("X-Request-Id") == "" {
		t.Errorf("%s: version %q, request id %q", name, got.header.Get("X-Waxwing-Version"), got.header.Get("X-Request-Id"))
	}
	where, item, op := operationOf(req.Method, req.URL.EscapedPath())
	if op == nil {
		if !slices.Contains([]int{403, 404, 405, 421}, got.status) {
			t.Errorf("%s is not in the document and answers %d %s", name, got.status, got.body)
		}
		return
	}
	body := []byte(got.body)
	if got.header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	if req.Method == http.MethodHead {
		if len(body) > 0 {
			t.Errorf("%s has a body", name)
		}
		return
	}
	seen := fmt.Sprintln(req.Method, where, got.status, got.header.Get("Content-Type"), len(got.header), string(body))
	if _, before := checked.LoadOrStore(seen, true); before {
		return // the same answer to the same operation stays as right as it was
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, Route: &routers.Route{Spec: document(), Path: where, PathItem: item, Method: req.Method, Operation: op},
		},
		Status: got.status, Header: got.header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(t.Context(), input.SetBodyBytes(body)); err != nil {
		t.Errorf("%s answers %d %.600s\nwhich is not as in the document: %v", name, got.status, body, err)
	}
}

// TestRoutesAndDocumentAgree compares the table with the document both ways, permissions included.
func TestRoutesAndDocumentAgree(t *testing.T) {
	h := start(t, 0)
	served := map[string]string{}
	for _, route := range cataloghttp.Routes(h.cfg) {
		served[route.Pattern] = map[httpkit.Need]string{httpkit.Public: "public", httpkit.Read: "read", httpkit.Write: "write", httpkit.Keys: "keys"}[route.Need]
	}
	written := map[string]string{}
	for path, item := range document().Paths.Map() {
		for method, op := range item.Operations() {
			written[method+" "+path] = permissionOf(op)
		}
	}
	for pattern, need := range served {
		if written[pattern] != need {
			t.Errorf("%s is served for %q and documented for %q", pattern, need, written[pattern])
		}
	}
	for pattern := range written {
		if _, ok := served[pattern]; !ok {
			t.Errorf("%s is documented and not served", pattern)
		}
	}
	if len(served) < 30 {
		t.Errorf("only %d routes were compared", len(served))
	}
}

// permissionOf reads what the document demands of the caller.
func permissionOf(op *openapi3.Operation) string {
	if op.Security != nil && len(*op.Security) == 0 {
		return "public"
	}
	return (*op.Security)[0]["key"][0]
}
