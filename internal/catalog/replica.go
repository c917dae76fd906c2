package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"

	"waxwing/internal/fault"
)

// replicas are the read-only copies of the primary database.
type replicas struct {
	all []*replica
	// needed is the position of the primary when it was asked for the last time, nil if that failed.
	needed atomic.Pointer[position]
	turn   atomic.Uint64
	reads  atomic.Int64 // by Read, from the primary
}

// position is a place in PostgreSQL's write-ahead log. Positions on different timelines, each of
// which begins with a failover, are not comparable.
type position struct {
	timeline string
	lsn      int64
}

// settingTimeline is the timeline of the primary. A replica that follows another server, for
// instance the former primary after a failover, has an older value.
const settingTimeline = "timeline"

// replica is one of them.
type replica struct {
	name   string // without a password
	source *source
	kick   chan struct{} // capacity 1; wakes watch
	reads  atomic.Int64
	has    atomic.Pointer[replayed] // nil while it cannot be used
	state  atomic.Pointer[string]   // why it cannot be used, nil if it can
}

// replayed is what a replica had when it was asked.
type replayed struct {
	position
	revision, personal int64
}

// covers reports whether a replica has what the primary had at a position, with a view.
func (h *replayed) covers(need *position, view *View) bool {
	return h != nil && need != nil && h.timeline == need.timeline && h.lsn >= need.lsn &&
		h.revision >= view.Revision && h.personal >= view.personal
}

const (
	// replicaTime is how long a request waits for a replica before it asks the primary.
	replicaTime = 2 * time.Second
	// A replica that is behind is asked again after these pauses, which double.
	shortestWait, longestWait = 2 * time.Millisecond, 250 * time.Millisecond
	unreachablePause          = time.Second
	replicaPollTime           = time.Second
)

// openReplicas opens the pools of the configured replicas.
func (s *Store) openReplicas(cfg Config) error {
	if len(cfg.Replicas) > 0 && s.d.goose != goose.DialectPostgres {
		return fault.New(fault.Invalid, "only a PostgreSQL database has replicas; remove --db-read")
	}
	for _, dsn := range cfg.Replicas {
		d, err := dialectOf(dsn)
		if err != nil || d.goose != goose.DialectPostgres {
			return fault.New(fault.Invalid, "a replica must be a PostgreSQL URL: postgres://USER@HOST/NAME")
		}
		if cfg.Serves {
			dsn = d.withTimeouts(dsn)
		}
		parsed, err := postgresConfig(dsn)
		if err != nil {
			return fmt.Errorf("open a replica: %w", err)
		}
		read := openPool(parsed)
		limitConnections(read, cmp.Or(cfg.Connections, postgresConnections()))
		r := &replica{name: replicaName(dsn), source: newSource(read, read), kick: make(chan struct{}, 1)}
		r.unusable("it was not asked yet")
		s.replicas.all = append(s.replicas.all, r)
	}
	return nil
}

// replicaName returns the host of a URL for logs and metrics.
func replicaName(dsn string) string {
	if u, err := url.Parse(dsn); err == nil && u.Host != "" {
		return u.Host
	}
	return RedactDSN(dsn)
}

func (r *replica) unusable(why string) {
	r.has.Store(nil)
	r.state.Store(&why)
}

// notePosition notes what a replica must have to be current: everything that the primary has now.
func (s *Store) notePosition(ctx context.Context) {
	if len(s.replicas.all) == 0 {
		return
	}
	now := &position{}
	var stored sql.NullString
	err := s.read.QueryRowContext(ctx, `SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
		CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS BIGINT),
		(SELECT value FROM settings WHERE name = $1)`, settingTimeline).Scan(&now.timeline, &now.lsn, &stored)
	if err == nil && stored.String != now.timeline {
		_, err = s.read.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, settingTimeline, now.timeline)
	}
	if err != nil { // not a primary, perhaps; then every read goes to it
		s.replicas.needed.Store(nil)
		return
	}
	for {
		known := s.replicas.needed.Load()
		if known != nil && known.timeline == now.timeline && known.lsn >= now.lsn {
			break
		}
		if s.replicas.needed.CompareAndSwap(known, now) {
			break
		}
	}
	for _, r := range s.replicas.all {
		if has := r.has.Load(); has == nil || has.timeline != now.timeline || has.lsn < now.lsn {
			r.wake()
		}
	}
}

