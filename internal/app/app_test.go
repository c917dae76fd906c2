package app_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// config runs both roles over the demo music on free ports, without any sound device.
func config(t *testing.T) app.Config {
	dir := app.DataDir(t.TempDir())
	return app.Config{
		Version: "test", DataDir: dir, AuditFile: dir.File(app.AuditFile), MetricsAddr: "127.0.0.1:0",
		Log:     slog.New(slog.DiscardHandler),
		Catalog: &app.CatalogConfig{Addr: "127.0.0.1:0"},
		Player:  &app.PlayerConfig{Addr: "127.0.0.1:0", Output: "null", NoMPRIS: true},
	}
}

// up starts cfg and stops it with the test, which fails if the shutdown does.
func up(t *testing.T, cfg app.Config) *app.App {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	a, err := app.Up(ctx, cfg)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := a.Wait(); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return a
}

func ownerToken(t *testing.T, dir app.DataDir) string {
	t.Helper()
	secret, err := os.ReadFile(dir.File(app.OwnerTokenFile))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(secret))
}

// TestSeveralServersRunInOneProcess: nothing global ties a server to its process.
func TestSeveralServersRunInOneProcess(t *testing.T) {
	for range 2 {
		cfg := config(t)
		a := up(t, cfg)
		player := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}
		if _, err := player.PlaybackState(t.Context()); err != nil {
			t.Errorf("control API: %v", err)
		}
		if err := (&client.Catalog{BaseURL: a.CatalogURL}).Ready(t.Context()); err != nil {
			t.Errorf("catalog API: %v", err)
		}
		if err := (&client.Catalog{BaseURL: a.MetricsURL}).Ready(t.Context()); err != nil {
			t.Errorf("operator's listener: %v", err)
		}
		if got := "http://" + cfg.DataDir.Running().Player; got != a.PlayerURL {
			t.Errorf("announced %s, want %s", got, a.PlayerURL)
		}
	}
}

// TestPlayerAloneUsesCatalogElsewhere runs the roles in two apps, as on two machines.
func TestPlayerAloneUsesCatalogElsewhere(t *testing.T) {
	both := config(t)
	first := up(t, both)
	key, err := os.ReadFile(both.DataDir.File(app.PlayerKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	alone := config(t)
	alone.Catalog = nil
	alone.Player.CatalogURL, alone.Player.CatalogKey = first.CatalogURL, strings.TrimSpace(string(key))
	a := up(t, alone)
	if a.CatalogURL != "" {
		t.Errorf("a player alone has a catalog at %s", a.CatalogURL)
	}
	if err := (&client.Catalog{BaseURL: a.MetricsURL}).Ready(t.Context()); err != nil {
		t.Errorf("not ready: %v", err)
	}
}

func TestSecondServerOnDataFolderIsRefused(t *testing.T) {
	cfg := config(t)
	up(t, cfg)
	_, err := app.Up(t.Context(), cfg)
	if kind, _ := fault.Of(err); kind != fault.Conflict {
		t.Errorf("got %v, want a conflict", err)
	}
}

// TestFailedStartReleasesEverything starts in the same data folder after each failure.
func TestFailedStartReleasesEverything(t *testing.T) {
	cfg := config(t)
	for setting, spoil := range map[string]func(*app.Config){
		"output":  func(c *app.Config) { c.Player.Output = "gramophone" },
		"catalog": func(c *app.Config) { c.Catalog = nil },
	} {
		broken := cfg
		catalog, player := *cfg.Catalog, *cfg.Player
		broken.Catalog, broken.Player = &catalog, &player
		spoil(&broken)
		_, err := app.Up(t.Context(), broken)
		var wrong *app.SettingError
		if !errors.As(err, &wrong) || wrong.Setting != setting {
			t.Errorf("got %v, want an error about %s", err, setting)
		}
	}
	up(t, cfg)
}

// TestCatalogMetricsDoNotShowThePlayer: they need no credential.
func TestCatalogMetricsDoNotShowThePlayer(t *testing.T) {
	cfg := config(t)
	cfg.MetricsAddr = ""
	a := up(t, cfg)
	metrics := func(url, token string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s/metrics: got %d, %v", url, resp.StatusCode, err)
		}
		return string(text)
	}
	open, own := metrics(a.CatalogURL, ""), metrics(a.PlayerURL, ownerToken(t, cfg.DataDir))
	for _, private := range []string{"waxwing_player_", `server="player"`} {
		if strings.Contains(open, private) {
			t.Errorf("the open metrics of the catalog contain %s", private)
		}
		if !strings.Contains(own, private) {
			t.Errorf("the metrics of the player lack %s", private)
		}
	}
	for _, shared := range []string{"waxwing_scan_", "go_goroutines", `server="catalog"`} {
		if !strings.Contains(open, shared) || !strings.Contains(own, shared) {
			t.Errorf("metrics lack %s", shared)
		}
	}
}
