package subsonic_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/httpkit"
	"waxwing/internal/subsonic"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

// Every endpoint requires the permission of the table, with every kind of credential.
func TestScopesOfApps(t *testing.T) {
	h := start(t, 2)
	h.addKey(t, true, catalog.NewKey{Name: "expired", Owner: "ann", Permissions: []string{"read", "write"},
		ExpiresAt: time.Now().Add(-time.Second)})
	h.addKey(t, true, catalog.NewKey{Name: "revoked", Owner: "ann", Permissions: []string{"read", "write"}})
	h.addKey(t, false, catalog.NewKey{Name: "write only", Owner: "ann", Permissions: []string{"write"}})
	if err := h.store.RevokeKey(t.Context(), h.keys["revoked"].ID); err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for _, route := range subsonic.Routes(h.cfg) {
		name, isCall := strings.CutPrefix(route.Pattern, "GET,POST /rest/")
		if !isCall {
			continue
		}
		if route.Need == httpkit.Public != (name == "getOpenSubsonicExtensions") {
			t.Errorf("%s: got the permission %d, want only the extensions to be public", name, route.Need)
		}
		if _, documented := replies[name]; documented && changes[name] != (route.Need == httpkit.Write) {
			t.Errorf("%s: got the permission %d, want write for what changes something, and for nothing else", name, route.Need)
		}
		for _, who := range []string{"", "app", "reader", "expired", "revoked", "key", "write only"} {
			inputs++
			q := url.Values{"f": {"json"}}
			if who != "" {
				q.Set("apiKey", h.secrets[who])
			}
			got := h.send(t, name, q)
			want := int64(-2) // any but a refusal
			switch {
			case route.Need == httpkit.Public:
			case who == "":
				want = 10
			case who == "expired" || who == "revoked":
				want = 44
			case who == "reader" && route.Need == httpkit.Write, who == "write only" && route.Need == httpkit.Read:
				want = 50
			}
			if got.status == http.StatusTooManyRequests && want == 44 {
				continue // too many wrong credentials before
			}
			if strings.HasPrefix(got.header.Get("Content-Type"), "image/") {
				continue
			}
			n := code(t, name, got.body)
			if refusal := n == 44 || n == 50; want >= 0 && n != want || want == -2 && refusal {
				t.Errorf("%s as %q: got code %d with status %d, want %d", name, who, n, got.status, want)
			}
		}
	}
	testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: inputs, Note: "every endpoint of /rest × 7 credentials"})
}

// The secret of an app opens nothing but /rest.
func TestSecretsOfAppsAreNoOrdinaryKeys(t *testing.T) {
	secret, _, state := access.MintKey(true)
	if access.Check(access.KeyPrefix, secret) || access.Check(access.TokenPrefix, secret) {
		t.Error("the secret of an app has the form of an ordinary key")
	}
	for _, form := range []string{hex.EncodeToString(state), string(state), base64.StdEncoding.EncodeToString(state)} {
		if access.Check(access.AppPrefix, form) || access.Check(access.KeyPrefix, form) {
			t.Error("the stored state has the form of a secret")
		}
	}
}

// No value of any parameter causes a server error, and every reply keeps its form.
func TestHostileParametersOfApps(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { testHostileParameters(t, start(t, 12)) })
	if testenv.Trust() {
		t.Run("postgres", func(t *testing.T) { testHostileParameters(t, startOn(t, cluster.Database(t), 12)) })
	}
}

