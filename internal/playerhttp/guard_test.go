package playerhttp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"waxwing/internal/access"
	"waxwing/internal/playerhttp"
	"waxwing/internal/testenv"
)

// raw sends a request as it is, valid or not, and returns the status and the body of the reply.
func (h *fixture) raw(t *testing.T, request string) (status int, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, ""
	}
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return resp.StatusCode, strings.TrimSpace(string(content))
}

// TestForeignHostsAreRejected calls every route with host names that are not the server's and a
// valid token. The reply is always the same error.
func TestForeignHostsAreRejected(t *testing.T) {
	h := start(t, 1, func(c *playerhttp.Config) { c.Hosts = []string{"radio.example", "proxy.example:8443"} })
	port := fmt.Sprint(h.cfg.Addr.(*net.TCPAddr).Port)
	foreign := append(testenv.ForeignHosts(port),
		"radio.example:1", "proxy.example", "proxy.example:"+port, "sub.radio.example:"+port)
	targets := []string{"GET /", "GET /nope", "GET /web/app.js", "GET /docs", "OPTIONS /play", "BREW /play"}
	for path, item := range document().Paths.Map() {
		for method := range item.Operations() {
			targets = append(targets, method+" "+strings.ReplaceAll(path, "{path}", "songs"))
		}
	}
	const wantBody = `{"error":"this server does not accept that host name","code":"host_not_allowed"}`
	tried := 0
	for _, host := range foreign {
		for _, target := range targets {
			request := target + " HTTP/1.1\r\nHost: " + host + "\r\nX-Forwarded-Host: localhost:" + port +
				"\r\nAuthorization: Bearer " + h.secrets["both"] + "\r\nConnection: close\r\n\r\n"
			status, body := h.raw(t, request)
			tried++
			if status == http.StatusBadRequest && strings.HasPrefix(body, "400 Bad Request") {
				continue // net/http rejects a malformed host itself
			}
			if status != http.StatusMisdirectedRequest || body != wantBody {
				t.Errorf("%s with host %q: got %d %s, want 421 %s", target, host, status, body, wantBody)
			}
		}
	}
	for _, request := range []string{
		"GET http://evil.example/health HTTP/1.1\r\nHost: localhost:" + port + "\r\n\r\n",
		"GET http://localhost:" + port + "/health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"GET http://localhost:" + port + "/health HTTP/1.1\r\nHost: localhost:" + port + "\r\n\r\n",
		"GET /health HTTP/1.0\r\n\r\n",
	} {
		if status, body := h.raw(t, request); status != http.StatusMisdirectedRequest || body != wantBody {
			t.Errorf("%q: got %d %s, want 421 %s", request, status, body, wantBody)
		}
	}
	for _, request := range []string{
		"GET /health HTTP/1.1\r\n\r\n",
		"GET /health HTTP/1.1\r\nHost: localhost:" + port + "\r\nHost: evil.example\r\n\r\n",
	} {
		if status, body := h.raw(t, request); status != http.StatusBadRequest {
			t.Errorf("%q: got %d %s, want 400", request, status, body)
		}
	}
	for _, host := range []string{
		"localhost:" + port, "LocalHost:" + port, "127.0.0.1:" + port, "[::1]:" + port,
		"radio.example", "RADIO.example:" + port, "proxy.example:8443",
	} {
		request := "GET /health HTTP/1.1\r\nHost: " + host +
			"\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n"
		if status, body := h.raw(t, request); status != 200 {
			t.Errorf("accepted host %q: got %d %s, want 200", host, status, body)
		}
	}
	testenv.Report(t, testenv.HostHeaders, testenv.Tally{Inputs: tried,
		Note: testenv.TriedOf(len(foreign), 40, "foreign names") + "; configured host names are accepted"})
}

// TestForeignOriginsAreRejected sends requests of every method and kind of route from foreign
// pages. They neither read nor change anything, whatever credential they have.
func TestForeignOriginsAreRejected(t *testing.T) {
	h := start(t, 3)
	h.do(t, "POST", "/play", "write", "")
	before := h.current(t) + h.state(t)
	port := fmt.Sprint(h.cfg.Addr.(*net.TCPAddr).Port)
	origins := []string{
		"", "null", "https://evil.example", "http://evil.example:" + port, "http://127.0.0.1", "http://127.0.0.1:1",
		"http://localhost:" + port, "https://127.0.0.1:" + port, "file://", "http://127.0.0.1:" + port + ".evil.example",
	}
	sites := []string{"", "none", "same-origin", "same-site", "cross-site", "nonsense"}
	contentTypes := []string{
		"", "application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
	}
	const wantBody = `{"error":"pages of that origin may not use this server; create a token with --origin to allow it",` +
		`"code":"origin_not_allowed"}`
	tried := 0
	for _, target := range []string{
		"GET /health", "GET /current-track", "GET /web/app.js", "HEAD /playback-queue", "GET /nope",
		"POST /next", "POST /pair", "POST /queue/clear", "PUT /play", "DELETE /api/songs", "PATCH /api/songs",
	} {
		method, path, _ := strings.Cut(target, " ")
		for _, origin := range origins {
			for _, site := range sites {
				isForeign := origin != "" || site != "" && site != "none" && site != "same-origin"
				if !isForeign {
					continue
				}
				for _, contentType := range contentTypes {
					for _, credential := range []string{"none", "header", "query"} {
						var headers []string
						for name, value := range map[string]string{
							"Origin": origin, "Sec-Fetch-Site": site, "Content-Type": contentType,
						} {
							if value != "" {
								headers = append(headers, name, value)
							}
						}
						token, query := "", ""
						switch credential {
						case "header":
							token = "both"
						case "query":
							query = "?access_token=" + h.secrets["both"]
						}
						got := h.read(t, h.request(t, method, path+query, token, "", headers...))
						tried++
						if got.status != 403 || got.header.Get("Access-Control-Allow-Origin") != "" ||
							method != "HEAD" && got.body != wantBody {
							t.Fatalf("%s from %q (%s) with %s: got %d %s %v, want 403 %s without CORS headers",
								target, origin, site, credential, got.status, got.body, got.header, wantBody)
						}
					}
				}
			}
		}
	}
	if after := h.current(t) + h.state(t); after != before {
		t.Errorf("after requests of foreign pages: got state %s, want %s", after, before)
	}
	testenv.Report(t, testenv.WebOrigins, testenv.Tally{Inputs: tried, Note: fmt.Sprintf(
		"the player: %s, %s, %s, with %s",
		testenv.TriedOf(len(origins), 8, "origins"), testenv.TriedOf(len(sites), 5, "values of Sec-Fetch-Site"),
		testenv.TriedOf(len(contentTypes), 5, "content types"), testenv.TriedOf(3, 3, "credentials"))})
}

