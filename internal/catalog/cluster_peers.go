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

// useExchange is how often busy servers report their request rates to each other.
const useExchange = time.Second

// peers are the servers of one database. They share the rate limit of each key: every second each
// server reports its request rate per key by NOTIFY and computes its fair share from the reports of
// the others. No request waits for this; the share of a dead server is freed after forgetUse.
type peers struct {
	me      string // "r:" and a random name
	servers atomic.Int64

	mu        sync.Mutex
	demand    map[string]*use                 // by key id
	reports   map[string]map[string]keyReport // by key id and server
	exchanged time.Time
	joined    bool // a server has joined: count again
}

// use is the demand on this server under a key.
type use struct {
	requests int     // since the last exchange
	rate     float64 // a second, in the last exchange
	limit    float64 // of the key, over all servers
}

// keyReport is the last report of another server about a key.
type keyReport struct {
	Rate float64
	at   time.Time
}

const (
	forgetUse = 3 * useExchange
	// smallUse is the part of its even share that a server may use without a report. It limits the
	// number of messages and the error of the shared limit.
	smallUse = 0.1
)

const (
	notifyChange = "r:" // the sender raised the revision
	notifyUse    = "u:" // a usage
	notifyJoin   = "s:" // a server came
)

type usage struct {
	By   string             `json:"by"`
	Keys map[string]float64 `json:"keys"`
}

func newPeers() *peers {
	p := &peers{
		me: notifyChange + randomHex(8), demand: make(map[string]*use), reports: make(map[string]map[string]keyReport),
	}
	p.servers.Store(1)
	return p
}

// join registers this server with the others for the lifetime of the session.
func (p *peers) join(ctx context.Context, session *pgx.Conn) error {
	if _, err := session.Exec(ctx, `SELECT pg_advisory_lock_shared($1, $2)`, lockSpace, int32(serving)); err != nil {
		return fmt.Errorf("join the other servers: %w", err)
	}
	var n int64
	if err := session.QueryRow(ctx, countServers, int64(lockSpace), int64(serving)).Scan(&n); err != nil {
		return fmt.Errorf("count the servers: %w", err)
	}
	p.servers.Store(max(1, n))
	_, err := session.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, notifyJoin)
	return err
}

const countServers = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1
	AND objid::bigint = $2
	AND objsubid = 2 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// Servers returns the number of servers of this catalog, this one included.
func (s *Store) Servers() int { return int(s.peers.servers.Load()) }

// RateShare counts a request under a key and returns this server's share of the key's rate limit,
// in requests per second.
func (s *Store) RateShare(key string, rate float64) float64 {
	n := s.peers.servers.Load()
	if n <= 1 {
		return rate
	}
	return s.peers.rateShare(key, rate, n, time.Now(), s.requestPoll)
}

func (p *peers) rateShare(key string, rate float64, servers int64, now time.Time, requestPoll func()) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := p.demand[key]
	if mine == nil {
		mine = &use{}
		p.demand[key] = mine
	}
	mine.requests++
	mine.limit = rate
	if now.Sub(p.exchanged) >= useExchange {
		requestPoll()
	}
	return p.share(key, mine.rate, rate, float64(servers), now)
}

// share is max-min fair: no server gets more than its demand while another has too little, and the
// rest is divided evenly. The mutex is held.
func (p *peers) share(key string, mine, rate, servers float64, now time.Time) float64 {
	even := rate / servers
	if mine == 0 { // not reported yet
		return even
	}
	demands := []float64{mine}
	for _, other := range p.reports[key] {
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

// waterLevel is the limit per demand with which demands share an amount max-min fairly.
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

// busy reports whether there is demand to report.
func (p *peers) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.servers.Load() > 1 && len(p.demand) > 0
}

// exchange counts the servers and reports the demand on this one, at most once per useExchange.
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
			return fmt.Errorf("report the use of keys: %w", err)
		}
	}
	return nil
}

func (p *peers) due(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.joined || now.Sub(p.exchanged) >= useExchange
}

// report ends an interval: its requests become this server's demand. It returns the messages to
// send.
func (p *peers) report(now time.Time) (messages []string) {
	const keysAtOnce = 100 // a notification has at most 8,000 bytes
	p.mu.Lock()
	defer p.mu.Unlock()
	took := now.Sub(p.exchanged)
	p.joined = false
	if took < useExchange {
		return nil
	}
	p.exchanged = now
	p.forget(now)
	if took > 2*useExchange { // the server was idle: an average over that time is misleading
		for _, mine := range p.demand {
			mine.requests = 0
		}
		return nil
	}
	sent := usage{By: p.me, Keys: make(map[string]float64)}
	flush := func() {
		if len(sent.Keys) == 0 {
			return
		}
		if text, err := json.Marshal(sent); err == nil { // numbers and ids never fail
			messages = append(messages, notifyUse+string(text))
		}
		sent.Keys = make(map[string]float64)
	}
	for key, mine := range p.demand {
		mine.rate = float64(mine.requests) / took.Seconds()
		mine.requests = 0
		if mine.rate == 0 {
			delete(p.demand, key)
		}
		if mine.rate <= smallUse*mine.limit/float64(p.servers.Load()) {
			continue
		}
		sent.Keys[key] = mine.rate
		if len(sent.Keys) == keysAtOnce {
			flush()
		}
	}
	flush()
	return messages
}

// forget drops outdated reports. The mutex is held.
func (p *peers) forget(now time.Time) {
	for key, others := range p.reports {
		maps.DeleteFunc(others, func(_ string, o keyReport) bool { return now.Sub(o.at) >= forgetUse })
		if len(others) == 0 {
			delete(p.reports, key)
		}
	}
}

// receive handles a message of another server. It returns false if follow must poll.
func (p *peers) receive(payload string) bool {
	if payload == notifyJoin {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.joined = true
		return false // the poll counts the servers
	}
	text, isUse := strings.CutPrefix(payload, notifyUse)
	if !isUse {
		return false
	}
	var received usage
	if json.Unmarshal([]byte(text), &received) != nil || received.By == p.me {
		return true // from another release, or from this server
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for key, rate := range received.Keys {
		if p.reports[key] == nil {
			p.reports[key] = make(map[string]keyReport)
		}
		p.reports[key][received.By] = keyReport{rate, now}
	}
	return true
}
