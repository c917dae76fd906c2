package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/player"
	"waxwing/internal/sdnotify"
)

type upCmd struct {
	commonSettings
	logSettings
	playerSettings
	catalogSettings
	ffmpegSettings
	auditSettings
	operatorSettings
}

func (c *upCmd) serve(ctx context.Context, std IO, version versionString) error {
	cfg := c.operatorSettings.config(c.DataDir, c.auditSettings, version, c.logger(std.Err, std.Terminal))
	var err error
	if cfg.Player, err = c.playerSettings.config(); err != nil {
		return err
	}
	if cfg.Catalog, err = c.catalogSettings.config(c.DataDir); err != nil {
		return err
	}
	cfg.Player.NoFFmpeg, cfg.Catalog.NoFFmpeg = c.NoFFmpeg, c.NoFFmpeg
	cfg.Player.PublicURL = cmp.Or(cfg.Player.PublicURL, cfg.Catalog.PublicURL)
	return c.run(ctx, cfg, func(a *app.App) {
		fmt.Fprintf(std.Err, "Waxwing %s\n  player   %s\n  catalog  %s\n", version, a.PlayerURL, a.CatalogURL)
		if lan := a.RemoteURL(); lan != "" {
			fmt.Fprintf(std.Err, "  network  %s (on a phone: waxwing open --phone)\n", lan)
		}
		if a.MPDAddr != "" {
			fmt.Fprintf(std.Err, "  MPD      %s\n", a.MPDAddr)
		}
		fmt.Fprintf(std.Err, "  music    %s\nIn another terminal: waxwing open (the web player) or waxwing play\n",
			c.musicNames())
	})
}

func (s catalogSettings) musicNames() string {
	if len(s.Music) == 0 {
		return "the built-in demo library (to use yours: waxwing up --music DIR)"
	}
	return strings.Join(s.Music, ", ")
}

type catalogCmd struct {
	commonSettings
	logSettings
	catalogSettings
	ffmpegSettings
	auditSettings
	operatorSettings
}

func (c *catalogCmd) serve(ctx context.Context, std IO, version versionString) error {
	cfg := c.operatorSettings.config(c.DataDir, c.auditSettings, version, c.logger(std.Err, std.Terminal))
	var err error
	if cfg.Catalog, err = c.catalogSettings.config(c.DataDir); err != nil {
		return err
	}
	if c.Jukebox == jukeboxOwn {
		return settingError("jukebox-player", "--jukebox-player own needs the player of waxwing up; give the URL of a "+
			"player, for example http://192.168.1.21:7833, and --jukebox-token-file")
	}
	cfg.Catalog.NoFFmpeg = c.NoFFmpeg
	return c.run(ctx, cfg, func(a *app.App) {
		cfg.Log.Info("catalog ready; its web player asks for a key (waxwing key create)", "url", a.CatalogURL)
	})
}

type playerCmd struct {
	commonSettings
	logSettings
	playerSettings
	ffmpegSettings
	catalogLink
	auditSettings
	operatorSettings
}

func (c *playerCmd) serve(ctx context.Context, std IO, version versionString) error {
	cfg := c.operatorSettings.config(c.DataDir, c.auditSettings, version, c.logger(std.Err, std.Terminal))
	var err error
	if cfg.Player, err = c.playerSettings.config(); err != nil {
		return err
	}
	if c.APIKeyFile == "" {
		return usage(
			"the player needs a key to the catalog: --api-key-file FILE (create one there with: waxwing key create)",
		)
	}
	key, err := os.ReadFile(c.APIKeyFile)
	if err != nil {
		return settingError("api-key-file", "--api-key-file: %v", err)
	}
	cfg.Player.NoFFmpeg = c.NoFFmpeg
	cfg.Player.CatalogURL, cfg.Player.CatalogKey = c.Catalog, strings.TrimSpace(string(key))
	return c.run(ctx, cfg, func(*app.App) {})
}

