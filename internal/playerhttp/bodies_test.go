package playerhttp_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// operations lists the documented operations with one of the methods as "METHOD /path", without
// paths that have parameters.
func operations(methods ...string) (list []string) {
	for path, item := range document().Paths.Map() {
		for method := range item.Operations() {
			if slices.Contains(methods, method) && !strings.Contains(path, "{") {
				list = append(list, method+" "+path)
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestInvalidBodiesAreRejectedWithoutEffect sends invalid bodies to every operation that reads a
// body, and checks that the state of the player does not change.
func TestInvalidBodiesAreRejectedWithoutEffect(t *testing.T) {
	h := start(t, 5)
	h.do(t, "POST", "/play", "write", "")
	h.do(t, "POST", "/pause", "write", "")
	state := func() string {
		return h.do(t, "GET", "/playback-queue", "read", "").body + h.do(t, "GET", "/current-track", "read", "").body +
			h.do(t, "GET", "/volume", "read", "").body + h.do(t, "GET", "/pair", "keys", "").body
	}
	before := state()
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	list := strings.Repeat("[", 30000) + strings.Repeat("]", 30000)
	tried := 0
	for _, op := range operations("POST") {
		method, path, _ := strings.Cut(op, " ")
		if strings.HasPrefix(path, "/api/") {
			continue // proxied: the catalog checks these requests
		}
		for _, bad := range []struct {
			name, body, contentType string
			status                  int
			message                 string
		}{
			{"not JSON", `{"position":`, "application/json", 400, "not valid JSON"},
			{"words", `position=5`, "application/json", 400, "not valid JSON"},
			{"trailing object", `{} {}`, "application/json", 400, "after its JSON"},
			{"trailing words", `{}x`, "", 400, "after its JSON"},
			{"invalid UTF-8", "{\"a\":\"\xff\xfe\"}", "application/json", 400, "UTF-8"},
			{"given twice", `{"a":1,"a":1}`, "application/json", 400, `\"a\" is given twice`},
			{"given twice, escaped", `{"a":1,"\u0061":1}`, "application/json", 400, `\"a\" is given twice`},
			{"given twice, inside", `{"x":[{"b":1,"b":2}]}`, "application/json", 400, `\"b\" is given twice`},
			{"deep objects", deep, "application/json", 400, "nested too deeply"},
			{"deep lists", `{"a":` + list + `}`, "application/json", 400, ""},
			{"a form", `a=b`, "application/x-www-form-urlencoded", 415, "Content-Type: application/json"},
			{"text", `{}`, "text/plain", 415, "Content-Type: application/json"},
			{"invalid type", `{}`, "nonsense", 415, "Content-Type: application/json"},
			{"two types", `{}`, "application/json, text/plain", 415, "Content-Type: application/json"},
			{"over the limit", `{"a":"` + strings.Repeat("x", 64<<10) + `"}`, "application/json", 413, "65536"},
			{"spaces over the limit", strings.Repeat(" ", 65537), "application/json", 413, "65536"},
			{"a list", `[]`, "application/json", 400, ""},
			{"null", `null`, "application/json", 400, ""},
		} {
			got := h.do(t, method, path, "all", bad.body, "Content-Type", bad.contentType)
			if got.status != bad.status || !strings.Contains(got.body, bad.message) {
				t.Errorf("%s with %s: got %d %s, want %d %s",
					op, bad.name, got.status, got.body, bad.status, bad.message)
			}
			tried++
		}
	}
	if after := state(); after != before {
		t.Errorf("got state\n%s\nwant it unchanged\n%s", after, before)
	}
	t.Logf("%d invalid bodies tried", tried)
}

// TestOversizedBodiesReturn413 sends 8 MiB with a Content-Length and in chunks, without one.
func TestOversizedBodiesReturn413(t *testing.T) {
	h := start(t, 1)
	for _, path := range []string{"/pause", "/seek", "/queue/add", "/pair"} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(`{"a":"` + strings.Repeat("x", 8<<20) + `"}`)
			if chunked {
				body = io.MultiReader(body) // hides the length
			}
			req, err := http.NewRequest("POST", h.url+path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+h.secrets["write"])
			req.Header.Set("Content-Type", "application/json")
			h.send(t, req).want(t, 413, `{"error":"the body must not exceed 65536 bytes","code":"too_large"}`)
		}
	}
}

// TestOptionalBodiesAreAcceptedInEveryForm: commands without required fields accept an absent,
// blank or empty body, and unknown fields.
func TestOptionalBodiesAreAcceptedInEveryForm(t *testing.T) {
	h := start(t, 3)
	for _, path := range []string{"/pause", "/play", "/next", "/previous", "/toggle", "/toggle-play", "/queue/clear"} {
		for _, body := range []string{"", " \n", "{}", ` { } `, `{"unknown":{"deep":[1,2]}}`} {
			for _, contentType := range []string{"", "application/json", "application/json; charset=utf-8", "Application/JSON"} {
				h.do(t, "POST", "/play", "write", "")
				if got := h.do(t, "POST", path, "write", body, "Content-Type", contentType); got.status != 200 {
					t.Errorf("%s %q as %q: got %d %s, want 200", path, body, contentType, got.status, got.body)
				}
			}
		}
		h.do(t, "POST", "/play", "write", "")
		// curl -d '' sends an empty form.
		got := h.do(t, "POST", path, "write", "", "Content-Type", "application/x-www-form-urlencoded")
		if got.status != 200 {
			t.Errorf("%s with an empty form: got %d %s, want 200", path, got.status, got.body)
		}
	}
}

func TestUnknownMethodsReturn405AndUnknownPaths404(t *testing.T) {
	h := start(t, 0)
	for path, item := range document().Paths.Map() {
		if strings.Contains(path, "{") || strings.HasPrefix(path, "/api/") {
			continue // proxied: the catalog checks these requests
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			if _, known := item.Operations()[method]; known {
				continue
			}
			got := h.do(t, method, path, "both", "")
			allow := got.header.Get("Allow")
			if got.status != 405 || !strings.HasPrefix(got.body, `{"error":"`) ||
				(item.Get != nil) != strings.Contains(allow, "GET, HEAD") ||
				(item.Post != nil) != strings.Contains(allow, "POST") {
				t.Errorf("%s %s: got %d, Allow %q, %s, want 405 and the documented methods",
					method, path, got.status, allow, got.body)
			}
		}
	}
	for _, path := range []string{
		"/nope", "/health/", "/play/x", "//health", "/./health", "/a/../health", "/HEALTH", "/queue", "/api",
		"/web/nope", "/web/../embed.go", "/%2e%2e/x", "/web/embed.go",
	} {
		for _, token := range []string{"", "both"} {
			got := h.do(t, "GET", path, token, "")
			if got.status != 404 || !strings.HasPrefix(got.body, `{"error":"`) ||
				got.header.Get("Content-Type") != "application/json" {
				t.Errorf("GET %s: got %d %s, want 404 and a JSON error", path, got.status, got.body)
			}
		}
	}
}
