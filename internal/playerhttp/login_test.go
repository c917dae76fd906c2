package playerhttp_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"waxwing/internal/access"
)

// TestLoginsCreateNothingThatOutlivesThem checks tokens, invitations and pairings by the login of a
// device: all expire without use at the latest when the login would.
func TestLoginsCreateNothingThatOutlivesThem(t *testing.T) {
	h := start(t, 0)
	device, secret, err := h.store.Create(t.Context(),
		access.NewToken{Name: "phone", Permissions: access.KeyPermissions, Idle: 2 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	h.secrets["device"] = secret
	id := func(got reply, key string) (value string) {
		t.Helper()
		var out map[string]any
		if err := json.Unmarshal([]byte(got.body), &out); err != nil || got.status != 200 {
			t.Fatalf("got %d %s, %v; want 200", got.status, got.body, err)
		}
		value, _ = out[key].(string)
		return value
	}
	for wanted, idle := range map[string]int{"null": 7200, "3600": 3600, "9000000": 7200} {
		body := fmt.Sprintf(`{"name":"new","permissions":["read"],"idle_expires_in":%s}`, wanted)
		h.do(t, "POST", "/tokens", "device", body).want(t, 200, fmt.Sprintf(`~"idle_expires_in":%d`, idle))

		invited := id(h.do(t, "POST", "/pair/invite", "device", body), "id")
		claimed := h.do(t, "POST", "/pair/claim", "", fmt.Sprintf(`{"id":%q,"name":"My tablet"}`, invited))
		h.secrets["claimed"] = id(claimed, "token")
		h.do(t, "GET", "/token", "claimed", "").want(t, 200, fmt.Sprintf(`~"idle_expires_in":%d`, idle))
		h.do(t, "GET", "/token", "claimed", "").want(t, 200, `~"name":"My tablet"`)

		asked := h.do(t, "POST", "/pair", "", body)
		h.do(t, "POST", "/pair/approve", "device", fmt.Sprintf(`{"code":%q}`, id(asked, "code")))
		claimed = h.do(t, "POST", "/pair/claim", "", fmt.Sprintf(`{"id":%q,"name":"Another"}`, id(asked, "id")))
		h.secrets["paired"] = id(claimed, "token")
		h.do(t, "GET", "/token", "paired", "").want(t, 200, fmt.Sprintf(`~"idle_expires_in":%d`, idle))
		h.do(t, "GET", "/token", "paired", "").want(t, 200, `~"name":"new"`)
	}
	h.do(t, "POST", "/tokens", "device", `{"name":"x","permissions":["read"],"idle_expires_in":10}`).
		want(t, 400, "~idle_expires_in")
	h.do(t, "POST", "/token/revoke", "device", `{"id":"to_other"}`).want(t, 400, "~token in use")
	h.do(t, "POST", "/token/revoke", "device", fmt.Sprintf(`{"id":%q}`, device.ID)).want(t, 200, `{"ok":true}`)
	h.do(t, "GET", "/token", "device", "").want(t, 401, "~revoked")
}
