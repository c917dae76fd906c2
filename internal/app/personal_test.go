package app_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"waxwing/api/catalogapi"
	"waxwing/client"
)

// TestLikesSayWhatPreventsThem: the current track cannot be liked or rated without a track, with a
// key that lacks write, or without a catalog, and each reply says so with a code.
func TestLikesSayWhatPreventsThem(t *testing.T) {
	both := config(t)
	first := up(t, both)
	owner := &client.Player{BaseURL: first.PlayerURL, Token: ownerToken(t, both.DataDir)}
	key, err := owner.Catalog().CreateKey(t.Context(),
		catalogapi.KeyRequest{Name: "reader", Permissions: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(first.CatalogURL)
	if err != nil {
		t.Fatal(err)
	}
	var unreachable atomic.Bool
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	link := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if unreachable.Load() {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(link.Close)
	alone := config(t)
	alone.Catalog = nil
	alone.Player.CatalogURL, alone.Player.CatalogKey = link.URL, key.Secret
	a := up(t, alone)
	player := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, alone.DataDir)}
	wantDenied := func(when string, status int, code, advice string) {
		t.Helper()
		for name, f := range map[string]func(context.Context) error{
			"like":   func(ctx context.Context) error { _, err := player.Like(ctx); return err },
			"unlike": func(ctx context.Context) error { _, err := player.Unlike(ctx); return err },
			"rate":   func(ctx context.Context) error { _, err := player.Rate(ctx, 4); return err },
		} {
			var got *client.Error
			if err := f(t.Context()); !errors.As(err, &got) || got.Status != status || got.Code != code ||
				!strings.Contains(got.Message, advice) {
				t.Errorf("%s %s: got %+v, want %d %s %q", name, when, err, status, code, advice)
			}
		}
	}
	wantDenied("without a track", 409, "queue_empty", "play one first")
	if _, err := player.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantDenied("with a key that lacks write", 403, "not_allowed", "waxwing key create")
	var byName *client.Error
	if err := player.Catalog().Like(t.Context(), "so_0000000000000000000000"); !errors.As(err, &byName) ||
		byName.Status != 403 || byName.Code != "not_allowed" || !strings.Contains(byName.Message, "waxwing key create") {
		t.Errorf("like by id with a key that lacks write: got %+v, want 403 not_allowed", err)
	}
	unreachable.Store(true)
	wantDenied("without a catalog", 503, "catalog_unavailable", "check that it is running")
	var got *client.Error
	if _, err := player.Lyrics(t.Context()); !errors.As(err, &got) || got.Status != 503 ||
		got.Code != "catalog_unavailable" {
		t.Errorf("lyrics without a catalog: got %+v, want 503 catalog_unavailable", err)
	}
}
