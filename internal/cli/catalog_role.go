package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/art"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/demo"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/scan"
	"waxwing/internal/statefile"
)

type catalogCmd struct {
	place
	logSettings
	catalogSettings
	auditSettings
	operatorSettings
}

func (c *catalogCmd) serve(ctx context.Context, std IO, version versionString) error {
	log := c.logger(std.Err, std.Terminal)
	record, err := c.auditSettings.open(c.place, log)
	if err != nil {
		return err
	}
	defer record.Close()
	op, err := c.operate(ctx, string(version), c.CatalogHosts, log)
	if err != nil {
		return err
	}
	defer op.end()
	role, err := openCatalog(ctx, c.place, c.catalogSettings, op, record)
	if err != nil {
		return err
	}
	defer role.close()
	log.Info("catalog ready", "url", role.url())
	return op.run(role.url()+"/health", role.store.Ping, role.run)
}

// catalogRole is the catalog, the scanner that fills it and the API over it.
type catalogRole struct {
	set      catalogSettings
	store    *catalog.Store
	scanner  *scan.Scanner
	listener net.Listener
	op       *operations
	server   http.Handler
	unlock   func()
	shared   bool // other servers may be over the same database
	audit    *audit.Log
	log      *slog.Logger
}

// openCatalog makes all parts; nothing runs yet but the listener's queue.
func openCatalog(ctx context.Context, p place, set catalogSettings, op *operations, record *audit.Log) (_ *catalogRole, err error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	unlock, err := p.lock("catalog")
	if err != nil {
		return nil, err
	}
	r := &catalogRole{set: set, op: op, audit: record, log: op.log, unlock: unlock}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if r.listener, err = listen(ctx, "catalog-addr", set.CatalogAddr); err != nil {
		return nil, err
	}
	warnUnnamed(r.listener.Addr(), "catalog-host", set.CatalogHosts, op.log)
	db, err := set.database(p)
	if err != nil {
		return nil, err
	}
	r.shared = catalog.Shared(db)
	if r.store, err = catalog.Open(ctx, catalog.Config{DB: db, Log: op.log, Serves: true, Connections: set.Connections}); err != nil {
		return nil, err
	}
	if _, err = r.store.EnsureUser(ctx, accountName()); err != nil {
		return nil, fmt.Errorf("make the first user: %w", err)
	}
	roots, err := set.roots()
	if err != nil {
		return nil, err
	}
	r.scanner = scan.New(r.store, roots, p.scanLock(r.store, func() { op.log.Info("another scan is running; the next one begins when it has ended") }), op.log)
	pictures, err := art.Open(p.file(coversDir), coverQuota, r.scanner.FindPicture)
	if err != nil {
		return nil, err
	}
	r.server, err = cataloghttp.New(ctx, cataloghttp.Config{
		Catalog: r.store, BaseURL: set.PublicURL, Hosts: set.names(r.listener.Addr()), Version: op.version,
		Rate: set.RateLimit, Burst: int(burstFactor * set.RateLimit),
		OpenFile: r.openFile, Picture: pictures.Get, Scan: r.progress, Ready: op.ready,
		Metrics: op.registry, Log: op.log, Audit: record,
	})
	measureScans(op.registry, r.scanner)
	measurePools(op.registry, r.store)
	return r, err
}

// coverQuota is how much room scaled covers may take on disk.
const coverQuota = 512 << 20

// burstFactor is how many seconds' worth of requests a key may send at once.
const burstFactor = 4

