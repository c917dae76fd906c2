package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/testenv"
)

// TestAppsPlayFromTheCatalog: a server as users start it serves /rest beside the catalog API. A key
// of an app is accepted there and nowhere else.
func TestAppsPlayFromTheCatalog(t *testing.T) {
	cfg := config(t)
	a := up(t, cfg)
	owner := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}
	isApp := true
	phone, err := owner.Catalog().CreateKey(t.Context(),
		catalogapi.KeyRequest{Name: "phone", Permissions: []string{"read", "write"}, App: &isApp})
	if err != nil {
		t.Fatal(err)
	}
	if !phone.Key.App || len(phone.Secret) != 64 || !strings.HasPrefix(phone.Secret, "wxa_") {
		t.Fatalf("key of an app: got %+v with a secret of %d characters, want one of 64 from wxa_", phone.Key,
			len(phone.Secret))
	}
	get := func(path string, header ...string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.CatalogURL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(header) == 2 {
			req.Header.Set(header[0], header[1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := get("/"); status != 200 {
		t.Errorf("GET /: got %d %s, want 200", status, body)
	}
	if status, _ := get("/api/songs", "X-Api-Key", phone.Secret); status != 401 {
		t.Errorf("the secret of an app as x-api-key: got %d, want 401", status)
	}
	if status, _ := get("/rest"); status != 404 {
		t.Errorf("GET /rest: got %d, want 404", status)
	}
	login := "&f=json&apiKey=" + url.QueryEscape(phone.Secret)
	var found struct {
		Response struct {
			Status string
			Found  struct {
				Song []struct{ ID, Suffix, ContentType string }
			} `json:"searchResult3"`
		} `json:"subsonic-response"`
	}
	testenv.WaitFor(t, "the songs of the demo library", func() bool {
		_, body := get("/rest/search3.view?songCount=100" + login)
		if err := json.Unmarshal([]byte(body), &found); err != nil {
			t.Fatalf("search3: got %s, want JSON: %v", body, err)
		}
		return len(found.Response.Found.Song) == 14
	})
	for _, song := range found.Response.Found.Song {
		if status, body := get("/rest/stream?id=" + song.ID + login); status != 200 || len(body) < 10_000 {
			t.Errorf("stream of a %s: got %d, %d bytes", song.Suffix, status, len(body))
		}
	}
	if status, body := get("/rest/startScan?" + login); status != 200 || !strings.Contains(body, `"status":"ok"`) {
		t.Errorf("startScan: got %d %s, want ok", status, body)
	}
	if err := owner.Catalog().RevokeKey(t.Context(), phone.Key.ID); err != nil {
		t.Fatal(err)
	}
	if _, body := get("/rest/ping?" + login); !strings.Contains(body, `"code":44`) {
		t.Errorf("a revoked app: got %s, want code 44", body)
	}
}