func testHostileParameters(t *testing.T, h *fixture) {
	t.Helper()
	names := []string{"id", "albumId", "artistId", "playlistId", "songId", "songIdToAdd", "songIndexToRemove", "query",
		"type",
		"size", "offset", "count", "genre", "fromYear", "toYear", "username", "name", "comment", "public", "time",
		"submission",
		"rating", "position", "current", "currentIndex", "artist", "title", "f", "callback", "v", "c", "songCount",
		"songOffset",
		"ifModifiedSince", "mediaId", "mediaType", "positionMs", "state", "playbackRate", "enhanced", "musicFolderId"}
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	routes := subsonic.Routes(h.cfg)
	tries := testenv.Size(1500, 15_000, 60_000)
	violations := 0
	for range tries {
		route := routes[rnd.IntN(len(routes))]
		call, isCall := strings.CutPrefix(route.Pattern, "GET,POST /rest/")
		if !isCall {
			continue
		}
		q := h.login("app")
		q.Set("f", []string{"json", "xml", "jsonp"}[rnd.IntN(3)])
		q.Set("callback", "f")
		for range 1 + rnd.IntN(3) {
			payloads := testenv.Payloads()
			q.Add(names[rnd.IntN(len(names))], payloads[rnd.IntN(len(payloads))])
		}
		for _, required := range []string{"id", "type", "name", "playlistId", "query"} {
			if q.Get(required) == "" && rnd.IntN(2) == 0 {
				q.Set(required, []string{h.ids[0], "newest", "x"}[rnd.IntN(3)])
			}
		}
		got := h.send(t, call, q)
		if got.status >= 500 && got.status != http.StatusNotImplemented || strings.Contains(got.body, "internal error") {
			violations++
			t.Errorf("%s?%s: got %d %.300s, want no server error", call, q.Encode(), got.status, got.body)
		}
		if strings.HasPrefix(got.header.Get("Content-Type"), "application/xml") {
			decodeXML(t, call, got.body)
		}
	}
	h.must(t, "app", "ping")
	testenv.Report(t, testenv.Parameters, testenv.Tally{Inputs: tries, Violations: violations,
		Note: "payloads in the parameters of /rest"})
}

// Secrets, tokens and salts of apps are in no log, reply, audit log, database or copy of it.
func TestSecretsOfAppsDoNotLeak(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "catalog.db")
	var logged testenv.Buffer
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	trail, err := audit.Open(filepath.Join(dir, "audit.log"), log)
	if err != nil {
		t.Fatal(err)
	}
	h := startOn(t, db, 12, func(c *subsonic.Config) { c.Log, c.Audit = log, trail })
	canaries := map[string]string{}
	for name, secret := range h.secrets {
		canaries["secret of "+name] = secret
	}
	const salt = "canary-salt-5417"
	canaries["salt"], canaries["wrong password"] = salt, "canary-wrong-password"
	canaries["wrong key"] = "wxa_canarycanarycanarycanarycanarycanarycanarycanarycanarycanary"
	canaries["token"] = token(h.secrets["app"], salt)
	canaries["encoded password"] = hex.EncodeToString([]byte(h.secrets["app"]))
	var replies strings.Builder
	for _, q := range []url.Values{
		{"u": {"ann"}, "t": {canaries["token"]}, "s": {salt}}, {"u": {"ann"}, "p": {h.secrets["app"]}},
		{"u": {"ann"}, "p": {"enc:" + canaries["encoded password"]}}, {"apiKey": {h.secrets["app"]}},
		{"apiKey": {h.secrets["key"]}}, {"u": {"ann"}, "p": {canaries["wrong password"]}},
		{"apiKey": {canaries["wrong key"]}},
		{"u": {canaries["wrong password"]}, "t": {canaries["token"]}, "s": {salt}},
		{"u": {"ann"}, "p": {h.secrets["app"]}, "apiKey": {h.secrets["app"]}},
	} {
		for _, call := range []string{"ping", "getUser", "getSong", "star", "stream", "getCoverArt", "tokenInfo", "nothing",
			"createPlaylist", "scrobble", "search3"} {
			for _, f := range []string{"json", "xml"} {
				q.Set("f", f)
				q.Set("id", h.ids[0])
				q.Set("name", "list")
				got := h.send(t, call, q)
				if strings.HasPrefix(got.header.Get("Content-Type"), "audio/") {
					continue
				}
				fmt.Fprintln(&replies, got.header, got.body)
			}
		}
		req := apitest.NewRequest(t, http.MethodPost, h.url+"/rest/ping", q.Encode(), "Content-Type",
			"application/x-www-form-urlencoded")
		_, body := apitest.Send(t, h.http, req)
		replies.WriteString(body)
	}
	backup := filepath.Join(dir, "copy.db")
	if err := h.store.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	trail.Close()
	places := map[string]string{"replies": replies.String(), "log": logged.String()}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		places[filepath.Base(file)] = string(content)
	}
	if len(places) < 5 || !strings.Contains(places["log"], "subsonic request") ||
		!strings.Contains(places["audit.log"], "/rest/star") {
		t.Fatalf("searched %d places, want the log, the audit log, the database and its copy", len(places))
	}
	found := 0
	for place, text := range places {
		for what, secret := range canaries {
			for _, form := range []string{secret, strings.ToLower(secret), hex.EncodeToString([]byte(secret)),
				base64.StdEncoding.EncodeToString([]byte(secret)), url.QueryEscape(secret)} {
				if strings.Contains(text, form) {
					found++
					t.Errorf("%s: contains the %s", place, what)
				}
			}
		}
	}
	testenv.Report(t, testenv.SecretLeaks, testenv.Tally{Inputs: len(places) * len(canaries), Violations: found,
		Note: fmt.Sprintf("%d canaries of apps in 5 forms each", len(canaries))})
}

