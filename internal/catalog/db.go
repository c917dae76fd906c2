// Package catalog stores songs, albums, artists, playlists, users, plays and API keys in SQLite or
// PostgreSQL. The SQL of each noun is in its own files, and every statement runs on both engines;
// the differences are in dialect.go and migrations/.
package catalog

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// Store is an open catalog. All methods are safe for concurrent use.
type Store struct {
	*shared
	*source
	pin *pin // of a store that reads from a replica, for one request; nil: the primary
}

// shared is what does not depend on where rows are read from.
type shared struct {
	log     *slog.Logger
	d       dialect
	file    string  // or URL
	write   *sql.DB // one connection, so that writers queue here and not in the engine
	writers writerQueue
	now     func() time.Time

	view      atomic.Pointer[View]
	derived   atomic.Bool // see isDerived
	keys      knownKeys
	search    *searcher
	scanned   pendingBump
	staleness *staleness
	plays     *playQueue
	newPlays  *newPlays
	retired   func(hash string)

	replicas     replicas
	peers        *peers
	serves       bool
	pollRequests chan struct{} // capacity 1
	listens      atomic.Bool   // changes of other processes are reported to this one

	stop context.CancelFunc
	done sync.WaitGroup
}

// source is a database from which rows are read, and what was found in them. A replica may be older
// than another database, so that numbers of rows of one are not looked up in another.
type source struct {
	read        *sql.DB
	prepared    querier // read, for the most frequent queries
	bookmarks   *bookmarks
	orders      *orders
	smart       smartCounts
	years       knownYears
	genres      knownGenres
	unavailable unavailableSongs
}

func newSource(read *sql.DB, prepared querier) *source {
	return &source{read: read, prepared: prepared, bookmarks: newBookmarks(), orders: newOrders()}
}

// Config configures Open.
type Config struct {
	// DB is a file path for SQLite, or a postgres:// URL.
	DB  string
	Log *slog.Logger
	// BackupDir receives a copy of a SQLite catalog before a migration; empty: the folder of the
	// database.
	BackupDir string
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Serves distinguishes a server from a command: servers share the rate limits of keys, and their
	// statements have timeouts.
	Serves bool
	// Connections limits the connections to PostgreSQL, not counting the three that a server uses to
	// listen and lock; 0: four per processor, at least eight.
	Connections int
	// Replicas are the URLs of read-only copies of DB. A server reads from those that are current.
	Replicas []string
	// Retired, if not nil, is called with the hash of a secret that was revoked or replaced.
	Retired func(hash string)

	unfinished bool // open a catalog even if a move into it did not finish
}

// Open opens the catalog, migrates its schema and starts to follow its revision. A catalog that
// needs a newer release is a Conflict fault.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	d, err := dialectOf(cfg.DB)
	if err != nil {
		return nil, err
	}
	s := &Store{shared: &shared{
		log: cfg.Log, d: d, file: cfg.DB, now: cfg.Now, search: newSearcher(),
		staleness: newStaleness(), plays: newPlayQueue(), newPlays: newNewPlays(), peers: newPeers(), serves: cfg.Serves,
		pollRequests: make(chan struct{}, 1), retired: cfg.Retired,
	}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	dsn := cfg.DB
	if cfg.Serves {
		dsn = d.withTimeouts(dsn)
	}
	write, read, err := d.open(dsn)
	if err != nil {
		return nil, fmt.Errorf("open the catalog: %w", err)
	}
	s.write, s.source = write, newSource(read, newPrepared(read))
	if cfg.Connections > 0 && d.limited {
		limitConnections(read, max(1, cfg.Connections-1))
	}
	if err := s.openReplicas(cfg); err != nil {
		return nil, errors.Join(err, s.closePools())
	}
	if err := s.initialize(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.closePools())
	}
	follow, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() { s.follow(follow) })
	s.done.Go(func() { s.d.follow(s, follow) })
	for _, r := range s.replicas.all {
		s.done.Go(func() { r.watch(follow, s) })
	}
	if s.serves {
		s.done.Go(func() {
			s.deriveInBackground(follow)
			s.warm(follow)
		})
	}
	return s, nil
}

func (s *Store) initialize(ctx context.Context, cfg Config) error {
	if err := s.migrate(ctx, cfg); err != nil {
		return err
	}
	if !cfg.unfinished {
		if err := s.rejectUnfinished(ctx); err != nil {
			return err
		}
	}
	if err := s.ensureSettings(ctx); err != nil {
		return err
	}
	if err := s.refold(ctx); err != nil {
		return err
	}
	if err := s.reload(ctx); err != nil {
		return err
	}
	return s.checkDerived(ctx)
}

// Close stops following the revision and closes all connections.
func (s *Store) Close() error {
	s.stop()
	s.done.Wait()
	s.keys.close()
	return s.closePools()
}

func (s *Store) closePools() error {
	err := errors.Join(s.read.Close(), s.write.Close())
	for _, r := range s.replicas.all {
		err = errors.Join(err, r.source.read.Close())
	}
	return err
}

