package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// wantFields checks that an object has exactly the given fields with their types: s(tring),
// n(umber), b(oolean), a(rray), o(bject), u(rl), t(imestamp), i(nteger), ? (any type, or null).
func wantFields(t *testing.T, what string, obj map[string]any, fields string) {
	t.Helper()
	want := map[string]string{}
	for _, f := range strings.Fields(fields) {
		name, kind, _ := strings.Cut(f, ":")
		want[name] = kind
	}
	if got, want := slices.Sorted(maps.Keys(obj)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("fields of %s: got %v, want exactly %v", what, got, want)
	}
	for name, kind := range want {
		if !isKind(obj[name], kind) {
			t.Errorf("%s of %s: got %#v, want kind %s", name, what, obj[name], kind)
		}
	}
}

var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func isKind(v any, kind string) bool {
	switch kind {
	case "?":
		return true // may be null
	case "s":
		_, ok := v.(string)
		return ok
	case "n":
		_, ok := v.(float64)
		return ok
	case "i":
		f, ok := v.(float64)
		return ok && f == float64(int64(f))
	case "b":
		_, ok := v.(bool)
		return ok
	case "a":
		_, ok := v.([]any)
		return ok
	case "o":
		_, ok := v.(map[string]any)
		return ok
	case "u":
		s, ok := v.(string)
		u, err := url.Parse(s)
		return ok && err == nil && u.IsAbs() && u.Host != ""
	case "t":
		s, ok := v.(string)
		return ok && timestamp.MatchString(s)
	}
	return false
}

const (
	trackFields = "id:s title:s artist:s album:s cover_url:u thumbnail_url:u duration:n position:n is_playing:b"
	queueFields = "queue:a current_index:i current_track_id:s current_track_cover_url:u is_playing:b shuffle:b " +
		"repeat:s updated_at:t"
	itemFields = "id:s title:s artist:s duration:n cover_url:u thumbnail_url:u"
)

// TestReadEndpoints checks the objects and read endpoints of the control API, before and after
// tracks are queued.
func TestReadEndpoints(t *testing.T) {
	s := start(t)

	health := send(t, "GET", s.base+"/health", "")
	wantFields(t, "health", health.json(t), "ok:b status:s port:i host:s")
	if h := health.json(t); h["ok"] != true || h["status"] != "running" ||
		fmt.Sprintf("http://%v:%v", h["host"], h["port"]) != s.base {
		t.Errorf("health: got %v, want running at %s", h, s.base)
	}

	// Nothing loaded.
	if track := s.get("/current-track"); len(track) != 1 || track["track"] != nil {
		t.Errorf("current track with nothing loaded: got %v, want null", track)
	}
	q := s.get("/playback-queue")
	if len(q["queue"].([]any)) != 0 || q["current_index"] != -1.0 || q["current_track_id"] != nil ||
		q["current_track_cover_url"] != nil || len(q) != 8 {
		t.Errorf("empty queue: got %v, want no tracks, index -1, 8 fields", q)
	}

	s.post("/play", "")
	track := s.get("/current-track")
	wantFields(t, "current-track", track, "track:o")
	wantFields(t, "track", track["track"].(map[string]any), trackFields)
	wantFields(t, "playback-state", s.get("/playback-state"), "is_playing:b shuffle:b repeat:s")
	q = s.get("/playback-queue")
	wantFields(t, "queue", q, queueFields)
	items := q["queue"].([]any)
	if len(items) < 12 {
		t.Fatalf("tracks of the demo library: got %d, want at least 12", len(items))
	}
	for _, item := range items {
		wantFields(t, "queue item", item.(map[string]any), itemFields)
	}
	first := items[int(q["current_index"].(float64))].(map[string]any)
	now := track["track"].(map[string]any)
	if first["id"] != q["current_track_id"] || first["cover_url"] != q["current_track_cover_url"] ||
		first["id"] != now["id"] {
		t.Errorf("current track of the queue: got %v, want it to match its index and %v", q, now["id"])
	}
	if sec, ms := first["duration"].(float64), now["duration"].(float64); sec*1000 < ms-1 || sec*1000 > ms+1 ||
		ms < 20_000 {
		t.Errorf("duration of the queue item: got %v s, want %v ms as of the current track", sec, ms)
	}
	user := s.get("/user/public")
	wantFields(t, "user/public", user, "user:o updated_at:t")
	wantFields(t, "user", user["user"].(map[string]any), "id:s username:s name:s profile_image_url:u")

	for _, u := range []any{now["cover_url"], now["thumbnail_url"], user["user"].(map[string]any)["profile_image_url"]} {
		if r := send(t, "GET", u.(string), ""); r.status != 200 ||
			!strings.HasPrefix(r.header.Get("Content-Type"), "image/") {
			t.Errorf("GET %v without credentials: got %d %s, want an image", u, r.status, r.body)
		}
	}
}

