// Package catalog keeps songs, albums, artists, playlists, users, plays and keys in a database:
// SQLite inside the process or PostgreSQL beside it. Each noun has its SQL in its own file, and
// every statement is one text for both engines; what differs is in dialect.go and migrations/.
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

// Store is an open catalog. All methods may be called by many goroutines at once.
type Store struct {
	log   *slog.Logger
	d     dialect
	file  string  // or URL
	write *sql.DB // one connection, so that writers queue here and not in the engine
	read  *sql.DB
	often querier // read, for the queries that most requests are made of
	now   func() time.Time

	view    atomic.Pointer[View]
	marks   *bookmarks
	gone    goneSongs
	keys    knownKeys
	search  *searcher
	scanned pendingBump
	fresh   *freshness
	plays   *playQueue

	peers   *peers
	serves  bool
	stirred chan struct{} // holds one word: something may have changed
	hears   atomic.Bool   // whether changes of other processes are told to us

	stop context.CancelFunc
	done sync.WaitGroup
}

// Config says where a catalog is and how to open it.
type Config struct {
	// DB is a file path for SQLite, or a postgres:// URL.
	DB  string
	Log *slog.Logger
	// BackupDir receives a copy of a SQLite catalog before a migration changes it.
	// Empty: the folder of the database.
	BackupDir string
	// Now is the clock; nil: the system's.
	Now func() time.Time
	// Serves marks a server, as opposed to a command that works on the catalog for a moment: it
	// counts when servers share the rates of keys, and its statements are bounded in time.
	Serves bool
	// Connections bounds how many are open to PostgreSQL at once, besides the three of a server
	// that listen and lock. 0: some for each processor.
	Connections int

	unfinished bool // whether a half-moved catalog may be opened
}

// Open opens the catalog, brings its schema up to date and begins to follow its revision.
// A catalog written by a newer release is refused with a sentence that says so.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	d, err := dialectOf(cfg.DB)
	if err != nil {
		return nil, err
	}
	s := &Store{log: cfg.Log, d: d, file: cfg.DB, now: cfg.Now, marks: newBookmarks(), search: newSearcher(),
		fresh: newFreshness(), plays: newPlayQueue(), peers: newPeers(), serves: cfg.Serves, stirred: make(chan struct{}, 1)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	where := cfg.DB
	if cfg.Serves {
		where = d.bound(where)
	}
	if s.write, s.read, err = d.open(where); err != nil {
		return nil, fmt.Errorf("open the catalog: %w", err)
	}
	s.often = s.read // the driver of PostgreSQL keeps statements itself
	if s.write != s.read {
		s.often = newPrepared(s.read)
	}
	if cfg.Connections > 0 && d.limited {
		limitConnections(s.read, max(1, cfg.Connections-1))
	}
	if err := s.prepare(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.closePools())
	}
	follow, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() { s.follow(follow) })
	s.done.Go(func() { s.d.follow(s, follow) })
	return s, nil
}

func (s *Store) prepare(ctx context.Context, cfg Config) error {
	if err := s.migrate(ctx, cfg); err != nil {
		return err
	}
	if !cfg.unfinished {
		if err := s.refuseUnfinished(ctx); err != nil {
			return err
		}
	}
	if err := s.ensureSettings(ctx); err != nil {
		return err
	}
	if err := s.refold(ctx); err != nil {
		return err
	}
	return s.reload(ctx)
}

// Close ends the following of the revision and closes all connections.
func (s *Store) Close() error {
	s.stop()
	s.done.Wait()
	s.keys.close()
	return s.closePools()
}

func (s *Store) closePools() error {
	err := s.read.Close()
	if s.write != s.read {
		if werr := s.write.Close(); err == nil {
			err = werr
		}
	}
	return err
}

// Ping tells whether the database answers in time; its error is an Unavailable fault.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.d.patience)
	defer cancel()
	var one int
	return s.d.explain(s.read.QueryRowContext(ctx, `SELECT 1`).Scan(&one))
}

// Stats is how well this process follows the others over the same catalog.
type Stats struct {
	Hears   bool          // changes of other processes are told to us; otherwise they are looked for
	Servers int           // over this catalog, this one included
	ViewAge time.Duration // since the view was last known to be the newest
}

// Stats returns the figures of this moment.
func (s *Store) Stats() Stats {
	return Stats{Hears: s.hears.Load(), Servers: s.Servers(), ViewAge: s.fresh.age()}
}

// Engine names the database for people: "SQLite 3.54.1".
func (s *Store) Engine(ctx context.Context) (string, error) {
	var version string
	err := s.read.QueryRowContext(ctx, s.d.versionSQL).Scan(&version)
	return s.d.title + " " + version, s.d.explain(err)
}

// tx is a running change. Methods of the nouns that write take one.
type tx struct {
	*sql.Tx
	d      dialect
	conn   *sql.Conn // the same connection, for what the driver alone can do
	now    int64     // milliseconds, the same for the whole change
	bump   map[counter]int64
	by     string // who changes, for other servers
	staged int    // tables that hold rows on their way
	quiet  bool   // nothing changed that a reader can see
}

// counts adds n to a counter when the change commits.
func (t *tx) counts(c counter, n int64) { t.bump[c] += n }

// durability says whether a change must have reached the disk when it is acknowledged.
type durability bool

const (
	durable  durability = true  // what a person did: an acknowledged write survives a power cut
	repeated durability = false // what the next scan would find again
)

// change runs f in one transaction and publishes what it changed. f may run again when the
// database broke a tie between two writers, so it must not touch anything but its transaction.
func (s *Store) change(ctx context.Context, keep durability, f func(*tx) error) error {
	const attempts = 4
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	for i := 1; ; i++ {
		err := s.changeOnce(ctx, keep, f)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil { // the driver speaks of an ended transaction, not of why it ended
			return s.d.explain(errors.Join(ctx.Err(), err))
		}
		if i == attempts || !s.d.tied(err) {
			return s.d.explain(err)
		}
	}
}

// errTied is what a change returns that another server's change came before: it must run again.
var errTied = errors.New("another change came first")

// changeTime bounds a change, so that a database that has fallen silent holds nobody up for ever.
const changeTime = time.Minute

func (s *Store) changeOnce(ctx context.Context, keep durability, f func(*tx) error) (err error) {
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
		if errors.Is(err, driver.ErrBadConn) { // it died while it waited for work; another may live
			err = errors.Join(errTied, err)
		}
		return fmt.Errorf("begin a change: %w", err)
	}
	defer func() {
		if err != nil {
			_ = begun.Rollback() // the first error is the one that counts
		}
	}()
	t := &tx{Tx: begun, d: s.d, conn: conn, now: s.now().UnixMilli(), by: s.peers.me, bump: make(map[counter]int64)}
	if err := f(t); err != nil {
		return err
	}
	raise := !t.quiet && s.scanned.due(keep)
	if raise {
		t.counts(revision, 1)
	}
	if err := t.writeCounters(ctx); err != nil {
		return err
	}
	if err := begun.Commit(); err != nil {
		return fmt.Errorf("commit a change: %w", err)
	}
	if !t.quiet {
		s.scanned.committed(raise)
	}
	if !raise {
		if !t.quiet {
			s.stir() // follow raises it when it is time
		}
		return nil
	}
	if err := s.reload(ctx); err != nil { // the change itself stands
		s.stir()
		s.log.DebugContext(ctx, "the catalog's revision cannot be read", "err", err)
	}
	return nil
}

// notFound is what every look-up of an unknown id answers.
func notFound(noun, id string) error {
	return fault.New(fault.NotFound, "there is no %s %q", noun, words.Clip(id, 64))
}