// TestOwnPagesAreAllowed: requests of the web player are allowed, and so are links to its pages,
// but not frames of other sites.
func TestOwnPagesAreAllowed(t *testing.T) {
	h := start(t, 3)
	own := h.url
	h.do(t, "POST", "/play", "write", "", "Origin", own, "Sec-Fetch-Site", "same-origin").want(t, 200, `~"ok":true`)
	h.do(t, "GET", "/playback-state", "read", "", "Sec-Fetch-Site", "same-origin").want(t, 200, `~is_playing`)
	h.do(t, "GET", "/", "", "", "Sec-Fetch-Site", "none").want(t, 200, "~<title>Waxwing</title>")
	link := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	h.do(t, "GET", "/", "", "", link...).want(t, 200, "~<title>Waxwing</title>")
	h.do(t, "GET", "/docs", "", "", link...).want(t, 200, "~<title>Waxwing player API</title>")
	h.do(t, "GET", "/current-track", "read", "", link...).want(t, 403, `~{"error":"`)
	frame := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}
	h.do(t, "GET", "/", "", "", frame...).want(t, 403, `~{"error":"`)
	if policy := h.do(t, "GET", "/", "", "").header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("got policy %q, want frame-ancestors 'none' and nothing unsafe", policy)
	}
}

// TestOriginTokenWorksOnlyFromItsOrigin: a page of the origin of a token can use that token, but
// no other token, and no other origin can use it.
func TestOriginTokenWorksOnlyFromItsOrigin(t *testing.T) {
	h := start(t, 3)
	const app = "https://app.example"
	_, secret, err := h.store.Create(t.Context(),
		access.NewToken{Name: "app", Permissions: access.Read, Origin: "https://App.example:443/"})
	if err != nil {
		t.Fatal(err)
	}
	h.secrets["app"] = secret
	page := []string{"Origin", app, "Sec-Fetch-Site", "cross-site"}

	got := h.do(t, "GET", "/playback-state", "app", "", page...)
	got.want(t, 200, `~is_playing`)
	if got.header.Get("Access-Control-Allow-Origin") != app || got.header.Get("Vary") != "Origin" ||
		got.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got headers %v, want CORS for %s without credentials", got.header, app)
	}
	h.do(t, "GET", "/playback-state?access_token="+secret, "", "", page...).want(t, 200, `~is_playing`)
	h.do(t, "GET", "/health", "app", "", page...).want(t, 200, `~running`)
	h.do(t, "POST", "/next", "app", "", page...).want(t, 403, `~permission`) // the page can read the reason
	h.do(t, "GET", "/playback-state", "app", "").want(t, 200, `~is_playing`)

	for _, other := range [][]string{
		{"Origin", "https://other.example"}, {"Origin", "http://app.example"}, {"Origin", "https://app.example:444"},
		{"Origin", "https://sub.app.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"},
		{"Origin", app, "Origin", app},
	} {
		if status := h.do(t, "GET", "/playback-state", "app", "", other...).status; status != 403 {
			t.Errorf("app's token with %v: got %d, want 403", other, status)
		}
	}
	for _, token := range []string{"", "read", "both", strings.Repeat("x", 40)} {
		h.do(t, "GET", "/playback-state", token, "", page...).want(t, 403, `~origin`)
	}

	preflight := []string{"Origin", app, "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "authorization, content-type"}
	reply := h.do(t, "OPTIONS", "/play", "", "", preflight...)
	if reply.status != 200 || reply.header.Get("Access-Control-Allow-Origin") != app ||
		reply.header.Get("Access-Control-Allow-Methods") != "POST" ||
		!strings.Contains(reply.header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight: got %d %v, want 200 and POST allowed for %s", reply.status, reply.header, app)
	}
	for _, other := range []string{"https://other.example", "null", ""} {
		got := h.do(t, "OPTIONS", "/play", "both", "", "Origin", other, "Access-Control-Request-Method", "POST")
		if got.status != 403 || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("preflight of %q: got %d %v, want 403 without CORS headers", other, got.status, got.header)
		}
	}
	if _, err := h.store.Revoke(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	if got := h.do(t, "OPTIONS", "/play", "", "", preflight...); got.status != 403 {
		t.Errorf("preflight after the token was revoked: got %d, want 403", got.status)
	}
}