// A stream ends within a second after its app was revoked.
func TestRevocationEndsStreamsOfApps(t *testing.T) {
	h := start(t, 1)
	large := filepath.Join(h.music, "00000.flac")
	if err := os.Truncate(large, 64<<20); err != nil {
		t.Fatal(err)
	}
	const streams = 20
	var open []*http.Response
	for i := range streams {
		q := h.query("app", "id", h.ids[0])
		call := []string{"stream", "download"}[i%2]
		resp, err := h.http.Do(apitest.NewRequest(t, http.MethodGet, h.url+"/rest/"+call+"?"+q.Encode(), ""))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		open = append(open, resp)
	}
	begun := time.Now()
	if err := h.store.RevokeKey(t.Context(), h.keys["app"].ID); err != nil {
		t.Fatal(err)
	}
	late := 0
	for _, resp := range open {
		n, err := io.Copy(io.Discard, resp.Body)
		if took := time.Since(begun); err == nil || took > time.Second {
			late++
			t.Errorf("stream of a revoked app: ended after %s and %d bytes with %v, want an error within a second", took, n, err)
		}
	}
	testenv.Report(t, testenv.Revocation, testenv.Tally{Inputs: streams, Violations: late,
		Note: "streams and downloads of an app on /rest"})
}

// Changes and denied requests are in the audit log, by the id of the key; reads are not.
func TestAppsAreInTheAuditLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.log")
	trail, err := audit.Open(file, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h := start(t, 2, func(c *subsonic.Config) { c.Audit = trail })
	h.must(t, "app", "getSong", "id", h.ids[0])
	h.must(t, "app", "star", "id", h.ids[0])
	h.fails(t, 50, "reader", "unstar", "id", h.ids[0])
	h.send(t, "ping", url.Values{"u": {"ann"}, "p": {"wrong"}})
	h.send(t, "ping", url.Values{})
	trail.Close()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) != 4 {
		t.Fatalf("audit log: got %d lines, want 4:\n%s", len(lines), content)
	}
	for i, want := range [][]string{
		{`"server":"subsonic"`, `"decision":"allowed"`, `"credential":"` + h.keys["app"].ID, `"route":"GET,POST /rest/star"`},
		{`"decision":"denied"`, `"reason":"lacks permission"`, `"credential":"` + h.keys["reader"].ID, `"status":403`},
		{`"decision":"denied"`, `"reason":"invalid"`, `"status":401`},
		{`"decision":"denied"`, `"reason":"no credential"`, `"status":401`},
	} {
		for _, part := range want {
			if !strings.Contains(lines[i], part) {
				t.Errorf("line %d: got %s, want %s", i, lines[i], part)
			}
		}
	}
}
