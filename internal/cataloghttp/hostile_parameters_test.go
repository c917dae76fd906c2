package cataloghttp_test

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"waxwing/api"
	"waxwing/api/catalogapi"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

// attempt is a payload in a slot.
type attempt struct {
	slot    apitest.Parameter
	payload string
}

// attempts returns all payloads in all slots of the document, or a random sample of them, and the
// number of all.
func attempts(t *testing.T) (tries []attempt, all int) {
	t.Helper()
	slots, err := apitest.Parameters(api.CatalogYAML)
	if err != nil {
		t.Fatal(err)
	}
	for _, slot := range slots {
		for _, payload := range testenv.Payloads() {
			tries = append(tries, attempt{slot, payload})
		}
	}
	all = len(tries)
	if len(slots) < 40 {
		t.Fatalf("got %d slots, want at least 40", len(slots))
	}
	if !testenv.Trust() {
		rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
		rnd.Shuffle(all, func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
		tries = tries[:600]
	}
	// Reads come first: after writes, lists with equal names may have another order.
	slices.SortStableFunc(tries, func(a, b attempt) int {
		return cmp.Compare(rank(a.slot.Method), rank(b.slot.Method))
	})
	return tries, all
}

func rank(method string) int {
	if method == http.MethodGet {
		return 0
	}
	return 1
}

// variable matches texts that differ between two catalogs with the same content.
var variable = regexp.MustCompile(`\b(so|pl|ar|al|us|ke|ky)_[0-9A-Za-z]{10,}|127\.0\.0\.1:\d+|` +
	`\d{4}-\d\d-\d\dT[0-9:.]+Z|wxk_[0-9A-Za-z]+|signature=[0-9A-Za-z_-]+|expires=\d+|covers/[0-9a-f]{32}`)

// Every payload in every parameter and field of every route gets the same response from both
// engines, never an internal error.
func TestHostileParameters(t *testing.T) {
	testenv.SkipIfShort(t) // it compares two engines
	tries, all := attempts(t)
	responses := map[string][]string{}
	sent := 0
	onBoth(t, 3, func(t *testing.T, h *fixture) {
		engine := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		var created catalogapi.PlaylistReply
		mix := fmt.Sprintf(`{"name":"Mix","public":true,"song_ids":[%q]}`, h.ids[0])
		h.do(t, "all", "POST", "/api/playlists", mix).is(t, 200, &created)
		valid := map[string]string{
			"song_id": h.ids[0], "song_ids": h.ids[1], "playlist_id": created.Playlist.ID, "album_id": "al_none",
			"username_or_id": "guest", "username": "ann", "position": "0", "to": "0",
			"hash": "00112233445566778899aabbccddeeff", "key_id": "ke_none", "name": "Mix", "permissions": "read", "q": "song",
			"expires": "9999999999", "signature": "x",
		}
		for _, a := range tries {
			req, ok := a.slot.Request(h.url, a.payload, valid)
			if !ok {
				responses[engine] = append(responses[engine], "")
				continue
			}
			sent++
			if a.slot.Name != "X-Api-Key" {
				req.Header.Set("X-Api-Key", h.keys["all"])
			}
			resp, err := h.http.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			read, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			body := string(read)
			if resp.StatusCode >= 500 || strings.Contains(body, "SQLSTATE") ||
				strings.Contains(strings.ToLower(body), "syntax error") {
				t.Errorf("%s with %q: got %d %.300s, want no internal error", a.slot, a.payload, resp.StatusCode, body)
			}
			if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") && !utf8.ValidString(body) {
				t.Errorf("%s with %q: got %q, want UTF-8", a.slot, a.payload, body)
			}
			if strings.HasPrefix(resp.Header.Get("Content-Type"), "image/") || strings.Contains(a.slot.Path, "metrics") {
				body = ""
			}
			body = variable.ReplaceAllString(body, "…")
			responses[engine] = append(responses[engine], fmt.Sprint(resp.StatusCode, " ", body))
		}
		if songs := h.get(t, "/api/songs"); songs.status != 200 || !strings.Contains(songs.body, `"total":3`) {
			t.Errorf("songs after all requests: got %d %s, want 3 songs", songs.status, songs.body)
		}
	})
	differ := 0
	for i, a := range tries {
		if lite, post := responses["sqlite"][i], responses["postgres"][i]; lite != post {
			if differ++; differ < 20 {
				t.Errorf("%s with %q: got different responses, want the same\nSQLite     %.400s\nPostgreSQL %.400s",
					a.slot, a.payload, lite, post)
			}
		}
	}
	testenv.Report(t, testenv.Parameters, testenv.Tally{Inputs: sent, Violations: differ, Note: fmt.Sprintf(
		"%d of all %d pairs of a parameter or field of catalog.yaml and a payload (%s), the same response from both engines",
		len(tries), all, testenv.TriedOf(len(testenv.Payloads()), 200, "payloads"))})
}