// TestWriteEndpoints checks the commands of the control API and the error text of seek.
func TestWriteEndpoints(t *testing.T) {
	s := start(t)
	playing := func() any { return s.get("/playback-state")["is_playing"] }
	current := func() map[string]any { return s.get("/current-track")["track"].(map[string]any) }

	for _, path := range []string{"/next", "/previous", "/seek"} {
		body := ""
		if path == "/seek" {
			body = `{"position":0}`
		}
		if r := s.request("POST", path, body); r.status != 409 {
			t.Errorf("POST %s with nothing loaded: got %d %s, want 409", path, r.status, r.body)
		}
	}

	played := s.post("/play", "{}")
	wantFields(t, "play", played, "ok:b track_id:s")
	if played["ok"] != true || playing() != true || current()["id"] != played["track_id"] {
		t.Errorf("play: got %v, want the current track to play", played)
	}
	again := s.post("/play", "")
	if again["track_id"] != played["track_id"] || playing() != true {
		t.Errorf("play while playing: got %v, want no change", again)
	}

	wantFields(t, "pause", s.post("/pause", ""), "ok:b")
	if playing() != false {
		t.Error("is_playing after pause: got true, want false")
	}
	if s.post("/pause", "{}")["ok"] != true || playing() != false {
		t.Error("second pause: got another state, want no change")
	}

	for _, path := range []string{"/toggle", "/toggle-play"} {
		for range 2 {
			before := playing()
			got := s.post(path, "")
			wantFields(t, path, got, "ok:b is_playing:b")
			if got["is_playing"] == before || playing() != got["is_playing"] {
				t.Errorf("%s while is_playing is %v: got %v, want the opposite", path, before, got)
			}
		}
	}

	q := s.get("/playback-queue")["queue"].([]any)
	id := func(i int) any { return q[(i+len(q))%len(q)].(map[string]any)["id"] }
	s.post("/pause", "")
	wantFields(t, "next", s.post("/next", ""), "ok:b")
	if c := current(); c["id"] != id(1) || c["position"] != 0.0 || c["is_playing"] != false {
		t.Errorf("track after next while paused: got %v, want %v paused at 0", c, id(1))
	}
	wantFields(t, "previous", s.post("/previous", ""), "ok:b")
	s.post("/previous", "")
	if c := current(); c["id"] != id(-1) {
		t.Errorf("track after previous on the first: got %v, want the last, %v", c, id(-1))
	}
	s.post("/next", "")
	if c := current(); c["id"] != id(0) {
		t.Errorf("track after next on the last: got %v, want the first, %v", c, id(0))
	}

	seeked := s.post("/seek", `{"position":5000}`)
	wantFields(t, "seek", seeked, "ok:b position:n")
	if c := current(); seeked["position"] != 5000.0 || c["position"] != 5000.0 || playing() != false {
		t.Errorf("seek: got %v and the track %v, want paused at 5000", seeked, c)
	}
	end := s.post("/seek", `{"position":1e12}`)
	if end["position"] != current()["duration"] {
		t.Errorf("seek past the end: got %v, want the duration of %v", end, current())
	}
	const message = "position must be a non-negative number in milliseconds"
	for _, body := range []string{``, `{}`, `{"position":null}`, `{"position":"5"}`, `{"position":-1}`,
		`{"position":-0.001}`, `{"position":true}`, `{"position":[]}`, `{"position":{}}`} {
		before := current()["position"]
		r := s.request("POST", "/seek", body)
		if r.status != 400 || r.json(t)["error"] != message || len(r.json(t)) != 1 {
			t.Errorf("seek %s: got %d %s, want 400 and %q", body, r.status, r.body, message)
		}
		if after := current()["position"]; after != before {
			t.Errorf("position after seek %s: got %v, want %v", body, after, before)
		}
	}

	// With a track id: jump, restart, invalid ids.
	got := s.post("/play", fmt.Sprintf(`{"track_id":%q}`, id(3)))
	if got["track_id"] != id(3) || current()["id"] != id(3) || playing() != true {
		t.Errorf("play by id: got %v, want %v to play", got, id(3))
	}
	s.post("/seek", `{"position":9000}`)
	s.post("/play", fmt.Sprintf(`{"track_id":%q}`, id(3)))
	if p := current()["position"].(float64); p > 3000 {
		t.Errorf("position after playing the current track again: got %v, want at most 3000", p)
	}
	for body, status := range map[string]int{`{"track_id":"so_doesnotexist0000000000"}`: 404, `{"track_id":""}`: 400,
		`{"track_id":7}`: 400, `{"track_id":[]}`: 400} {
		if r := s.request("POST", "/play", body); r.status != status || !r.isError(t) || current()["id"] != id(3) {
			t.Errorf("play %s: got %d %s, want %d and no change", body, r.status, r.body, status)
		}
	}
	if got := s.post("/play", `{"track_id":null}`); got["track_id"] != id(3) {
		t.Errorf("play with a null id: got %v, want the current track %v", got, id(3))
	}
}

