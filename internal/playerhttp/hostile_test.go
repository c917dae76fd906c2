package playerhttp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"waxwing/api"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

// TestHostileParametersCauseNoServerError sends attack payloads in every parameter and every body
// field of every route. The reply must not be a 5xx, and JSON must be valid.
func TestHostileParametersCauseNoServerError(t *testing.T) {
	h := start(t, 3)
	slots, err := apitest.Parameters(api.PlayerYAML)
	if err != nil {
		t.Fatal(err)
	}
	if len(slots) < 30 {
		t.Fatalf("got %d parameters and fields, want at least 30", len(slots))
	}
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	valid := map[string]string{
		"track_ids": "t1", "track_id": "t1", "path": "songs", "hash": "ab", "name": "x",
		"permissions": "read", "key_id": "ke_1", "code": "0000", "id": "x",
	}
	tried, all := 0, 0
	for _, slot := range slots {
		if slot.Path == "/events" && slot.Name != "access_token" {
			continue // an endless stream; the server ignores Last-Event-ID, its other parameter
		}
		for _, payload := range testenv.Payloads() {
			req, ok := slot.Request(h.url, payload, valid)
			if !ok {
				continue
			}
			if all++; !testenv.Trust() && rnd.IntN(8) != 0 {
				continue
			}
			if slot.Name != "access_token" && slot.Name != "Authorization" {
				req.Header.Set("Authorization", "Bearer "+h.secrets["all"])
			}
			got := h.read(t, req)
			tried++
			isJSON := strings.HasPrefix(got.header.Get("Content-Type"), "application/json")
			if got.status >= 500 || isJSON && (!utf8.ValidString(got.body) || !json.Valid([]byte(got.body))) {
				t.Errorf("%s with %q: got %d %.300s, want no 5xx and valid JSON", slot, payload, got.status, got.body)
			}
		}
	}
	if log := h.log.String(); strings.Contains(log, "panic") {
		t.Error("got a panic in the log, want none")
	}
	testenv.Report(t, testenv.Parameters, testenv.Tally{Inputs: tried, Note: fmt.Sprintf(
		"%d of all %d pairs of a parameter or field of player.yaml and a payload (%s)",
		tried, all, testenv.TriedOf(len(testenv.Payloads()), 200, "payloads"))})
}
