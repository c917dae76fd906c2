package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// credential is a token or a key with its secret.
type credential struct {
	ID          string     `json:"id"`
	Permissions []string   `json:"permissions"`
	ExpiresAt   *time.Time `json:"expires_at"`
	Current     bool       `json:"current"`
	secret      string
}

// within reports whether c has no more permissions than by and expires no later.
func (c credential) within(by credential) bool {
	for _, p := range c.Permissions {
		if !slices.Contains(by.Permissions, p) {
			return false
		}
	}
	return by.ExpiresAt == nil || c.ExpiresAt != nil && !c.ExpiresAt.After(*by.ExpiresAt)
}

// terms are the permissions and the lifetime in seconds of a credential; 0: none is requested.
type terms struct {
	permissions []string
	lifetime    int
}

// body encodes a request for a credential.
func (w terms) body(t *testing.T) string {
	t.Helper()
	in := map[string]any{"name": "test", "permissions": w.permissions}
	if w.lifetime > 0 {
		in["expires_in"] = w.lifetime
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// allowed reports whether a caller with these terms may create a credential with the terms w.
func (w terms) allowed(by terms) bool {
	for _, p := range w.permissions {
		if !slices.Contains(by.permissions, p) {
			return false
		}
	}
	return by.lifetime == 0 || w.lifetime <= by.lifetime
}

// credentialTest counts what it tries against a server.
type credentialTest struct {
	*server
	tried, violations int
}

// request sends a request with a token to the control API, or with a key to the catalog API.
func (c *credentialTest) as(secret, method, path, body string) reply {
	c.t.Helper()
	base, header := c.base, []string{"Authorization", "Bearer " + secret}
	if strings.HasPrefix(secret, "wxk_") {
		base, header = c.catalog, []string{"X-Api-Key", secret}
	}
	if body != "" {
		header = append(header, "Content-Type", "application/json")
	}
	return send(c.t, method, base+path, body, header...)
}

// create creates a token at /tokens or a key at /api/keys. The second value is the status.
func (c *credentialTest) create(secret, path string, w terms) (credential, int) {
	c.t.Helper()
	got := c.as(secret, "POST", path, w.body(c.t))
	var out struct {
		Secret     string
		Token, Key credential
	}
	if got.status == 200 {
		if err := json.Unmarshal(got.body, &out); err != nil {
			c.t.Fatal(err)
		}
	}
	created := out.Token
	if strings.HasSuffix(path, "/keys") {
		created = out.Key
	}
	created.secret = out.Secret
	return created, got.status
}

// expect records one try: it must be allowed or refused with 403, and what was created must be
// within the caller's own credential.
func (c *credentialTest) expect(what string, by, got credential, status int, allowed bool) {
	c.t.Helper()
	c.tried++
	want := 403
	if allowed {
		want = 200
	}
	if status != want || status == 200 && !got.within(by) {
		c.violations++
		c.t.Errorf("%s by %v until %v: got %d, %v until %v; want %d and nothing beyond the caller",
			what, by.Permissions, until(by), status, got.Permissions, until(got), want)
	}
}

func until(c credential) string {
	if c.ExpiresAt == nil {
		return "ever"
	}
	return c.ExpiresAt.Format(time.TimeOnly)
}

// The permissions of callers and of what they ask for; lifetimes in seconds.
var (
	managerSets    = [][]string{{"keys"}, {"read", "keys"}, {"read", "write", "keys"}}
	requestedSets  = [][]string{{"read"}, {"keys"}, {"read", "write", "keys"}}
	callerLifetime = []int{0, 3600}
	askedLifetimes = []int{0, 1800, 7200}
)

// TestCredentialsNeverExceedTheirMaker tries every path that creates, approves, rotates or revokes
// a credential, on both servers, with callers of all permissions and lifetimes.
func TestCredentialsNeverExceedTheirMaker(t *testing.T) {
	t.Parallel()
	c := &credentialTest{server: start(t, withoutRateLimit)}
	c.eventually(20*time.Second, "the scan of the music", func() bool {
		return strings.Contains(string(c.request("GET", "/api/songs?limit=1", "").body), `"id":"so_`)
	})
	paths := []struct{ name, makers, path string }{
		{"a token", "/tokens", "/tokens"}, {"a key through the player", "/tokens", "/api/keys"},
		{"a key", "/api/keys", "/api/keys"},
	}
	for _, permissions := range managerSets {
		for _, lifetime := range callerLifetime {
			by := terms{permissions, lifetime}
			for _, p := range paths {
				caller, status := c.create(c.token, p.makers, by)
				if status != 200 {
					t.Fatalf("the owner cannot create a credential at %s: %d", p.makers, status)
				}
				for _, wants := range requestedSets {
					for _, lifetime := range askedLifetimes {
						w := terms{wants, lifetime}
						got, status := c.create(caller.secret, p.path, w)
						what := fmt.Sprintf("create %s with %v for %d s", p.name, wants, lifetime)
						c.expect(what, caller, got, status, w.allowed(by))
					}
					c.rotateAndRevoke(caller, p.path, wants)
				}
				c.link(caller)
			}
			c.pairAndInvite(by)
		}
	}
	c.keyInUse()
	testenv.Report(t, testenv.Escalation, testenv.Tally{Inputs: c.tried, Violations: c.violations, Note: fmt.Sprintf(
		"%d permissions and %d lifetimes of callers × tokens, keys on both servers, pairings and invitations",
		len(managerSets), len(callerLifetime))})
}

// rotateAndRevoke lets the caller rotate and revoke credentials of the owner.
func (c *credentialTest) rotateAndRevoke(caller credential, path string, permissions []string) {
	c.t.Helper()
	for _, lifetime := range callerLifetime {
		target, status := c.create(c.token, path, terms{permissions, lifetime})
		if status != 200 {
			c.t.Fatalf("the owner cannot create a credential at %s: %d", path, status)
		}
		weaker := target
		weaker.ExpiresAt = caller.ExpiresAt // revoking needs the permissions only
		if path == "/tokens" {
			got := c.as(caller.secret, "POST", "/tokens/revoke", `{"id":"`+target.ID+`"}`)
			c.expect(fmt.Sprintf("revoke a token with %v", permissions), caller, weaker, got.status, weaker.within(caller))
			continue
		}
		got := c.as(caller.secret, "POST", "/api/keys/"+target.ID+"/rotate", "")
		// Keys of the owner follow the active user; a key that was created through the player does too.
		c.expect(fmt.Sprintf("rotate a key with %v until %s", permissions, until(target)), caller, target, got.status,
			target.within(caller))
		got = c.as(caller.secret, "DELETE", "/api/keys/"+target.ID, "")
		c.expect(fmt.Sprintf("revoke a key with %v", permissions), caller, weaker, got.status, weaker.within(caller))
	}
}

// link lets the caller create a signed link to a song.
func (c *credentialTest) link(caller credential) {
	c.t.Helper()
	if !slices.Contains(caller.Permissions, "read") {
		return
	}
	var list struct{ Songs []struct{ ID string } }
	if err := json.Unmarshal(c.as(caller.secret, "GET", "/api/songs?limit=1", "").body, &list); err != nil {
		c.t.Fatal(err)
	}
	got := c.as(caller.secret, "GET", "/api/songs/"+list.Songs[0].ID+"/link", "")
	var link credential
	if err := json.Unmarshal(got.body, &link); err != nil {
		c.t.Fatal(err)
	}
	c.expect("create a signed link", caller, link, got.status, true)
}

// pairAndInvite lets a caller approve requests of apps and create invitations.
func (c *credentialTest) pairAndInvite(by terms) {
	c.t.Helper()
	caller, _ := c.create(c.token, "/tokens", by)
	for _, wants := range requestedSets {
		for _, lifetime := range askedLifetimes {
			w := terms{wants, lifetime}
			requested := send(c.t, "POST", c.base+"/pair", terms{[]string{"read"}, lifetime}.body(c.t)).json(c.t)
			code, id := fmt.Sprint(requested["code"]), fmt.Sprint(requested["id"])
			approval, err := json.Marshal(map[string]any{"code": code, "permissions": wants})
			if err != nil {
				c.t.Fatal(err)
			}
			got := c.as(caller.secret, "POST", "/pair/approve", string(approval))
			permitted := terms{wants, 0}.allowed(terms{by.permissions, 0})
			what := fmt.Sprintf("approve %v for %d s", wants, lifetime)
			c.expect(what, caller, c.claim(id), got.status, permitted)
			c.as(c.token, "POST", "/pair/deny", `{"code":"`+code+`"}`) // ends a request that was not approved

			got = c.as(caller.secret, "POST", "/pair/invite", w.body(c.t))
			id = ""
			if got.status == 200 {
				id = fmt.Sprint(got.json(c.t)["id"])
			}
			what = fmt.Sprintf("invite with %v for %d s", wants, lifetime)
			c.expect(what, caller, c.claim(id), got.status, w.allowed(by))
		}
	}
}

// claim returns the token of an approved request; a credential without permissions if it gets none.
func (c *credentialTest) claim(id string) credential {
	c.t.Helper()
	got := send(c.t, "POST", c.base+"/pair/claim", `{"id":"`+id+`"}`, "Content-Type", "application/json")
	if got.status != 200 {
		return credential{}
	}
	secret, _ := got.json(c.t)["token"].(string)
	list := c.as(c.token, "GET", "/tokens", "")
	var tokens struct{ Tokens []credential }
	if err := json.Unmarshal(list.body, &tokens); err != nil || len(tokens.Tokens) == 0 {
		c.t.Fatalf("tokens: %v %s", err, list.body)
	}
	newest := tokens.Tokens[len(tokens.Tokens)-1]
	newest.secret = secret
	return newest
}

// keyInUse tries to rotate and revoke the key of the running player: as its owner through the
// player, with another key at the catalog, and with the commands.
func (c *credentialTest) keyInUse() {
	c.t.Helper()
	var list struct{ Keys []credential }
	if err := json.Unmarshal(c.request("GET", "/api/keys", "").body, &list); err != nil {
		c.t.Fatal(err)
	}
	at := slices.IndexFunc(list.Keys, func(k credential) bool { return k.Current })
	if at < 0 {
		c.t.Fatal("got no current key in the list of keys, want the player's")
	}
	id := list.Keys[at].ID
	strong, _ := c.create(c.token, "/api/keys", terms{[]string{"read", "write", "keys"}, 0})
	for _, secret := range []string{c.token, strong.secret} {
		for _, at := range []string{"POST /api/keys/" + id + "/rotate", "DELETE /api/keys/" + id} {
			method, path, _ := strings.Cut(at, " ")
			c.tried++
			if got := c.as(secret, method, path, ""); got.status != 409 || !strings.Contains(string(got.body), "uses that key") {
				c.violations++
				c.t.Errorf("%s of the key in use: got %d %s, want 409", at, got.status, got.body)
			}
		}
	}
	for _, command := range []string{"rotate", "revoke"} {
		c.tried++
		if out, errs, code := c.run("key", command, id); code == 0 || !strings.Contains(errs, "stop it first") {
			c.violations++
			c.t.Errorf("waxwing key %s of the key in use: got %d %q %q, want an error", command, code, out, errs)
		}
	}
	if got := c.request("GET", "/api/songs", ""); got.status != 200 {
		c.violations++
		c.t.Errorf("the player's key after all: got %d %s, want 200", got.status, got.body)
	}
	elsewhere := []string{"--db", filepath.Join(c.dir, "catalog.db"), "--data-dir", c.t.TempDir()}
	if _, errs, code := command(c.t, c.env, append([]string{"key", "revoke", id}, elsewhere...)...); code != 0 {
		c.t.Errorf("waxwing key revoke with another data folder: got %d %q, want 0", code, errs)
	}
	c.eventually(5*time.Second, "a player whose key was revoked not to be ready", func() bool {
		return c.request("GET", "/ready", "").status == 503
	})
	c.stop()
	c.start()
	if got := c.request("GET", "/api/songs", ""); got.status != 200 {
		c.t.Errorf("the player's key after a restart: got %d %s, want 200", got.status, got.body)
	}
}