// TestAuthentication checks tokens, their permissions and the status codes without them.
func TestAuthentication(t *testing.T) {
	s := start(t)
	create := func(args ...string) string {
		out, errs, code := s.run(append([]string{"token", "create", "--name", "x"}, args...)...)
		if code != 0 || !regexp.MustCompile(`^wxt_[0-9A-Za-z]{36}\n$`).MatchString(out) {
			t.Fatalf("token create %v: got exit code %d, output %q, errors %q; want a token", args, code, out, errs)
		}
		return strings.TrimSpace(out)
	}
	read, write := create("--permission", "read"), create("--permission", "write")
	both := create("--permission", "read", "--permission", "write")
	short := create("--permission", "read", "--expires", "1ms")

	reads := []string{"/current-track", "/playback-state", "/playback-queue", "/user/public"}
	writes := []string{"/play", "/pause", "/next", "/previous", "/seek", "/toggle", "/toggle-play"}
	check := func(method, path, token string, want ...int) {
		t.Helper()
		body := ""
		if path == "/seek" {
			body = `{"position":1}`
		}
		byHeader := send(t, method, s.base+path, body, "Authorization", bearer(token))
		byQuery := send(t, method, s.base+path+"?access_token="+url.QueryEscape(token), body)
		for _, r := range []reply{byHeader, byQuery} {
			if !slices.Contains(want, r.status) {
				t.Errorf("%s %s with %.7s…: got %d %s, want %v", method, path, token, r.status, r.body, want)
			}
			if r.status >= 400 && !r.isError(t) {
				t.Errorf("%s %s: got body %s, want one error", method, path, r.body)
			}
			if r.status == 401 && r.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: got 401 without WWW-Authenticate, want the header", method, path)
			}
		}
	}
	for _, path := range reads {
		check("GET", path, read, 200)
		check("GET", path, both, 200)
		check("GET", path, write, 403)
		check("GET", path, short, 401)
	}
	for _, path := range writes {
		check("POST", path, write, 200, 409)
		check("POST", path, both, 200, 409)
		check("POST", path, read, 403)
	}
	for _, path := range append(reads, writes...) {
		method := "GET"
		if slices.Contains(writes, path) {
			method = "POST"
		}
		if r := send(t, method, s.base+path, ""); r.status != 401 {
			t.Errorf("%s without a token: got %d, want 401", path, r.status)
		}
		other := map[string]string{"GET": "DELETE", "POST": "GET"}[method]
		if r := send(t, other, s.base+path, "", "Authorization", bearer(both)); r.status != 405 ||
			!strings.Contains(r.header.Get("Allow"), method) {
			t.Errorf("%s %s: got %d, Allow %q; want 405, %s", other, path, r.status, r.header.Get("Allow"), method)
		}
	}
	// The header has precedence; the query is ignored.
	r := send(t, "GET", s.base+"/playback-state?access_token="+read, "", "Authorization", bearer(write))
	if r.status != 403 {
		t.Errorf("write token in the header, read token in the query: got %d, want 403", r.status)
	}
	if _, _, code := s.run("token", "revoke", "x"); code == 0 {
		t.Error("token revoke by an ambiguous name: got exit code 0, want a failure")
	}
	// A revoked token is rejected within a second.
	list, _, _ := s.run("token", "list", "--json")
	id := regexp.MustCompile(`"id": "(to_\w+)",\s+"name": "x"`).FindStringSubmatch(list)
	if id == nil {
		t.Fatalf("token list: got %s, want it to contain a token named x", list)
	}
	if _, errs, code := s.run("token", "revoke", id[1]); code != 0 {
		t.Fatalf("token revoke: got exit code %d, errors %q; want 0", code, errs)
	}
	s.eventually(time.Second, "the revoked token to be rejected", func() bool {
		return send(t, "GET", s.base+"/playback-state", "", "Authorization", bearer(read)).status == 401
	})
	if r := send(t, "GET", s.base+"/health", ""); r.status != 200 {
		t.Errorf("/health without a token: got %d, want 200", r.status)
	}
	if list, _, _ = s.run("token", "list", "--json"); strings.Contains(list, read) ||
		strings.Contains(s.log.String(), read) {
		t.Error("the token list or the log contains a token")
	}
}