func (r *replica) wake() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// watch asks a replica what it has, until ctx is done: when the primary has more, and then until
// the replica has it, too.
func (r *replica) watch(ctx context.Context, s *Store) {
	wait, reported, since := shortestWait, false, time.Now()
	for ctx.Err() == nil {
		has, err := r.ask(ctx)
		pause := s.d.idlePoll
		switch need := s.replicas.needed.Load(); {
		case err != nil:
			r.unusable(err.Error())
			pause = unreachablePause
			r.dropIdle()
		case need == nil:
			r.unusable("the primary database is unavailable")
		case has.timeline != need.timeline:
			r.unusable("it does not follow the primary database")
			pause = unreachablePause
		case has.lsn < need.lsn:
			// It is not used now, but may still have what a request with an older view needs.
			r.has.Store(has)
			why := fmt.Sprintf("it is %d bytes behind", need.lsn-has.lsn)
			r.state.Store(&why)
			pause, wait = wait, min(2*wait, longestWait)
		default:
			r.has.Store(has)
			r.state.Store(nil)
			wait = shortestWait
		}
		why := r.state.Load()
		switch {
		case why == nil && reported:
			s.log.InfoContext(ctx, "a replica of the database is used again", "replica", r.name)
			reported = false
		case why != nil && !reported && time.Since(since) > unreachablePause && ctx.Err() == nil:
			s.log.WarnContext(ctx, "a replica of the database is not used; the primary replies instead",
				"replica", r.name, "why", *why)
			reported = true
		}
		if why == nil {
			since = time.Now()
		}
		r.sleep(ctx, pause, err == nil)
	}
}

// sleep waits for the next poll; early reports whether a kick ends it. Kicks can come with every
// change of the catalog, so that it waits a little in any case.
func (r *replica) sleep(ctx context.Context, pause time.Duration, early bool) {
	time.Sleep(shortestWait)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	kick := r.kick
	if !early {
		kick = nil
	}
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-kick:
	}
}

var errPromoted = errors.New("it is not a replica: it was promoted, or is the primary database itself")

// ask returns what the replica has.
func (r *replica) ask(ctx context.Context) (*replayed, error) {
	ctx, cancel := context.WithTimeout(ctx, replicaPollTime)
	defer cancel()
	var has replayed
	var follows bool
	var timeline sql.NullString
	var lsn sql.NullInt64
	err := r.source.read.QueryRowContext(ctx, `SELECT pg_is_in_recovery(),
		CAST(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') AS BIGINT),
		(SELECT value FROM settings WHERE name = $1),
		(SELECT value FROM counters WHERE name = $2), (SELECT value FROM counters WHERE name = $3)`,
		settingTimeline, string(revision), string(personalVersion),
	).Scan(&follows, &lsn, &timeline, &has.revision, &has.personal)
	switch {
	case err != nil && unreachable(err), errors.Is(err, context.DeadlineExceeded):
		return nil, errors.New("it is unreachable") // the log of the database has the details
	case err != nil:
		return nil, errors.New("it has no catalog")
	case !follows:
		return nil, errPromoted
	}
	has.position = position{timeline.String, lsn.Int64}
	return &has, nil
}

// dropIdle closes idle connections: after one has failed, all may be dead.
func (r *replica) dropIdle() {
	pool := r.source.read
	pool.SetMaxIdleConns(0)
	pool.SetMaxIdleConns(pool.Stats().MaxOpenConnections)
}