// roots are the music folders, or the music that is built in.
func (s catalogSettings) roots() ([]scan.Root, error) {
	if len(s.Music) == 0 {
		return []scan.Root{builtIn()}, nil
	}
	var roots []scan.Root
	for _, dir := range s.Music {
		root, err := scan.Folder(dir)
		if err != nil {
			return nil, usage("--music %s: %v", dir, err)
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// builtIn is the demo library.
func builtIn() scan.Root { return scan.Embedded("demo", demo.FS()) }

// accountName is what to call the first user.
func accountName() string {
	if u, err := user.Current(); err == nil {
		if name, _, _ := strings.Cut(u.Name, ","); strings.TrimSpace(name) != "" {
			return strings.TrimSpace(name)
		}
		if u.Username != "" {
			return u.Username
		}
	}
	return "listener"
}

func (r *catalogRole) openFile(_ context.Context, ref catalog.FileRef) (io.ReadSeekCloser, time.Time, error) {
	t, err := r.scanner.OpenFile(ref)
	if err != nil {
		return nil, time.Time{}, err
	}
	return t.ReadSeekCloser, t.ModTime, nil // as the file itself, which the system can send without our memory
}

// progress is how far the scan is, as the API shows it.
func (r *catalogRole) progress() catalogapi.Scan {
	p := r.scanner.Progress()
	out := catalogapi.Scan{
		Running: p.Running(), FilesFound: int(p.Total), FilesDone: int(p.Done), Problems: int(p.Problems),
		SongsAdded: int(p.Added), SongsChanged: int(p.Changed), SongsLost: int(p.Lost),
	}
	if !p.Started.IsZero() {
		at := timestamp.At(p.Started)
		out.StartedAt = &at
	}
	if !p.Finished.IsZero() {
		at := timestamp.At(p.Finished)
		out.FinishedAt = &at
	}
	if p.Running() && p.ETA > 0 {
		left := p.ETA.Seconds()
		out.SecondsLeft = &left
	}
	return out
}

// url is where this machine reaches the catalog.
func (r *catalogRole) url() string { return "http://" + reachable(r.listener) }

// run scans and serves until ctx is done.
func (r *catalogRole) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	public := r.server
	if r.op.listener != nil {
		public = http.HandlerFunc(r.withoutMetrics)
	}
	g.Go(func() error { // one server of many looks after the folders that all share
		r.tellUnnamed(ctx, "the catalog has songs of a folder that this server does not name, so it cannot play them; name the same folders on all servers")
		return r.store.Lead(ctx, func(ctx context.Context) error {
			r.tellUnnamed(ctx, "this server looks after the music folders now, but not after this one; its songs stay as they are: name it here, or give it up with “waxwing scan --forget”")
			return r.scanner.Run(ctx, scan.Schedule{Every: r.set.ScanEvery, Watch: true, Forget: r.forgets})
		})
	})
	g.Go(func() error { return httpkit.Serve(ctx, r.listener, httpkit.Farewell(r.op.leaving, public), r.log) })
	return g.Wait()
}

// forgets decides about a folder that this server does not name: whether its songs are gone. Over a database of its own
// they are: the folder was named before and is not any more. Where servers share one, another of them may name it, and
// one that was told of the wrong folders must not empty the catalog of all; there only the demo library gives way.
func (r *catalogRole) forgets(root string) bool { return !r.shared || root == builtIn().Name() }

// tellUnnamed warns of every folder that other servers look after and this one does not.
func (r *catalogRole) tellUnnamed(ctx context.Context, sentence string) {
	names, err := r.scanner.Unnamed(ctx)
	if err != nil {
		r.log.Debug("cannot ask which folders the catalog has songs of", "err", err)
	}
	for _, name := range names {
		if !r.forgets(name) {
			r.log.Warn(sentence, "folder", name)
		}
	}
}

// withoutMetrics leaves to the operator's own listener what is meant for the operator alone.
func (r *catalogRole) withoutMetrics(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/metrics" {
		r.nothing(w, req)
		return
	}
	r.server.ServeHTTP(w, req)
}

// nothing answers as the server does for a path that it does not have.
func (r *catalogRole) nothing(w http.ResponseWriter, req *http.Request) {
	elsewhere := req.Clone(req.Context())
	elsewhere.URL.Path = "/nothing"
	r.server.ServeHTTP(w, elsewhere)
}

func (r *catalogRole) close() {
	if r.store != nil {
		if err := r.store.Close(); err != nil {
			r.log.Warn("the catalog did not close cleanly", "err", err)
		}
	}
	if r.listener != nil {
		_ = r.listener.Close() // closed already after a run
	}
	r.unlock()
}

// playerKey returns the key by which a player of this data folder reaches the
// catalog; it is made when there is none, or when the one there opens less than everything.
// It may make other keys, so that the web player can do it for the owner.
func (r *catalogRole) playerKey(ctx context.Context, file string) (string, error) {
	kept, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the player's key: %w", err)
	}
	secret := strings.TrimSpace(string(kept))
	if secret != "" {
		key, err := r.store.KeyByHash(ctx, access.HashOf(secret).String())
		if kind, _ := fault.Of(err); err != nil && kind != fault.NotFound && kind != fault.Unauthenticated {
			return "", err
		}
		if err == nil && slices.Equal(key.Permissions, playerPermissions()) {
			return secret, nil
		}
		if err == nil {
			if err := r.store.RevokeKey(ctx, key.ID); err != nil {
				return "", fmt.Errorf("end the player's old key: %w", err)
			}
		}
	}
	secret, hash := access.Mint(access.KeyPrefix)
	made, err := r.store.CreateKey(ctx, catalog.NewKey{Name: "player", Hash: hash.String(), Permissions: playerPermissions(), Rate: playerRate, Burst: burstFactor * playerRate})
	if err != nil {
		return "", fmt.Errorf("make the player's key: %w", err)
	}
	r.audit.Record(audit.Entry{Server: "catalog", Decision: audit.Allowed, Event: audit.KeyCreated, Subject: made.ID, SubjectName: made.Name})
	if err := statefile.Write(file, []byte(secret+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the player's key: %w", err)
	}
	return secret, nil
}

func playerPermissions() []string { return (access.Read | access.Write | access.Keys).Words() }

// playerRate is how many requests a second the built-in player may make: all
// that its widgets and the web player ask for goes through its one key.
const playerRate = 1000