func bearer(token string) string { return "Bearer " + token }

// TestEveryReplyHasHeadersAndJSONErrors checks the properties that all replies share.
func TestEveryReplyHasHeadersAndJSONErrors(t *testing.T) {
	s := start(t)
	s.post("/play", "")
	state := s.get("/playback-queue")
	for _, path := range []string{"/health", "/current-track", "/playback-state", "/playback-queue", "/user/public",
		"/openapi.yaml", "/docs", "/"} {
		r := s.request("HEAD", path, "")
		if r.status != 200 || len(r.body) != 0 || r.header.Get("X-Request-Id") == "" ||
			r.header.Get("X-Waxwing-Version") == "" {
			t.Errorf("HEAD %s: got %d, header %v; want 200, no body, a request id and a version", path, r.status, r.header)
		}
		if got := s.request("GET", path, "").header.Get("Referrer-Policy"); got != "no-referrer" {
			t.Errorf("Referrer-Policy of %s: got %q, want no-referrer", path, got)
		}
	}
	deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
	tests := []struct {
		name, path, body, contentType string
		status                        int
	}{
		{"unknown path", "/nothing", "", "", 404},
		{"form", "/play", "track_id=x", "application/x-www-form-urlencoded", 415},
		{"text", "/pause", "{}", "text/plain", 415},
		{"not JSON", "/seek", "{", "application/json", 400},
		{"trailing data", "/seek", `{"position":1}{"position":2}`, "application/json", 400},
		{"array", "/play", `[]`, "application/json", 400},
		{"string", "/play", `"x"`, "application/json", 400},
		{"duplicate field", "/seek", `{"position":1,"position":2}`, "application/json", 400},
		{"invalid UTF-8", "/play", "{\"track_id\":\"\xff\xfe\"}", "application/json", 400},
		{"deep", "/seek", deep, "application/json", 413},
		{"deep within the limit", "/seek", deep[:5*10_000] + "1" + strings.Repeat("}", 10_000), "application/json", 400},
		{"eight mebibytes", "/play", `{"track_id":"` + strings.Repeat("x", 8<<20) + `"}`, "application/json", 413},
		{"wrong type", "/shuffle", `{"shuffle":"yes"}`, "application/json", 400},
		{"unknown repeat", "/repeat", `{"repeat":"sometimes"}`, "application/json", 400},
		{"volume too high", "/volume", `{"volume":101}`, "application/json", 400},
	}
	for _, tt := range tests {
		r := s.request("POST", tt.path, tt.body, "Content-Type", tt.contentType)
		if r.status != tt.status || !r.isError(t) {
			t.Errorf("%s: got %d %.200s, want %d and an error", tt.name, r.status, r.body, tt.status)
		}
	}
	if r := s.request("POST", "/seek", `{"position":1}`, "Content-Type", ""); r.status != 200 {
		t.Errorf("body without a content type: got %d %s, want 200", r.status, r.body)
	}
	if r := s.request("POST", "/seek", `{"position":2,"unknown":{"x":[1]}}`); r.status != 200 {
		t.Errorf("body with unknown fields: got %d %s, want 200", r.status, r.body)
	}
	after := s.get("/playback-queue")
	for _, field := range []string{"queue", "current_index", "shuffle", "repeat"} {
		if fmt.Sprint(after[field]) != fmt.Sprint(state[field]) {
			t.Errorf("%s after invalid input: got %v, want %v", field, after[field], state[field])
		}
	}

	// A page of another origin is denied, even with a valid token.
	for _, h := range [][]string{{"Origin", "https://evil.example"}, {"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site"}} {
		if r := s.request("POST", "/pause", "", h...); r.status != 403 {
			t.Errorf("POST with %v: got %d, want 403", h, r.status)
		}
		if r := s.request("GET", "/current-track", "", h...); r.status != 403 ||
			r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("GET with %v: got %d, want 403 without Access-Control-Allow-Origin", h, r.status)
		}
	}
	req, _ := http.NewRequest("GET", s.base+"/health", nil)
	req.Host = "evil.example"
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 421 {
		t.Errorf("unknown Host: got %d, want 421", resp.StatusCode)
	}
}

