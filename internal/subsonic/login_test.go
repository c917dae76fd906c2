package subsonic_test

import (
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/subsonic"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

// token returns md5(secret + salt).
func token(secret, salt string) string {
	sum := md5.Sum([]byte(secret + salt)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// code returns the error code of a reply in JSON, −1 for a success.
func code(t testing.TB, call, body string) int64 {
	t.Helper()
	got := decodeJSON(t, call, body)
	if got["status"] == "ok" {
		return -1
	}
	n, _ := in(got, "error", "code").(json.Number)
	value, err := n.Int64()
	if err != nil {
		t.Errorf("%s: error code: got %q, want a number", call, n)
	}
	return value
}

func TestLogins(t *testing.T) {
	onBoth(t, 1, func(t *testing.T, h *fixture) {
		app, key, bobs := h.secrets["app"], h.secrets["key"], h.secrets["bobs"]
		const salt = "0123456789"
		good := token(app, salt)
		for i, c := range []struct {
			query url.Values
			want  int64
		}{
			{url.Values{"u": {"ann"}, "t": {good}, "s": {salt}}, -1},
			{url.Values{"u": {"ANN"}, "t": {strings.ToUpper(good)}, "s": {salt}}, -1},
			{url.Values{"u": {"ann"}, "p": {app}}, -1},
			{url.Values{"u": {"Ann"}, "p": {"enc:" + hex.EncodeToString([]byte(app))}}, -1},
			{url.Values{"apiKey": {app}}, -1},
			{url.Values{"apiKey": {key}}, -1},
			{url.Values{"u": {"ann"}, "p": {key}}, -1},
			{url.Values{"u": {"ann"}, "p": {"enc:" + hex.EncodeToString([]byte(key))}, "v": {"0.9.9"}}, -1},
			{url.Values{}, 10},
			{url.Values{"u": {"ann"}}, 10},
			{url.Values{"p": {app}}, 10},
			{url.Values{"u": {"ann"}, "t": {good}}, 10},
			{url.Values{"u": {"ann"}, "s": {salt}}, 10},
			{url.Values{"jwt": {"abc"}}, 42},
			{url.Values{"u": {"ann"}, "apiKey": {app}}, 43},
			{url.Values{"p": {app}, "apiKey": {app}}, 43},
			{url.Values{"s": {salt}, "apiKey": {app}}, 43},
			{url.Values{"u": {"ann"}, "p": {app}, "t": {good}, "s": {salt}}, 43},
			{url.Values{"u": {"ann", "bob"}, "p": {app}}, 43},
			{url.Values{"apiKey": {"wrong"}}, 44},
			{url.Values{"u": {"nobody"}, "t": {good}, "s": {salt}}, 40},
			{url.Values{"u": {"bob"}, "t": {good}, "s": {salt}}, 40},
			{url.Values{"u": {"bob"}, "p": {app}}, 40},
			{url.Values{"u": {"ann"}, "p": {bobs}}, 40},
			{url.Values{"u": {"ann"}, "t": {token(key, salt)}, "s": {salt}}, 40},
		} {
			c.query.Set("f", "json")
			got := h.send(t, "ping", c.query)
			if n := code(t, "ping", got.body); n != c.want || got.status != 200 {
				t.Errorf("login %d %v: got %d with status %d, want %d with 200: %s", i, c.query, n, got.status, c.want, got.body)
			}
		}
		form := url.Values{"u": {"ann"}, "p": {app}, "f": {"json"}}.Encode()
		req := apitest.NewRequest(t, http.MethodPost, h.url+"/rest/getUser", form, "Content-Type",
			"application/x-www-form-urlencoded")
		if resp, body := apitest.Send(t, h.http, req); resp.StatusCode != 200 || code(t, "getUser", body) != -1 {
			t.Errorf("POST with a form: got %d %s, want ok", resp.StatusCode, body)
		}
		for _, wrong := range []url.Values{{"u": {"ann"}, "p": {app}, "t": {good}, "s": {salt}}, {"apiKey": {"no"}}, {}} {
			wrong.Set("f", "json")
			if got := h.send(t, "getOpenSubsonicExtensions", wrong); code(t, "getOpenSubsonicExtensions", got.body) != -1 {
				t.Errorf("extensions with %v: got %s, want them without a login", wrong, got.body)
			}
		}
	})
}

// Every wrong login has the same reply, and after ten of a minute the address waits; good ones
// work.
func TestNearMissesOfApps(t *testing.T) {
	h := start(t, 1)
	app := h.secrets["app"]
	const salt = "abcdef"
	good := token(app, salt)
	near := []url.Values{}
	for i := range len(good) {
		flipped := []byte(good)
		flipped[i] ^= 1
		near = append(near, url.Values{"u": {"ann"}, "t": {string(flipped)}, "s": {salt}})
	}
	near = append(near, url.Values{"u": {"ann"}, "t": {good}, "s": {salt + "x"}},
		url.Values{"u": {"ann"}, "t": {good[:31]}, "s": {salt}}, url.Values{"u": {"ann"}, "t": {good + "0"}, "s": {salt}},
		url.Values{"u": {"ann "}, "t": {good}, "s": {salt}}, url.Values{"u": {"ann"}, "p": {app[:63]}},
		url.Values{"u": {"ann"}, "p": {app + "0"}}, url.Values{"u": {"ann"}, "p": {strings.ToLower(app)}},
		url.Values{"u": {"ann"}, "p": {"enc:zz"}}, url.Values{"u": {"ann"}, "t": {good}, "s": {strings.Repeat("x", 5000)}})
	first := ""
	limited := 0
	for i, q := range near {
		q.Set("f", "json")
		got := h.send(t, "ping", q)
		switch {
		case got.status == http.StatusTooManyRequests:
			limited++
			if got.header.Get("Retry-After") == "" {
				t.Fatal("429 without Retry-After")
			}
		case first == "":
			first = got.body
		case got.body != first:
			t.Errorf("near miss %d: got %s, want %s", i, got.body, first)
		}
		if strings.Contains(got.body, `"ok"`) {
			t.Fatalf("near miss %d %v was accepted", i, q)
		}
	}
	if want := len(near) - 10; limited != want {
		t.Errorf("near misses: got %d of %d limited, want %d", limited, len(near), want)
	}
	if got := h.send(t, "ping", h.query("app", "f", "json")); got.status != 200 || code(t, "ping", got.body) != -1 {
		t.Errorf("a good login after many wrong ones: got %d %s, want ok", got.status, got.body)
	}
	testenv.Report(t, testenv.WrongCredentials, testenv.Tally{Inputs: len(near),
		Note: "near misses of the token, salt, user name and secret of an app on /rest"})
}

func TestKeysOfAppsAreLimited(t *testing.T) {
	h := start(t, 1)
	for i := range catalog.MaxAppKeys - 2 { // Ann has two
		h.addKey(t, true, catalog.NewKey{Name: fmt.Sprint("app ", i), Owner: "ann", Permissions: []string{"read"}})
	}
	n := catalog.NewKey{Name: "one more", Owner: "ann", Permissions: []string{"read"}}
	_, n.Hash, n.AppState = access.MintKey(true)
	if _, err := h.store.CreateKey(t.Context(), n); err == nil || !strings.Contains(err.Error(), "32 apps") {
		t.Errorf("app key %d: got %v, want an error that names the limit", catalog.MaxAppKeys+1, err)
	}
	h.must(t, fmt.Sprint("app ", catalog.MaxAppKeys-3), "ping")
	for _, permissions := range [][]string{{"read", "keys"}, {"write"}, {"keys"}} {
		_, n.Hash, n.AppState = access.MintKey(true)
		n.Owner, n.Permissions = "bob", permissions
		if _, err := h.store.CreateKey(t.Context(), n); err == nil {
			t.Errorf("app key with %v: got one, want an error", permissions)
		}
	}
}

func TestRevokedAppsAreRefused(t *testing.T) {
	h := start(t, 1)
	h.must(t, "app", "ping")
	if err := h.store.RevokeKey(t.Context(), h.keys["app"].ID); err != nil {
		t.Fatal(err)
	}
	h.fails(t, 40, "app", "ping")
	secret, hash, state := access.MintKey(true)
	if err := h.store.RotateKey(t.Context(), h.keys["reader"].ID, hash, nil); err == nil {
		t.Error("rotating an app without its new state: got no error")
	}
	if err := h.store.RotateKey(t.Context(), h.keys["reader"].ID, hash, state); err != nil {
		t.Fatal(err)
	}
	h.fails(t, 40, "reader", "ping")
	h.secrets["reader"] = secret
	h.must(t, "reader", "ping")
}

// A request waits for its turn for up to two seconds; a longer wait is refused.
func TestAppsAreLimitedAfterAWait(t *testing.T) {
	h := start(t, 1, func(c *subsonic.Config) { c.Rate = 50 })
	n := catalog.NewKey{Name: "slow", Owner: "ann", Permissions: []string{"read"}, Rate: 2, Burst: 2}
	h.addKey(t, true, n)
	q := h.query("slow", "f", "json")
	begun := time.Now()
	for range 3 {
		if got := h.send(t, "ping", q); got.status != 200 {
			t.Fatalf("request: got %d, want 200", got.status)
		}
	}
	if waited := time.Since(begun); waited < 300*time.Millisecond {
		t.Errorf("three requests at 2 per second with a burst of 2: took %s, want about half a second", waited)
	}
	done := make(chan reply)
	const crowd = 12
	for range crowd {
		go func() { done <- h.send(t, "ping", q) }()
	}
	refused := 0
	for range crowd {
		got := <-done
		if got.status == http.StatusTooManyRequests {
			refused++
			if got.header.Get("Retry-After") == "" || code(t, "ping", got.body) != 0 {
				t.Errorf("429: got %v %s, want Retry-After and an envelope", got.header, got.body)
			}
		}
	}
	if refused < crowd-6 || refused == crowd {
		t.Errorf("%d requests at once: got %d refused, want those that would wait for more than 2 s", crowd, refused)
	}
}