// operatorSettings apply to every server, whatever its roles.
type operatorSettings struct {
	MetricsAddr    string        `name:"metrics-addr" env:"WAXWING_METRICS_ADDR" placeholder:"HOST:PORT" help:"Serve /metrics, /health and /ready on this address, without a credential; --catalog-addr then has no /metrics."`
	MaxConnections int           `name:"max-connections" env:"WAXWING_MAX_CONNECTIONS" placeholder:"N" help:"Limit of open connections at each address (default: a quarter of the files that the process may open, at most 8192)."`
	Drain          time.Duration `name:"drain" env:"WAXWING_DRAIN" default:"0s" help:"Time to keep serving after SIGTERM while /ready reports 503 (default: ${default}). Behind a load balancer: slightly more than its check interval."`
}

// config returns what does not depend on the roles.
func (s operatorSettings) config(dir app.DataDir, audit auditSettings, version versionString,
	log *slog.Logger) app.Config {
	return app.Config{
		Version: string(version), DataDir: dir, AuditFile: audit.path(dir), MetricsAddr: s.MetricsAddr, Drain: s.Drain,
		MaxConnections: s.MaxConnections,
		Notify:         sdnotify.FromEnv(os.LookupEnv, os.Getpid()), Log: log,
	}
}

// run runs the servers of cfg until ctx is done. It calls started when they serve.
func (s operatorSettings) run(ctx context.Context, cfg app.Config, started func(*app.App)) error {
	if s.Drain < 0 {
		return settingError("drain", "--drain must be a duration, for example 10s, or 0, not %v", s.Drain)
	}
	if s.MaxConnections < 0 {
		return settingError("max-connections", "--max-connections must be 1 or more, for example 4096, not %d; omit it for "+
			"the default", s.MaxConnections)
	}
	if s.MetricsAddr != "" {
		if err := checkAddr("metrics-addr", s.MetricsAddr, true); err != nil {
			return err
		}
	}
	a, err := app.Up(ctx, cfg)
	if err != nil {
		return err
	}
	started(a)
	for _, after := range startupMemoryFreed {
		defer time.AfterFunc(after, a.FreeMemory).Stop()
	}
	return a.Wait()
}

// startupMemoryFreed is when memory that only the start needed is returned to the system: soon if
// the music is already catalogued, later for a first scan.
var startupMemoryFreed = [...]time.Duration{5 * time.Second, 35 * time.Second, 215 * time.Second}

// config validates the settings and returns them as the app takes them.
func (s playerSettings) config() (*app.PlayerConfig, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	allow, err := prefixes(s.StreamAllow)
	if err != nil {
		return nil, err
	}
	return &app.PlayerConfig{
		MPD:         s.mpd(),
		StreamAllow: allow,
		Addr:        s.PlayerAddr, Hosts: s.PlayerHosts, PublicURL: s.PlayerURL, Output: s.Output,
		Gain: player.GainMode(s.ReplayGain), SpoolLimit: s.SpoolLimit << 20, NoMPRIS: s.NoMPRIS,
	}, nil
}

// config validates the settings and returns them as the app takes them.
func (s catalogSettings) config(dir app.DataDir) (*app.CatalogConfig, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	db, err := s.database(dir)
	if err != nil {
		return nil, err
	}
	replicas, err := s.replicas(db)
	if err != nil {
		return nil, err
	}
	jukebox, err := s.jukebox()
	if err != nil {
		return nil, err
	}
	return &app.CatalogConfig{
		Addr: s.CatalogAddr, Hosts: s.CatalogHosts, PublicURL: s.PublicURL, DB: db,
		Replicas: replicas, Connections: s.Connections,
		Music: s.Music, S3: s.storageSettings.config(), MediaRedirect: s.MediaRedirect,
		ScanEvery: s.ScanEvery, RateLimit: s.RateLimit, LyricsURL: s.LyricsURL,
		TranscodeCache: s.Transcodes << 20, Jukebox: jukebox,
	}, nil
}