// TestRestartKeepsAcknowledgedState: kill -9 loses nothing that was acknowledged.
func TestRestartKeepsAcknowledgedState(t *testing.T) {
	s := launch(t, nil, "--output", "null")
	s.post("/play", "")
	s.post("/shuffle", `{"shuffle":true}`)
	s.post("/repeat", `{"repeat":"playlist"}`)
	s.post("/volume", `{"volume":37}`)
	s.post("/next", "")
	s.post("/seek", `{"position":7000}`)
	s.eventually(10*time.Second, "a second of playback", func() bool {
		return s.get("/current-track")["track"].(map[string]any)["position"].(float64) > 8000
	})
	track := s.get("/current-track")["track"].(map[string]any)
	before := s.get("/playback-queue")
	s.kill()
	s.start()
	after := s.get("/playback-queue")
	now := s.get("/current-track")["track"].(map[string]any)
	if now["id"] != track["id"] || now["is_playing"] != false ||
		fmt.Sprint(before["queue"]) != fmt.Sprint(after["queue"]) ||
		after["shuffle"] != true || after["repeat"] != "all" || after["current_index"] != before["current_index"] {
		t.Errorf("state after kill -9: got track %v, queue %v; want track %v, queue %v", now, after, track, before)
	}
	if back := track["position"].(float64) - now["position"].(float64); back > 1000 || back < -1500 {
		t.Errorf("position after kill -9: got %v ms less than before, want at most 1000 less and 1500 more", back)
	}
	if v := s.get("/volume"); v["volume"] != 37.0 {
		t.Errorf("volume after kill -9: got %v, want 37", v)
	}
}
