package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/api/playerapi"
	"waxwing/client"
	"waxwing/internal/access"
	"waxwing/internal/audio/decode"
	"waxwing/internal/audio/output"
	"waxwing/internal/audit"
	"waxwing/internal/httpkit"
	"waxwing/internal/mpris"
	"waxwing/internal/player"
	"waxwing/internal/playerhttp"
	"waxwing/internal/statefile"
)

type playerCmd struct {
	place
	logSettings
	playerSettings
	catalogLink
	auditSettings
	operatorSettings
}

func (c *playerCmd) serve(ctx context.Context, std IO, version versionString) error {
	log := c.logger(std.Err, std.Terminal)
	if err := c.playerSettings.check(); err != nil {
		return err
	}
	if c.APIKeyFile == "" {
		return usage("name the file with the key to the catalog: --api-key-file FILE (made there with: waxwing key create)")
	}
	key, err := os.ReadFile(c.APIKeyFile)
	if err != nil {
		return wrong("api-key-file", "--api-key-file: %v", err)
	}
	if err := c.prepare(); err != nil {
		return err
	}
	ln, err := listen(ctx, "player-addr", c.PlayerAddr)
	if err != nil {
		return err
	}
	record, err := c.auditSettings.open(c.place, log)
	if err != nil {
		return err
	}
	defer record.Close()
	op, err := c.operate(ctx, string(version), c.PlayerHosts, log)
	if err != nil {
		return err
	}
	defer op.end()
	role := playerRole{place: c.place, set: c.playerSettings, listener: ln, catalogURL: c.Catalog, catalogKey: strings.TrimSpace(string(key)), op: op, audit: record, log: log}
	return op.run("http://"+reachable(ln)+"/health", role.catalog().Ready, role.run)
}

// listen opens a port, or says which flag chooses another.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; is Waxwing running already? Choose another with --%s", addr, err, flag)
	}
	return ln, nil
}

// reachable is the address at which this machine reaches a listener, one on all addresses included.
func reachable(ln net.Listener) string {
	addr := ln.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", addr.Port)
	}
	return addr.String()
}

// playerRole is the player and its control API, over a catalog wherever that is.
type playerRole struct {
	place
	set        playerSettings
	listener   net.Listener
	catalogURL string
	catalogKey string
	op         *operations
	audit      *audit.Log
	log        *slog.Logger
}

// run plays and serves until ctx is done.
func (r playerRole) run(ctx context.Context) error {
	base, err := url.Parse(r.catalogURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return wrong("catalog", "--catalog must be the URL of a catalog, for example http://127.0.0.1:7845")
	}
	warnUnnamed(r.listener.Addr(), "player-host", r.set.PlayerHosts, r.log)
	unlock, err := r.lock("player")
	if err != nil {
		return err
	}
	defer unlock()
	out, err := output.New(r.set.Output, r.log)
	if err != nil {
		return wrong("output", "--output: %v", err)
	}
	if c, ok := out.(io.Closer); ok {
		defer func() { _ = c.Close() }() // a file output completes its header; its samples are there already
	}
	tokens, err := access.Open(r.file(tokensFile), r.log)
	if err != nil {
		return err
	}
	owner, err := access.EnsureOwnerToken(ctx, tokens, r.file(ownerTokenFile))
	if err != nil {
		return err
	}
	if owner != nil {
		r.audit.Record(audit.Entry{Server: "player", Decision: audit.Allowed, Event: audit.TokenCreated, Subject: owner.ID, SubjectName: owner.Name})
	}
	catalog := r.catalog()
	spool, err := r.emptySpool()
	if err != nil {
		return err
	}
	plays, err := player.NewPlays(catalog, statefile.System, r.file(playsFile), r.log)
	if err != nil {
		return err
	}
	p, err := player.New(player.Config{
		Output:    out,
		Library:   player.Remote{Catalog: catalog, Decoders: decode.Options{NoExternal: r.set.NoFFmpeg}, SpoolDir: spool, Log: r.log},
		StateFile: r.file(journalFile),
		Gain:      player.GainMode(r.set.ReplayGain),
		Played:    plays.Add,
		Log:       r.log,
	})
	if err != nil {
		return err
	}
	measurePlayer(r.op.registry, p, plays)
	server := playerhttp.New(playerhttp.Config{
		Player: p, Tokens: tokens, Addr: r.listener.Addr(), Hosts: r.set.PlayerHosts, Version: r.op.version,
		Profile: func(ctx context.Context) (playerapi.PublicUser, error) { return profile(ctx, catalog) },
		Ready: func(ctx context.Context) error {
			if err := r.op.ready(); err != nil {
				return err
			}
			return catalog.Ready(ctx)
		},
		CatalogURL: base, CatalogKey: r.catalogKey, CatalogRevisions: revisions(catalog),
		Metrics: r.op.registry, Log: r.log, Audit: r.audit,
	})
	if err := r.announce(); err != nil {
		return err
	}
	defer func() { _ = os.Remove(r.file(runningFile)) }() // stale, it misleads nobody: the port is then closed

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.Run(ctx) })
	g.Go(func() error { return plays.Run(ctx) })
	g.Go(func() error { return tokens.Run(ctx) })
	g.Go(func() error { return httpkit.Serve(ctx, r.listener, httpkit.Farewell(r.op.leaving, server), r.log) })
	if !r.set.NoMPRIS {
		g.Go(func() error { return mpris.Run(ctx, p, r.log) })
	}
	return g.Wait()
}

// revisions follows the revision of a catalog. One that is too old to report it is not reported as
// unreachable.
func revisions(catalog *client.Catalog) func(context.Context) iter.Seq2[string, error] {
	return func(ctx context.Context) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for revision, err := range catalog.Revisions(ctx) {
				if client.StatusOf(err) == http.StatusNotFound || !yield(revision, err) {
					return
				}
			}
		}
	}
}

// profile reads the public profile of the user whose key the player has.
func profile(ctx context.Context, catalog *client.Catalog) (playerapi.PublicUser, error) {
	u, err := catalog.Me(ctx)
	if err != nil {
		return playerapi.PublicUser{}, err
	}
	return playerapi.PublicUser{ID: u.ID, Username: u.Username, Name: u.Name, ProfileImageURL: u.ProfileImageURL}, nil
}

// catalog is a client for the catalog that this player plays from.
func (r playerRole) catalog() *client.Catalog {
	return &client.Catalog{BaseURL: r.catalogURL, Key: r.catalogKey, HTTP: &http.Client{Transport: catalogTransport()}}
}

// catalogTransport keeps few connections and no proxy: the player and its catalog are near each other.
func catalogTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 4
	t.ResponseHeaderTimeout = 20 * time.Second // a link may swallow everything without a word
	return t
}

// emptySpool makes the folder in which tracks are buffered, without what a crash may have left there.
func (r playerRole) emptySpool() (string, error) {
	dir := r.file(spoolDir)
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("empty the buffer folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the buffer folder: %w", err)
	}
	return dir, nil
}

// announce writes down where the player listens, for the commands of the same data folder.
func (r playerRole) announce() error {
	text, err := json.Marshal(running{Player: reachable(r.listener), PID: os.Getpid()})
	if err != nil {
		return fmt.Errorf("encode where the player listens: %w", err)
	}
	return statefile.Write(r.file(runningFile), text, 0o600)
}
