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
	hole := regexp.MustCompile(`\{[^}]*\}`)
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			targets = append(targets, method+" "+hole.ReplaceAllString(path, "x"))
		}
	}
	return targets
}

// sendRaw sends bytes that no HTTP library would send, and returns status and body.
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
		t.Errorf("%.200q: %v", request, err)
		return 0, ""
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, "events"
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		t.Errorf("%.200q: %v", request, err)
	}
	return resp.StatusCode, strings.TrimSpace(string(content))
}

// TestForeignHostsGetNothing requests every route of both servers, on every kind of bind address,
// with a valid credential and a foreign Host header.
func TestForeignHostsGetNothing(t *testing.T) {
	t.Parallel()
	const refusal = `{"error":"this server does not accept that host name"}`
	var count struct {
		sync.Mutex
		inputs, wrong int
	}
	for _, bind := range []string{"127.0.0.1:0", "[::1]:0", "0.0.0.0:0"} {
		t.Run(bind, func(t *testing.T) {
			s := start(t, withoutRateLimit, func(c *app.Config) { c.Player.Addr, c.Catalog.Addr = bind, bind })
			key, errs, code := s.run("key", "create", "--name", "canary", "--permission", "read", "--permission", "write")
			if code != 0 {
				t.Fatal(errs)
			}
			extra := []string{"GET /nope", "OPTIONS /play", "BREW /coffee", "GET /web/app.js", "GET /web/style.css", "GET //",
				"GET /%2e%2e/etc/passwd"}
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
				inputs, wrong := 0, 0
				ask := func(target, host, want string) {
					status, body := sendRaw(t, at.Host, target+" HTTP/1.1\r\nHost: "+host+"\r\n"+
						"X-Forwarded-Host: localhost:"+at.Port()+"\r\nForwarded: host=localhost\r\n"+credential+
						"\r\nConnection: close\r\n\r\n")
					inputs++
					if status == http.StatusBadRequest && strings.HasPrefix(body, "400 Bad Request") {
						return // without a host: refused by the HTTP server
					}
					if status != http.StatusMisdirectedRequest || body != want {
						wrong++
						t.Errorf("%s: %s as %q: %d %.200s", server, target, host, status, body)
					}
				}
				for _, host := range hosts {
					for _, target := range targets {
						ask(target, host, refusal)
					}
				}
				for _, target := range []string{"GET http://evil.example/health", "GET http://localhost:" + at.Port() + "/health",
					"POST http://" + at.Host + "/play"} {
					ask(target, at.Host, refusal)
				}
				for _, own := range []string{"localhost:" + at.Port(), "LOCALHOST:" + at.Port(), "127.0.0.1:" + at.Port(),
					"[::1]:" + at.Port()} {
					inputs++
					if status, body := sendRaw(t, at.Host,
						"GET /health HTTP/1.1\r\nHost: "+own+"\r\nX-Forwarded-Host: evil.example\r\n"+
							"Connection: close\r\n\r\n"); status != 200 {
						wrong++
						t.Errorf("%s: our own name %q: %d %s", server, own, status, body)
					}
				}
				if status, body := sendRaw(t, at.Host,
					"GET /health HTTP/1.1\r\nHost: "+at.Host+"\r\nHost: evil.example\r\n\r\n"); status != http.StatusBadRequest {
					wrong++
					t.Errorf("%s: two hosts: %d %s", server, status, body)
				}
				if len(hosts) < 40 || len(targets) < 40 {
					t.Fatalf("%d names on %d routes", len(hosts), len(targets))
				}
				count.Lock()
				count.inputs, count.wrong = count.inputs+inputs+1, count.wrong+wrong
				count.Unlock()
			}
			if st := s.get("/playback-state"); st["is_playing"] != false {
				t.Errorf("it plays: %v", st)
			}
		})
	}
	testenv.Report(t, testenv.HostHeaders, testenv.Tally{Inputs: count.inputs, Violations: count.wrong,
		Note: "3 binds, both servers, every documented route"})
}
