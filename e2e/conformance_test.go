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

// has checks that an object has exactly the given fields with their types: s(tring), n(umber),
// b(oolean), a(rray), o(bject), u(rl), t(imestamp), i(nteger), ? (any type, or null).
func has(t *testing.T, what string, obj map[string]any, fields string) {
	t.Helper()
	want := map[string]string{}
	for _, f := range strings.Fields(fields) {
		name, kind, _ := strings.Cut(f, ":")
		want[name] = kind
	}
	if got, need := slices.Sorted(maps.Keys(obj)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, need) {
		t.Errorf("%s has the fields %v, want exactly %v", what, got, need)
	}
	for name, kind := range want {
		if !isKind(obj[name], kind) {
			t.Errorf("%s: %s is %#v, want kind %s", what, name, obj[name], kind)
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
	has(t, "health", health.json(t), "ok:b status:s port:i host:s")
	if h := health.json(t); h["ok"] != true || h["status"] != "running" ||
		fmt.Sprintf("http://%v:%v", h["host"], h["port"]) != s.base {
		t.Errorf("health says %v at %s", h, s.base)
	}

	// Nothing loaded.
	if track := s.get("/current-track"); len(track) != 1 || track["track"] != nil {
		t.Errorf("nothing loaded: %v", track)
	}
	q := s.get("/playback-queue")
	if len(q["queue"].([]any)) != 0 || q["current_index"] != -1.0 || q["current_track_id"] != nil ||
		q["current_track_cover_url"] != nil || len(q) != 8 {
		t.Errorf("empty queue: %v", q)
	}

	s.post("/play", "")
	track := s.get("/current-track")
	has(t, "current-track", track, "track:o")
	has(t, "track", track["track"].(map[string]any), trackFields)
	has(t, "playback-state", s.get("/playback-state"), "is_playing:b shuffle:b repeat:s")
	q = s.get("/playback-queue")
	has(t, "queue", q, queueFields)
	items := q["queue"].([]any)
	if len(items) < 12 {
		t.Fatalf("the demo library gave %d tracks", len(items))
	}
	for _, item := range items {
		has(t, "queue item", item.(map[string]any), itemFields)
	}
	first := items[int(q["current_index"].(float64))].(map[string]any)
	now := track["track"].(map[string]any)
	if first["id"] != q["current_track_id"] || first["cover_url"] != q["current_track_cover_url"] ||
		first["id"] != now["id"] {
		t.Errorf("the queue's current track does not agree with itself: %v", q)
	}
	if sec, ms := first["duration"].(float64), now["duration"].(float64); sec*1000 < ms-1 || sec*1000 > ms+1 ||
		ms < 20_000 {
		t.Errorf("queue item lasts %v (s), snapshot %v (ms)", sec, ms)
	}
	user := s.get("/user/public")
	has(t, "user/public", user, "user:o updated_at:t")
	has(t, "user", user["user"].(map[string]any), "id:s username:s name:s profile_image_url:u")

	for _, u := range []any{now["cover_url"], now["thumbnail_url"], user["user"].(map[string]any)["profile_image_url"]} {
		if r := send(t, "GET", u.(string), ""); r.status != 200 ||
			!strings.HasPrefix(r.header.Get("Content-Type"), "image/") {
			t.Errorf("an <img> cannot load %v: %d %s", u, r.status, r.body)
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
			t.Errorf("%s with nothing loaded: %d %s", path, r.status, r.body)
		}
	}

	played := s.post("/play", "{}")
	has(t, "play", played, "ok:b track_id:s")
	if played["ok"] != true || playing() != true || current()["id"] != played["track_id"] {
		t.Errorf("play: %v", played)
	}
	again := s.post("/play", "")
	if again["track_id"] != played["track_id"] || playing() != true {
		t.Error("play while playing changed the state")
	}

	has(t, "pause", s.post("/pause", ""), "ok:b")
	if playing() != false {
		t.Error("pause did not pause")
	}
	if s.post("/pause", "{}")["ok"] != true || playing() != false {
		t.Error("a second pause changed the state")
	}

	for _, path := range []string{"/toggle", "/toggle-play"} {
		for range 2 {
			before := playing()
			got := s.post(path, "")
			has(t, path, got, "ok:b is_playing:b")
			if got["is_playing"] == before || playing() != got["is_playing"] {
				t.Errorf("%s from %v: %v", path, before, got)
			}
		}
	}

	q := s.get("/playback-queue")["queue"].([]any)
	id := func(i int) any { return q[(i+len(q))%len(q)].(map[string]any)["id"] }
	s.post("/pause", "")
	has(t, "next", s.post("/next", ""), "ok:b")
	if c := current(); c["id"] != id(1) || c["position"] != 0.0 || c["is_playing"] != false {
		t.Errorf("next while paused: %v", c)
	}
	has(t, "previous", s.post("/previous", ""), "ok:b")
	s.post("/previous", "")
	if c := current(); c["id"] != id(-1) {
		t.Errorf("previous does not wrap: %v", c)
	}
	s.post("/next", "")
	if c := current(); c["id"] != id(0) {
		t.Errorf("next does not wrap: %v", c)
	}

	sought := s.post("/seek", `{"position":5000}`)
	has(t, "seek", sought, "ok:b position:n")
	if c := current(); sought["position"] != 5000.0 || c["position"] != 5000.0 || playing() != false {
		t.Errorf("seek: %v, then %v", sought, c)
	}
	end := s.post("/seek", `{"position":1e12}`)
	if end["position"] != current()["duration"] {
		t.Errorf("seek past the end says %v of %v", end, current())
	}
	const sentence = "position must be a non-negative number in milliseconds"
	for _, body := range []string{``, `{}`, `{"position":null}`, `{"position":"5"}`, `{"position":-1}`,
		`{"position":-0.001}`, `{"position":true}`, `{"position":[]}`, `{"position":{}}`} {
		before := current()["position"]
		r := s.request("POST", "/seek", body)
		if r.status != 400 || r.json(t)["error"] != sentence || len(r.json(t)) != 1 {
			t.Errorf("seek %s: %d %s", body, r.status, r.body)
		}
		if after := current()["position"]; after != before {
			t.Errorf("seek %s moved the playhead from %v to %v", body, before, after)
		}
	}

	// With a track id: jumps, restarts, refuses.
	got := s.post("/play", fmt.Sprintf(`{"track_id":%q}`, id(3)))
	if got["track_id"] != id(3) || current()["id"] != id(3) || playing() != true {
		t.Errorf("play by id: %v", got)
	}
	s.post("/seek", `{"position":9000}`)
	s.post("/play", fmt.Sprintf(`{"track_id":%q}`, id(3)))
	if p := current()["position"].(float64); p > 3000 {
		t.Errorf("playing the current track again is at %v", p)
	}
	for body, status := range map[string]int{`{"track_id":"so_doesnotexist0000000000"}`: 404, `{"track_id":""}`: 400,
		`{"track_id":7}`: 400, `{"track_id":[]}`: 400} {
		if r := s.request("POST", "/play", body); r.status != status || len(r.json(t)) != 1 || current()["id"] != id(3) {
			t.Errorf("play %s: %d %s", body, r.status, r.body)
		}
	}
	if got := s.post("/play", `{"track_id":null}`); got["track_id"] != id(3) {
		t.Errorf("null does not count as absent: %v", got)
	}
}

// TestAuthentication checks tokens, their permissions and the status codes without them.
func TestAuthentication(t *testing.T) {
	s := start(t)
	create := func(args ...string) string {
		out, errs, code := s.run(append([]string{"token", "create", "--name", "x"}, args...)...)
		if code != 0 || !regexp.MustCompile(`^wxt_[0-9A-Za-z]{36}\n$`).MatchString(out) {
			t.Fatalf("token create %v: %d %q %q", args, code, out, errs)
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
				t.Errorf("%s %s with %.7s…: %d %s, want %v", method, path, token, r.status, r.body, want)
			}
			if r.status >= 400 && (len(r.json(t)) != 1 || r.json(t)["error"] == "") {
				t.Errorf("%s %s: error body %s", method, path, r.body)
			}
			if r.status == 401 && r.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: a 401 without WWW-Authenticate", method, path)
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
			t.Errorf("%s without a token: %d", path, r.status)
		}
		other := map[string]string{"GET": "DELETE", "POST": "GET"}[method]
		if r := send(t, other, s.base+path, "", "Authorization", bearer(both)); r.status != 405 ||
			!strings.Contains(r.header.Get("Allow"), method) {
			t.Errorf("%s %s: %d, Allow %q", other, path, r.status, r.header.Get("Allow"))
		}
	}
	// The header has precedence; the query is ignored.
	if r := send(t, "GET", s.base+"/playback-state?access_token="+read, "", "Authorization",
		"Bearer "+write); r.status != 403 {
		t.Errorf("header and query: %d", r.status)
	}
	if _, _, code := s.run("token", "revoke", "x"); code == 0 {
		t.Error("revoking by an ambiguous name succeeded")
	}
	// A revoked token is refused within a second.
	list, _, _ := s.run("token", "list", "--json")
	id := regexp.MustCompile(`"id": "(to_\w+)",\s+"name": "x"`).FindStringSubmatch(list)
	if id == nil {
		t.Fatal(list)
	}
	if _, errs, code := s.run("token", "revoke", id[1]); code != 0 {
		t.Fatal(errs)
	}
	s.eventually(time.Second, "the revoked token to be dead", func() bool {
		return send(t, "GET", s.base+"/playback-state", "", "Authorization", bearer(read)).status == 401
	})
	if r := send(t, "GET", s.base+"/health", ""); r.status != 200 {
		t.Error("/health requires a token")
	}
	if list, _, _ = s.run("token", "list", "--json"); strings.Contains(list, read) ||
		strings.Contains(s.log.String(), read) {
		t.Error("a secret is in the reply")
	}
}

func bearer(token string) string { return "Bearer " + token }

// TestEveryReplyHasHeadersAndJSONErrors checks what all replies have in common.
func TestEveryReplyHasHeadersAndJSONErrors(t *testing.T) {
	s := start(t)
	s.post("/play", "")
	state := s.get("/playback-queue")
	for _, path := range []string{"/health", "/current-track", "/playback-state", "/playback-queue", "/user/public",
		"/openapi.yaml", "/docs", "/"} {
		r := s.request("HEAD", path, "")
		if r.status != 200 || len(r.body) != 0 || r.header.Get("X-Request-Id") == "" ||
			r.header.Get("X-Waxwing-Version") == "" {
			t.Errorf("HEAD %s: %d %v", path, r.status, r.header)
		}
		if got := s.request("GET", path, "").header.Get("Referrer-Policy"); got != "no-referrer" {
			t.Errorf("%s: Referrer-Policy %q", path, got)
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
		if r.status != tt.status || len(r.json(t)) != 1 || len(r.json(t)["error"].(string)) < 10 {
			t.Errorf("%s: %d %.200s, want %d", tt.name, r.status, r.body, tt.status)
		}
	}
	if r := s.request("POST", "/seek", `{"position":1}`, "Content-Type", ""); r.status != 200 {
		t.Errorf("a body without a content type: %d %s", r.status, r.body)
	}
	if r := s.request("POST", "/seek", `{"position":2,"unknown":{"x":[1]}}`); r.status != 200 {
		t.Errorf("unknown fields are not ignored: %d %s", r.status, r.body)
	}
	after := s.get("/playback-queue")
	for _, field := range []string{"queue", "current_index", "shuffle", "repeat"} {
		if fmt.Sprint(after[field]) != fmt.Sprint(state[field]) {
			t.Errorf("bad input changed %s", field)
		}
	}

	// A foreign web page gets nothing, even with a valid token.
	for _, h := range [][]string{{"Origin", "https://evil.example"}, {"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site"}} {
		if r := s.request("POST", "/pause", "", h...); r.status != 403 {
			t.Errorf("POST with %v: %d", h, r.status)
		}
		if r := s.request("GET", "/current-track", "", h...); r.status != 403 ||
			r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("GET with %v: %d", h, r.status)
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
		t.Errorf("a foreign Host: %d", resp.StatusCode)
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
	s.eventually(10*time.Second, "a second of playing", func() bool {
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
		t.Errorf("before %v\nafter %v", track, now)
	}
	if back := track["position"].(float64) - now["position"].(float64); back > 1000 || back < -1500 {
		t.Errorf("it came back %v ms before where it was", back)
	}
	if v := s.get("/volume"); v["volume"] != 37.0 {
		t.Errorf("volume %v", v)
	}
}
