package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"waxwing/api"
	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

// documented lists "METHOD /path" for every operation of an API document, with its parameters
// filled in.
func documented(t *testing.T, document []byte) (targets []string) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			targets = append(targets, method+" "+parameter.ReplaceAllString(path, "x"))
		}
	}
	return targets
}

// sendRaw sends a request that an HTTP library would not send, and returns status and body.
func sendRaw(t *testing.T, addr, request string) (status int, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Error(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Errorf("request %.200q: got %v, want a response", request, err)
		return 0, ""
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, "events"
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		t.Errorf("request %.200q: got %v, want a response", request, err)
	}
	return resp.StatusCode, strings.TrimSpace(string(content))
}

// TestForeignHostsAreDenied requests every route of both servers, on every kind of bind address,
// with a valid credential and a foreign Host header.
func TestForeignHostsAreDenied(t *testing.T) {
	t.Parallel()
	const denied = `{"error":"this server does not accept that host name","code":"host_not_allowed"}`
	var count struct {
		sync.Mutex
		inputs, violations int
	}
	for _, bind := range []string{"127.0.0.1:0", "[::1]:0", "0.0.0.0:0"} {
		t.Run(bind, func(t *testing.T) {
			s := start(t, withoutRateLimit, func(c *app.Config) { c.Player.Addr, c.Catalog.Addr = bind, bind })
			key, errs, code := s.run("key", "create", "--name", "canary", "--permission", "read", "--permission", "write")
			if code != 0 {
				t.Fatalf("key create: got exit code %d, errors %q; want 0", code, errs)
			}
			extra := []string{"GET /nope", "OPTIONS /play", "OPTIONS *", "BREW /coffee", "GET /web/app.js", "GET /web/style.css",
				"GET //", "GET /%2e%2e/etc/passwd"}
			for server, base := range map[string]string{"player": s.base, "catalog": s.catalog} {
				at, err := url.Parse(base)
				if err != nil {
					t.Fatal(err)
				}
				document, credential := api.PlayerYAML, "Authorization: Bearer "+s.token
				if server == "catalog" {
					document, credential = api.CatalogYAML, "X-Api-Key: "+strings.TrimSpace(key)
				}
				targets := append(documented(t, document), extra...)
				hosts := testenv.ForeignHosts(at.Port())
				inputs, violations := 0, 0
				check := func(target, host, want string) {
					status, body := sendRaw(t, at.Host, target+" HTTP/1.1\r\nHost: "+host+"\r\n"+
						"X-Forwarded-Host: localhost:"+at.Port()+"\r\nForwarded: host=localhost\r\n"+credential+
						"\r\nConnection: close\r\n\r\n")
					inputs++
					if status == http.StatusBadRequest && strings.HasPrefix(body, "400 Bad Request") {
						return // the HTTP server of Go rejects a missing host itself
					}
					if status != http.StatusMisdirectedRequest || body != want {
						violations++
						t.Errorf("%s: %s with Host %q: got %d %.200s, want 421 %s", server, target, host, status, body, want)
					}
				}
				for _, host := range hosts {
					for _, target := range targets {
						check(target, host, denied)
					}
				}
				for _, target := range []string{"GET http://evil.example/health", "GET http://localhost:" + at.Port() + "/health",
					"POST http://" + at.Host + "/play"} {
					check(target, at.Host, denied)
				}
				for _, own := range []string{"localhost:" + at.Port(), "LOCALHOST:" + at.Port(), "127.0.0.1:" + at.Port(),
					"[::1]:" + at.Port()} {
					inputs++
					status, body := sendRaw(t, at.Host, "GET /health HTTP/1.1\r\nHost: "+own+
						"\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n")
					if status != 200 {
						violations++
						t.Errorf("%s: own host name %q: got %d %s, want 200", server, own, status, body)
					}
				}
				status, body := sendRaw(t, at.Host,
					"GET /health HTTP/1.1\r\nHost: "+at.Host+"\r\nHost: evil.example\r\n\r\n")
				if status != http.StatusBadRequest {
					violations++
					t.Errorf("%s: two Host headers: got %d %s, want 400", server, status, body)
				}
				if len(hosts) < 40 || len(targets) < 40 {
					t.Fatalf("got %d host names and %d routes, want at least 40 of each", len(hosts), len(targets))
				}
				count.Lock()
				count.inputs, count.violations = count.inputs+inputs+1, count.violations+violations
				count.Unlock()
			}
			if st := s.get("/playback-state"); st["is_playing"] != false {
				t.Errorf("playback state after all requests: got %v, want paused", st)
			}
		})
	}
	testenv.Report(t, testenv.HostHeaders, testenv.Tally{Inputs: count.inputs, Violations: count.violations,
		Note: "3 binds, both servers, every documented route"})
}
