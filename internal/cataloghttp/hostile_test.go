package cataloghttp_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"waxwing/api/catalogapi"
)

// payloads are 200 texts that have broken one database or parser or another.
func payloads() []string {
	seeds := []string{
		"'", `"`, "`", `\`, ";", "--", "/*", "#", "%", "_", "\x00", "\xff\xfe", "\u202e", "\ufeff", "𝕏", "' OR '1'='1", `" OR "1"="1`, "1 OR 1=1", "1; DROP TABLE songs; --",
		"'; DROP TABLE songs; --", "' UNION SELECT hash FROM keys --", "1' AND SLEEP(5)#", "'||pg_sleep(5)--", "$1", "$$;SELECT 1;$$", "?", ":name", "@x", "NULL", "null", "true", "undefined", "NaN",
		"Infinity", "-1", "0", "1e309", "9223372036854775808", "-9223372036854775809", "0x7fffffff", "１", "..", "../../etc/passwd", "%2e%2e%2f", "${jndi:ldap://x}", "{{7*7}}", "<script>alert(1)</script>",
		"\r\nX-Injected: 1", "so_' OR 1=1 --aaaaaaaaaaaa", "pl_%", "*", `"*"`, "a* OR b*", "NEAR(a b)", `") OR ("`, "') | ('x':*", "a:b:c", "!x", "x & | y", "\\'", "E'\\x41'", "CAST(1 AS int)", "LIKE '%a%'",
	}
	var all []string
	for _, s := range seeds {
		all = append(all, s, "a"+s, s+strings.Repeat("A", 300), url.QueryEscape(s))
	}
	return all[:200]
}

// TestHostileParameters tries every payload as every parameter, on both engines: never an error of
// ours, and the same answer from both.
func TestHostileParameters(t *testing.T) {
	answers := map[string]map[string]int{}
	onBoth(t, 3, func(t *testing.T, h *house) {
		var made catalogapi.PlaylistReply
		h.do(t, "write", "POST", "/api/playlists", fmt.Sprintf(`{"name":"Mix","public":true,"song_ids":[%q]}`, h.ids[0])).is(t, 200, &made)
		list := "/api/playlists/" + made.Playlist.ID
		got := map[string]int{}
		answers[t.Name()[strings.LastIndex(t.Name(), "/")+1:]] = got
		tried := 0
		ask := func(key, method, where, payload, path, body string, header ...string) {
			r := h.do(t, key, method, path, body, header...)
			tried++
			got[method+" "+where+" "+payload] = r.status
			if r.status >= 500 || strings.Contains(strings.ToLower(r.body), "syntax") || strings.Contains(r.body, "SQLSTATE") {
				t.Errorf("%s %s with %q: %d %s", method, where, payload, r.status, r.body)
			}
		}
		for _, p := range payloads() {
			segment, query := url.PathEscape(p), url.QueryEscape(p)
			if segment == "." || segment == ".." {
				segment = "%2e" + segment[1:]
			}
			for _, where := range []string{
				"/api/songs/%s", "/api/songs/%s/stream", "/api/playlists/%s/songs", "/api/artists/%s", "/api/albums/%s/songs", "/api/users/%s", "/media/covers/%s",
			} {
				ask("both", "GET", where, p, fmt.Sprintf(where, segment), "")
			}
			for _, where := range []string{
				"/api/songs?page=%s", "/api/artists?limit=%s", "/api/songs/trending?limit=%s", "/api/search?q=%s", "/api/songs?unknown=%s",
			} {
				ask("both", "GET", where, p, fmt.Sprintf(where, query), "")
			}
			ask("both", "GET", "size", p, "/media/covers/00112233445566778899?size="+query, "")
			ask("both", "GET", "signature", p, "/media/songs/"+h.ids[0]+"?expires=9999999999&signature="+query, "")
			ask("both", "DELETE", "position", p, list+"/songs/"+segment+"?song_id="+h.ids[0], "")
			ask("both", "DELETE", "song_id", p, list+"/songs/5?song_id="+query, "")
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			ask("both", "PATCH", "name", p, list, fmt.Sprintf(`{"name":%s}`, text))
			ask("both", "PATCH", "description", p, list, fmt.Sprintf(`{"description":%s}`, text))
			ask("both", "POST", "song_ids", p, list+"/songs", fmt.Sprintf(`{"song_ids":[%s]}`, text))
			ask("both", "POST", "song_id", p, "/api/plays", fmt.Sprintf(`{"song_id":%s}`, text))
			ask("both", "POST", "played_at", p, "/api/plays", fmt.Sprintf(`{"song_id":%q,"played_at":%s}`, h.ids[0], text))
			if header := strings.Map(func(r rune) rune {
				if r < ' ' || r == 0x7f {
					return -1
				}
				return r
			}, p); header != "" {
				ask("both", "POST", "Idempotency-Key", p, "/api/plays", fmt.Sprintf(`{"song_id":%q}`, h.ids[0]), "Idempotency-Key", header)
				ask("both", "GET", "If-None-Match", p, "/api/songs", "", "If-None-Match", header)
			}
		}
		t.Logf("%d requests", tried)
		if songs := h.get(t, "/api/songs"); songs.status != 200 || !strings.Contains(songs.body, `"total":3`) {
			t.Errorf("the songs are %s", songs.body)
		}
	})
	for question, status := range answers["sqlite"] {
		if other, asked := answers["postgres"][question]; asked && other != status {
			t.Errorf("%s: %d on SQLite, %d on PostgreSQL", question, status, other)
		}
	}
}