// Ping checks that the database responds in time; its error is an Unavailable fault.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.d.timeout)
	defer cancel()
	var one int
	return s.d.explain(s.read.QueryRowContext(ctx, `SELECT 1`).Scan(&one))
}

// Stats describes how closely this process follows other processes with the same catalog.
type Stats struct {
	Listens bool          // changes of other processes are reported; otherwise they are polled for
	Servers int           // with this catalog, this one included
	ViewAge time.Duration // since the view was last confirmed
}

// Stats returns current figures.
func (s *Store) Stats() Stats {
	return Stats{Listens: s.listens.Load(), Servers: s.Servers(), ViewAge: s.staleness.age()}
}

// Engine returns the name and version of the database engine: "SQLite 3.54.1".
func (s *Store) Engine(ctx context.Context) (string, error) {
	var version string
	err := s.read.QueryRowContext(ctx, s.d.versionSQL).Scan(&version)
	return s.d.title + " " + version, s.d.explain(err)
}

// tx is a running change.
type tx struct {
	*sql.Tx
	d            dialect
	conn         *sql.Conn // of Tx, for features of the driver
	now          int64     // milliseconds, constant during the change
	bump         map[counter]int64
	sender       string         // identifies this process to other servers
	stagedTables int            // temporary tables of COPY
	invisible    bool           // readers see no difference
	listeners    map[int64]bool // users whose likes, ratings or plays change
}

// addCount adds n to a counter when the change commits.
func (t *tx) addCount(c counter, n int64) { t.bump[c] += n }

// durability is whether a change must be on the disk before it is acknowledged.
type durability bool

const (
	durable  durability = true  // an acknowledged change survives a power cut
	repeated durability = false // the next scan would write it again
)

// change runs f in one transaction and publishes the new revision. f runs again after a conflict
// with another writer, so it must have no effect outside its transaction.
func (s *Store) change(ctx context.Context, keep durability, f func(*tx) error) error {
	return s.changeBy(ctx, ordinary, keep, f)
}

// changeUrgently is change for credentials: it does not wait for the changes that wait already.
func (s *Store) changeUrgently(ctx context.Context, f func(*tx) error) error {
	return s.changeBy(ctx, urgent, durable, f)
}

func (s *Store) changeBy(ctx context.Context, kind urgency, keep durability, f func(*tx) error) error {
	const attempts = 4
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	for i := 1; ; i++ {
		err := s.changeOnce(ctx, kind, keep, f)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil { // the driver reports a closed transaction instead
			return s.d.explain(errors.Join(ctx.Err(), err))
		}
		if i == attempts || !s.d.isConflict(err) {
			return s.d.explain(err)
		}
	}
}

// errConflict makes a change run again after a concurrent change of another server.
var errConflict = errors.New("conflict with a concurrent change")

// changeTime limits a change, so that an unresponsive database does not block callers for ever.
const changeTime = time.Minute

func (s *Store) changeOnce(ctx context.Context, kind urgency, keep durability, f func(*tx) error) (err error) {
	if err := s.writers.enter(ctx, kind); err != nil {
		return fmt.Errorf("wait for the writer: %w", err)
	}
	defer s.writers.leave()
	if kind == urgent {
		defer s.d.claimWriter(s.file)()
	} else {
		s.d.yieldWriter(ctx, s.file)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("wait for the writer: %w", err)
	}
	defer conn.Close()
	if keep == repeated {
		restore, err := s.d.relax(ctx, conn)
		if err != nil {
			return err
		}
		defer restore()
	}
	begun, err := conn.BeginTx(ctx, nil)
	if err != nil {
		if errors.Is(err, driver.ErrBadConn) { // an idle connection was closed; another may work
			err = errors.Join(errConflict, err)
		}
		return fmt.Errorf("begin a change: %w", err)
	}
	defer func() {
		if err != nil {
			_ = begun.Rollback() // err is the cause
		}
	}()
	t := &tx{Tx: begun, d: s.d, conn: conn, now: s.now().UnixMilli(), sender: s.peers.me, bump: make(map[counter]int64)}
	if err := f(t); err != nil {
		return err
	}
	if t.invisible && len(t.listeners) > 0 {
		shown, err := t.showsPersonal(ctx)
		if err != nil {
			return err
		}
		t.invisible = !shown
	}
	raise := !t.invisible && s.scanned.due(keep)
	if raise {
		t.addCount(revision, 1)
	}
	if err := t.writeCounters(ctx); err != nil {
		return err
	}
	if err := begun.Commit(); err != nil {
		return fmt.Errorf("commit a change: %w", err)
	}
	if !t.invisible {
		s.scanned.committed(raise)
	}
	if !raise && !t.invisible {
		s.requestPoll() // follow raises the revision when it is due
	}
	if !raise && len(t.listeners) == 0 {
		return nil
	}
	if err := s.reload(ctx); err != nil { // the change is committed
		s.requestPoll()
		s.log.DebugContext(ctx, "cannot read the catalog's revision", "err", err)
	}
	return nil
}

// notFound is the fault for an unknown id.
func notFound(noun, id string) error {
	return fault.New(fault.NotFound, "there is no %s %q", noun, words.Clip(id, 64))
}
