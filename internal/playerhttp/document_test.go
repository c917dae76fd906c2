package playerhttp_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"waxwing/api"
	"waxwing/internal/httpkit"
	"waxwing/internal/playerhttp"
)

// document is api/player.yaml, read once.
var document = sync.OnceValue(func() *openapi3.T {
	doc, err := openapi3.NewLoader().LoadFromData(api.PlayerYAML)
	if err != nil {
		panic(err)
	}
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/javascript", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/yaml", openapi3filter.FileBodyDecoder)
	return doc
})

// checked remembers which answers were held against the document already.
var checked sync.Map

var placeholder = regexp.MustCompile(`\{\w+\}`)

// fits reports whether a path is one of a pattern; {path} stands for any depth, all others for one segment.
func fits(pattern, path string) bool {
	wants, has := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, want := range wants {
		switch {
		case i == len(has):
			return false
		case want == "{path}":
			return true
		case want != has[i] && !placeholder.MatchString(want):
			return false
		}
	}
	return len(wants) == len(has)
}

// operationOf finds what the document says about a request; nil if nothing.
func operationOf(method, path string) (where string, item *openapi3.PathItem, op *openapi3.Operation) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	longest := -1 // of two patterns that fit, the one that says more is served
	for candidate, at := range document().Paths.Map() {
		said := len(placeholder.ReplaceAllString(candidate, ""))
		if said > longest && fits(candidate, path) {
			longest, where, item = said, candidate, at
		}
	}
	if item == nil {
		return "", nil, nil
	}
	return where, item, item.GetOperation(method)
}

// checkAgainstDocument holds every answer of every test against api/player.yaml, and against
// what both interfaces promise for all of them.
func checkAgainstDocument(t testing.TB, req *http.Request, got reply) {
	t.Helper()
	name := req.Method + " " + req.URL.Path
	if got.header.Get("X-Waxwing-Version") != version || got.header.Get("X-Request-Id") == "" {
		t.Errorf("%s: version %q, request id %q", name, got.header.Get("X-Waxwing-Version"), got.header.Get("X-Request-Id"))
	}
	for _, one := range []string{"X-Waxwing-Version", "X-Request-Id", "Content-Type", "Content-Security-Policy"} {
		if len(got.header.Values(one)) > 1 {
			t.Errorf("%s: %s is sent %d times", name, one, len(got.header.Values(one)))
		}
	}
	if got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%s: the safety headers are missing", name)
	}
	where, item, op := operationOf(req.Method, req.URL.Path)
	if op == nil {
		if !slices.Contains([]int{200, 403, 404, 405, 421}, got.status) || got.status == 200 && req.Method != http.MethodOptions {
			t.Errorf("%s is not in the document and answers %d %s", name, got.status, got.body)
		}
		return
	}
	seen := fmt.Sprintln(name, got.status, got.header.Get("Content-Type"), len(got.header), got.body)
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
	if err := openapi3filter.ValidateResponse(t.Context(), input.SetBodyBytes([]byte(got.body))); err != nil {
		t.Errorf("%s answers %d %s\nwhich is not as in the document: %v", name, got.status, got.body, err)
	}
}

// TestRoutesAndDocumentAgree compares the table with the document both ways, permissions included.
func TestRoutesAndDocumentAgree(t *testing.T) {
	h := start(t, 0)
	served := map[string]string{}
	for _, route := range playerhttp.Routes(h.cfg) {
		pattern := strings.NewReplacer("{$}", "", "...}", "}").Replace(route.Pattern)
		served[pattern] = map[httpkit.Need]string{httpkit.Public: "public", httpkit.Read: "read", httpkit.Write: "write", httpkit.Keys: "keys"}[route.Need]
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
	if len(served) < 40 {
		t.Errorf("only %d routes were compared", len(served))
	}
}

// permissionOf reads what the document demands of the caller.
func permissionOf(op *openapi3.Operation) string {
	if op.Security == nil || len(*op.Security) == 0 {
		return "public"
	}
	return (*op.Security)[0]["bearer"][0]
}
