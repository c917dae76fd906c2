package cataloghttp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
)

// mint creates a key in the store and adds its secret to h.keys.
func (h *fixture) mint(t *testing.T, n catalog.NewKey) catalog.Key {
	t.Helper()
	secret, hash := access.Mint(access.KeyPrefix)
	n.Hash = hash.String()
	created, err := h.store.CreateKey(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	h.keys[n.Name] = secret
	return created
}

func TestKeysAreCreatedListedRotatedAndRevoked(t *testing.T) {
	onBoth(t, 1, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ann := &client.Catalog{BaseURL: h.url, Key: h.keys["all"], HTTP: h.http}
		hour := 3600
		created, err := ann.CreateKey(ctx,
			catalogapi.KeyRequest{Name: " Bot ", Permissions: []string{"read"}, ExpiresIn: &hour})
		if err != nil || created.Key.Name != "Bot" || created.Key.Owner.Username != "ann" ||
			created.Key.ExpiresAt == nil || created.Key.LastUsedAt != nil || created.Key.Current {
			t.Fatalf("created key: got %+v, %v; want an unused key Bot of ann that expires", created, err)
		}
		bot := &client.Catalog{BaseURL: h.url, Key: created.Secret, HTTP: h.http}
		if list, err := bot.Songs(ctx, 1, 10); err != nil || list.Total != 1 {
			t.Errorf("new key: got %+v, %v; want 1 song", list, err)
		}
		if _, err := bot.Keys(ctx); client.StatusOf(err) != 403 {
			t.Errorf("list with a key without the permission keys: got %v, want 403", err)
		}
		list, err := ann.Keys(ctx)
		if err != nil {
			t.Fatal(err)
		}
		current := ""
		for _, k := range list {
			if k.Owner.Username != "ann" {
				t.Errorf("listed key %s: got owner %s, want ann", k.Name, k.Owner.Username)
			}
			if k.Current {
				current += k.Name
			}
			if k.ID == created.Key.ID && (k.LastUsedAt == nil || time.Since(k.LastUsedAt.Time) > time.Minute) {
				t.Errorf("last use of the new key: got %v, want now", k.LastUsedAt)
			}
		}
		if current != "all" || len(list) != 6 { // read, write, both, keys, all and Bot
			t.Errorf("list: got %d keys, current %q; want 6, current all", len(list), current)
		}
		got := h.do(t, "all", "GET", "/api/keys", "")
		if strings.Contains(got.body, "hash") || strings.Contains(got.body, created.Secret) {
			t.Errorf("list: got %s, want no secret and no hash", got.body)
		}

		again, err := ann.RotateKey(ctx, created.Key.ID)
		if err != nil || again.Key.ID != created.Key.ID || again.Key.RotatedAt == nil || again.Secret == created.Secret {
			t.Fatalf("rotated key: got %+v, %v; want the same key with a new secret", again, err)
		}
		if _, err := bot.Songs(ctx, 1, 1); client.StatusOf(err) != 401 {
			t.Errorf("old secret: got %v, want 401", err)
		}
		bot.Key = again.Secret
		if _, err := bot.Songs(ctx, 1, 1); err != nil {
			t.Errorf("new secret: got %v, want no error", err)
		}
		if err := ann.RevokeKey(ctx, created.Key.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := bot.Songs(ctx, 1, 1); client.StatusOf(err) != 401 {
			t.Errorf("revoked key: got %v, want 401", err)
		}
		if err := ann.RevokeKey(ctx, created.Key.ID); client.StatusOf(err) != 404 {
			t.Errorf("revoked twice: got %v, want 404", err)
		}
		if _, err := ann.RotateKey(ctx, created.Key.ID); client.StatusOf(err) != 404 {
			t.Errorf("rotate a revoked key: got %v, want 404", err)
		}
	})
}

// A key can create, rotate and revoke only keys that are not stronger than itself.
func TestKeysCannotManageStrongerKeys(t *testing.T) {
	h := start(t, 0, func(c *cataloghttp.Config) { c.Rate, c.Burst = 500, 5000 })
	send := func(key, method, path, body string, status int, part string) catalogapi.KeyWithSecret {
		t.Helper()
		got := h.do(t, key, method, path, body)
		if got.status != status || !strings.Contains(got.body, part) {
			t.Errorf("%s %s with %q: got %d %s, want %d %s", method, path, key, got.status, got.body, status, part)
		}
		var created catalogapi.KeyWithSecret
		if got.status == 200 && method == "POST" {
			got.is(t, 200, &created)
		}
		return created
	}
	send("both", "POST", "/api/keys", `{"name":"x","permissions":["read"]}`, 403, "needs the permission keys")
	send("keys", "POST", "/api/keys", `{"name":"x","permissions":["read"]}`, 403, "which has only keys")
	send("keys", "POST", "/api/keys", `{"name":"x","permissions":["read","keys"]}`, 403, "which has only keys")
	send("keys", "POST", "/api/keys", `{"name":"x","permissions":["keys"]}`, 200, `"secret":"wxk_`)

	h.mint(t, catalog.NewKey{
		Name: "short", Owner: "ann", Permissions: []string{"read", "keys"}, ExpiresAt: time.Now().Add(time.Hour),
	})
	send("short", "POST", "/api/keys", `{"name":"x","permissions":["read"]}`, 200, `"expires_at":"2`)
	const twoHours = `{"name":"x","permissions":["read"],"expires_in":7200}`
	send("short", "POST", "/api/keys", twoHours, 403, "must not expire later")
	send("short", "POST", "/api/keys", `{"name":"x","permissions":["read"],"expires_in":60}`, 200, `"secret":"wxk_`)
	lasting := h.mint(t, catalog.NewKey{Name: "lasting", Owner: "ann", Permissions: []string{"read"}})
	send("short", "POST", "/api/keys/"+lasting.ID+"/rotate", "", 403, "must not expire later")
	send("short", "DELETE", "/api/keys/"+lasting.ID, "", 200, "ok")

	strong := h.mint(t, catalog.NewKey{Name: "strong", Owner: "ann", Permissions: []string{"read", "write"}})
	for _, at := range []string{"DELETE /api/keys/" + strong.ID, "POST /api/keys/" + strong.ID + "/rotate"} {
		method, path, _ := strings.Cut(at, " ")
		send("keys", method, path, "", 403, "which has only keys")
	}

	others := h.mint(t, catalog.NewKey{Name: "others", Owner: "bob", Permissions: []string{"read"}})
	follower := h.mint(t, catalog.NewKey{Name: "follower", Permissions: []string{"read", "write", "keys"}})
	if follower.Owner.Username != "ann" || !follower.Follows {
		t.Fatalf("got %+v, want a key that follows the active user ann", follower)
	}
	for _, at := range []string{"DELETE /api/keys/", "POST /api/keys/"} {
		method, path, _ := strings.Cut(at, " ")
		suffix := strings.Repeat("/rotate", strings.Count(method, "POST"))
		send("all", method, path+others.ID+suffix, "", 404, "there is no key")
		send("all", method, path+"others"+suffix, "", 404, "there is no")
		send("all", method, path+follower.ID+suffix, "", 403, "belongs to the active user")
	}
	created := send("follower", "POST", "/api/keys", `{"name":"with it","permissions":["read"]}`, 200, `"secret":"wxk_`)
	if k, err := h.store.KeyByID(t.Context(), created.Key.ID); err != nil || !k.Follows {
		t.Errorf("got %+v, %v; want a key that follows the active user", k, err)
	}

	h.mint(t, catalog.NewKey{Name: "slow", Owner: "ann", Permissions: []string{"read", "keys"}, Rate: 100, Burst: 300})
	created = send("slow", "POST", "/api/keys", `{"name":"as slow","permissions":["read"]}`, 200, `"secret":"wxk_`)
	if k, err := h.store.KeyByID(t.Context(), created.Key.ID); err != nil || k.Rate != 100 || k.Burst != 300 {
		t.Errorf("got %+v, %v; want the rate limits of the creating key", k, err)
	}
	fast := send("all", "POST", "/api/keys", `{"name":"fast","permissions":["read"]}`, 200, "")
	send("slow", "POST", fmt.Sprintf("/api/keys/%s/rotate", fast.Key.ID), "", 403, "higher rate limit than yours")
}

func TestInvalidKeyRequestsAreRejected(t *testing.T) {
	h := start(t, 0)
	before := h.do(t, "keys", "GET", "/api/keys", "")
	for _, body := range []string{
		``, `{}`, `[]`, `{"name":"x"}`, `{"name":"","permissions":["keys"]}`, `{"name":"x","permissions":[]}`,
		`{"name":"x","permissions":["root"]}`,
		`{"name":"x","permissions":["keys"],"expires_in":0}`, `{"name":"x","permissions":["keys"],"expires_in":-5}`,
		`{"name":"x","permissions":["keys"],"expires_in":9223372036854775807}`,
		`{"name":"x","permissions":["keys"],"expires_in":"soon"}`,
		`{"name":"a\u0000b","permissions":["keys"]}`, `{"name":"` + strings.Repeat("x", 65) + `","permissions":["keys"]}`,
	} {
		got := h.do(t, "keys", "POST", "/api/keys", body)
		if got.status != 400 || !strings.HasPrefix(got.body, `{"error":"`) {
			t.Errorf("%s: got %d %s, want 400", body, got.status, got.body)
		}
	}
	const id = `"id":"ke_`
	if after := h.do(t, "keys", "GET", "/api/keys", ""); strings.Count(after.body, id) != strings.Count(before.body, id) {
		t.Errorf("keys after invalid requests: got %s, want %s", after.body, before.body)
	}
}

// The link of an app opens a page that shows its login; only the key of an app has one.
func TestNewAppsHaveALinkWithTheirLogin(t *testing.T) {
	address := "https://music.example.net"
	h := start(t, 0, func(c *cataloghttp.Config) { c.Apps.URL = &address })
	ann := &client.Catalog{BaseURL: h.url, Key: h.keys["all"], HTTP: h.http}
	app := true
	wanted := catalogapi.KeyRequest{Name: "phone", Permissions: []string{"read"}, App: &app}
	created, err := ann.CreateKey(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := ann.RotateKey(t.Context(), created.Key.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []catalogapi.KeyWithSecret{created, rotated} {
		want := address + "/connect#secret=" + got.Secret + "&user=ann"
		if got.Link == nil || got.Link.URL != want || len(got.Link.Qr) < 21 || len(got.Link.Qr) != len(got.Link.Qr[0]) {
			t.Errorf("link of an app: got %+v, want %s and a square QR code", got.Link, want)
		}
	}
	plain, err := ann.CreateKey(t.Context(), catalogapi.KeyRequest{Name: "bot", Permissions: []string{"read"}})
	if err != nil || plain.Link != nil {
		t.Errorf("ordinary key: got the link %v, %v; want none", plain.Link, err)
	}
}
