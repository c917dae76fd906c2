package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// useExchange is how often busy servers tell one another how much is asked of them.
const useExchange = time.Second

// peers are the servers over one database. They share the rate of each key: every second each of
// them says by NOTIFY what was asked of it under which key, and takes the part of the key's rate that
// is fair given what the others said. No request waits for this, nothing is written down, and what a
// server that died had taken falls to the others after forgetUse.
type peers struct {
	me      string // "r:" and a random name
	servers atomic.Int64

	mu        sync.Mutex
	asked     map[string]*use // by the id of a key
	elsewhere map[string]map[string]said
	exchanged time.Time
	newcomer  bool // a server came: they must be counted again
}

// use is what was asked of this server under a key.
type use struct {
	requests int     // since the last exchange
	rate     float64 // a second, in the last exchange
	limit    float64 // of the key, over all servers
}

// said is what another server told of a key.
type said struct {
	Rate float64
	at   time.Time
}

const (
	forgetUse = 3 * useExchange
	// smallUse is the part of its even share that a server may use without a word: it keeps the
	// messages few, and bounds by how much the servers together may miss the limit.
	smallUse = 0.1
)

const (
	sayChange = "r:" // by whom: the revision grew
	sayUse    = "u:" // a usage
	sayHello  = "s:" // a server came
)

type usage struct {
	By   string             `json:"by"`
	Keys map[string]float64 `json:"keys"`
}

func newPeers() *peers {
	p := &peers{me: sayChange + drawn(8), asked: make(map[string]*use), elsewhere: make(map[string]map[string]said)}
	p.servers.Store(1)
	return p
}

// join makes a server known to the others, for as long as its session lasts.
func (p *peers) join(ctx context.Context, session *pgx.Conn) error {
	if _, err := session.Exec(ctx, `SELECT pg_advisory_lock_shared($1, $2)`, lockSpace, int32(serving)); err != nil {
		return fmt.Errorf("join the other servers: %w", err)
	}
	var n int64
	if err := session.QueryRow(ctx, countServers, int64(lockSpace), int64(serving)).Scan(&n); err != nil {
		return fmt.Errorf("count the servers: %w", err)
	}
	p.servers.Store(max(1, n))
	_, err := session.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, sayHello)
	return err
}

const countServers = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1 AND objid::bigint = $2
	AND objsubid = 2 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// Servers is how many servers there are over this catalog, this one included, as far as it knows.
func (s *Store) Servers() int { return int(s.peers.servers.Load()) }

// RateShare counts a request under a key and returns how many requests a second this server may allow it
// now, of the key's rate over all servers.
func (s *Store) RateShare(key string, rate float64) float64 {
	n := s.peers.servers.Load()
	if n <= 1 {
		return rate
	}
	return s.peers.rateShare(key, rate, n, time.Now(), s.stir)
}

func (p *peers) rateShare(key string, rate float64, servers int64, now time.Time, stir func()) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := p.asked[key]
	if mine == nil {
		mine = &use{}
		p.asked[key] = mine
	}
	mine.requests++
	mine.limit = rate
	if now.Sub(p.exchanged) >= useExchange {
		stir()
	}
	return p.share(key, mine.rate, rate, float64(servers), now)
}

// share is max-min fair: nobody gets more than was asked of it while another lacks something, and
// what nobody asks for is spare for all. The mutex is held.
func (p *peers) share(key string, mine, rate, servers float64, now time.Time) float64 {
	even := rate / servers
	if mine == 0 { // not yet known to the others
		return even
	}
	demands := []float64{mine}
	for _, other := range p.elsewhere[key] {
		if now.Sub(other.at) < forgetUse {
			demands = append(demands, other.Rate)
		}
	}
	level := waterLevel(demands, rate)
	total := 0.0
	for _, d := range demands {
		total += min(d, level)
	}
	spare := (rate - total) / float64(len(demands))
	return max(min(mine, level)+spare, smallUse*even)
}

// waterLevel is the height up to which demands are met when they share an amount.
func waterLevel(demands []float64, amount float64) float64 {
	left := amount
	for i, d := range slices.Sorted(slices.Values(demands)) {
		even := left / float64(len(demands)-i)
		if d >= even {
			return even
		}
		left -= d
	}
	return amount
}

// busy reports whether there is something to tell.
func (p *peers) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.servers.Load() > 1 && len(p.asked) > 0
}

// exchange counts the servers and tells them what was asked of this one, at most once in useExchange.
func (p *peers) exchange(ctx context.Context, s *Store) error {
	if !s.serves || s.d.announce == nil || !p.due(time.Now()) {
		return nil
	}
	var n int64
	if err := s.read.QueryRowContext(ctx, countServers, int64(lockSpace), int64(serving)).Scan(&n); err != nil {
		return fmt.Errorf("count the servers: %w", err)
	}
	p.servers.Store(max(1, n))
	for _, message := range p.report(time.Now()) {
		if _, err := s.read.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, message); err != nil {
			return fmt.Errorf("tell of the use of keys: %w", err)
		}
	}
	return nil
}

func (p *peers) due(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newcomer || now.Sub(p.exchanged) >= useExchange
}

// report ends an exchange: what was asked in it becomes this server's demand. It returns the
// messages to send.
func (p *peers) report(now time.Time) (messages []string) {
	const keysAtOnce = 100 // a message may have 8,000 bytes
	p.mu.Lock()
	defer p.mu.Unlock()
	took := now.Sub(p.exchanged)
	p.newcomer = false
	if took < useExchange {
		return nil
	}
	p.exchanged = now
	p.forget(now)
	if took > 2*useExchange { // nothing was asked for a while: the time before says nothing about now
		for _, mine := range p.asked {
			mine.requests = 0
		}
		return nil
	}
	told := usage{By: p.me, Keys: make(map[string]float64)}
	flush := func() {
		if len(told.Keys) == 0 {
			return
		}
		if text, err := json.Marshal(told); err == nil { // numbers and ids always can be
			messages = append(messages, sayUse+string(text))
		}
		told.Keys = make(map[string]float64)
	}
	for key, mine := range p.asked {
		mine.rate = float64(mine.requests) / took.Seconds()
		mine.requests = 0
		if mine.rate == 0 {
			delete(p.asked, key)
		}
		if mine.rate <= smallUse*mine.limit/float64(p.servers.Load()) {
			continue
		}
		told.Keys[key] = mine.rate
		if len(told.Keys) == keysAtOnce {
			flush()
		}
	}
	flush()
	return messages
}

// forget drops what other servers said too long ago. The mutex is held.
func (p *peers) forget(now time.Time) {
	for key, others := range p.elsewhere {
		maps.DeleteFunc(others, func(_ string, o said) bool { return now.Sub(o.at) >= forgetUse })
		if len(others) == 0 {
			delete(p.elsewhere, key)
		}
	}
}

// hear takes what another server said about itself, and reports whether it was that.
func (p *peers) hear(payload string) bool {
	if payload == sayHello {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.newcomer = true
		return false // the look that follows counts
	}
	text, about := strings.CutPrefix(payload, sayUse)
	if !about {
		return false
	}
	var told usage
	if json.Unmarshal([]byte(text), &told) != nil || told.By == p.me {
		return true // of another release, or our own
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for key, rate := range told.Keys {
		if p.elsewhere[key] == nil {
			p.elsewhere[key] = make(map[string]said)
		}
		p.elsewhere[key][told.By] = said{rate, now}
	}
	return true
}
