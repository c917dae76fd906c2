package playerhttp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"waxwing/api/playerapi"
	"waxwing/internal/playerhttp"
)

func TestPhoneInvitationsSignInOnceWithoutKeys(t *testing.T) {
	remote := "http://192.0.2.7:7833"
	h := start(t, 0, func(c *playerhttp.Config) { c.RemoteURL = func() string { return remote } })
	got := h.do(t, "POST", "/pair/phone", "all", "")
	var phone playerapi.PairPhone
	if err := json.Unmarshal([]byte(got.body), &phone); err != nil || got.status != 200 {
		t.Fatalf("got %d %s, %v; want 200", got.status, got.body, err)
	}
	id, ok := strings.CutPrefix(phone.Link, remote+"/#claim=")
	if !ok || phone.Address != remote {
		t.Errorf("got link %s and address %s, want them at %s", phone.Link, phone.Address, remote)
	}
	if n := len(phone.Qr); n < 21 || !strings.HasPrefix(phone.Qr[0], "11111110") ||
		!strings.HasSuffix(phone.Qr[0], "01111111") || len(phone.Qr[0]) != n {
		t.Errorf("got a code of %d rows, the first %s; want a square with the patterns of a QR code", n, phone.Qr[0])
	}
	claimed := h.do(t, "POST", "/pair/claim", "", fmt.Sprintf(`{"id":%q,"name":"Safari on iPhone"}`, id))
	claimed.want(t, 200, `~"permissions":["read","write"]`)
	h.do(t, "POST", "/pair/claim", "", fmt.Sprintf(`{"id":%q}`, id)).want(t, 404, "~already answered")
	h.do(t, "GET", "/pair/invite/"+phone.Request, "all", "").want(t, 200, `~"claimed":true`)

	remote = ""
	h.do(t, "POST", "/pair/phone", "all", "").want(t, 409, "~--allow-remote")
}
