package playerhttp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"
	"net/http"
	"sync"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

const (
	pairTime    = 60 * time.Second
	pairGuesses = 5
)

// pairing holds the pairing request that waits for approval. There is at most one.
type pairing struct {
	mu      sync.Mutex
	waiting *pairRequest
	changed chan struct{} // closed at the next change; nil while nobody watches
}

type pairRequest struct {
	id, code    string
	name        string
	permissions access.Permissions
	lifetime    time.Duration // of the token; 0 means no expiry
	expires     time.Time     // of the request
	wrong       int           // wrong codes so far
	approved    bool
	denied      bool // retained until the next request or its expiry, so that the app learns of it
}

// ended reports whether the request can no longer be approved or claimed.
func (p *pairRequest) ended(now time.Time) bool {
	return p == nil || p.denied || p.wrong >= pairGuesses || !now.Before(p.expires)
}

// watch returns the waiting request, if any, and a channel that is closed at the next change. The
// expiry of a request does not close it: clients know that time.
func (p *pairing) watch(now time.Time) ([]pairRequest, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.listed(now), p.changed
}

// notify wakes the watchers. The lock must be held.
func (p *pairing) notify() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// request starts a pairing request, unless another one waits.
func (p *pairing) request(
	name string, permissions access.Permissions, lifetime time.Duration, now time.Time,
) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waiting.ended(now) {
		return pairRequest{}, fault.New(fault.Conflict, "another app is waiting to be approved; try again in a minute")
	}
	digits, err := rand.Int(rand.Reader, big.NewInt(10_000))
	if err != nil {
		return pairRequest{}, fmt.Errorf("create a code: %w", err)
	}
	p.waiting = &pairRequest{
		id: rand.Text(), code: fmt.Sprintf("%04d", digits), name: name, permissions: permissions,
		lifetime: lifetime, expires: now.Add(pairTime),
	}
	p.notify()
	return *p.waiting, nil
}

// list returns the request that waits for approval, if any.
func (p *pairing) list(now time.Time) []pairRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.listed(now)
}

// listed is list with the lock held.
func (p *pairing) listed(now time.Time) []pairRequest {
	if p.waiting.ended(now) || p.waiting.approved {
		return nil
	}
	return []pairRequest{*p.waiting}
}

// approve approves the request with this code. grant replaces the requested permissions unless it
// is 0. The approver must have all permissions that the app gets.
func (p *pairing) approve(code string, grant, by access.Permissions, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, err := p.find(code, now)
	if err != nil {
		return pairRequest{}, err
	}
	if grant == 0 {
		grant = w.permissions
	}
	if !by.Has(grant) {
		return pairRequest{}, fault.New(fault.Forbidden, "%s would get %s; your token has only %s", w.name, grant, by)
	}
	w.approved, w.permissions = true, grant
	p.notify()
	return *w, nil
}

// deny ends the request with this code. Another app may send a request at once.
func (p *pairing) deny(code string, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, err := p.find(code, now)
	if err != nil {
		return pairRequest{}, err
	}
	w.denied = true
	p.notify()
	return *w, nil
}

// find returns the waiting request with this code. Too many wrong codes end the request. The lock
// must be held.
func (p *pairing) find(code string, now time.Time) (*pairRequest, error) {
	w := p.waiting
	if w.ended(now) || w.approved {
		return nil, fault.New(fault.NotFound, "no app is waiting to be approved")
	}
	if subtle.ConstantTimeCompare([]byte(code), []byte(w.code)) == 1 {
		return w, nil
	}
	if w.wrong++; w.wrong >= pairGuesses {
		p.notify()
		return nil, fault.New(
			fault.NotFound,
			"wrong code; the request has ended after too many attempts, start again in the app",
		)
	}
	return nil, fault.New(fault.NotFound, "no app is waiting with the code %.8q", code)
}

// claim returns the secret that create returns for an approved request, once. ready is false while
// the request waits.
func (p *pairing) claim(
	id string, now time.Time, create func(pairRequest) (string, error),
) (req pairRequest, secret string, ready bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.waiting
	mine := w != nil && subtle.ConstantTimeCompare([]byte(id), []byte(w.id)) == 1
	if mine && w.denied && now.Before(w.expires) {
		return pairRequest{}, "", false, fault.New(fault.Conflict, "the request was denied at the player")
	}
	if !mine || w.ended(now) {
		return pairRequest{}, "", false, fault.New(fault.NotFound,
			"this request is unknown, has expired or was already answered")
	}
	if !w.approved {
		return *w, "", false, nil
	}
	if secret, err = create(*w); err != nil {
		return *w, "", false, err // the app may try again until the request expires
	}
	p.waiting = nil
	return *w, secret, true, nil
}

func (s *server) pair(r *http.Request, in playerapi.PairRequest) (playerapi.PairReply, error) {
	name, err := access.CleanName(in.Name)
	if err != nil {
		return playerapi.PairReply{}, err
	}
	permissions, err := access.ParsePermissions(in.Permissions)
	if err != nil {
		return playerapi.PairReply{}, err
	}
	if permissions.Has(access.Keys) {
		return playerapi.PairReply{}, fault.New(fault.Invalid,
			"an app cannot request keys; the person who approves it can grant them")
	}
	lifetime, err := access.ParseLifetime(in.ExpiresIn)
	if err != nil {
		return playerapi.PairReply{}, err
	}
	req, err := s.pairing.request(name, permissions, lifetime, time.Now())
	if err == nil {
		httpkit.RecordEvent(r.Context(), audit.PairingRequested, "", name)
	}
	return playerapi.PairReply{ID: req.id, Code: req.code, ExpiresAt: timestamp.At(req.expires)}, err
}

func (s *server) pairList(*http.Request, httpkit.None) (playerapi.PairList, error) {
	return wirePairs(s.pairing.list(time.Now())), nil
}

func wirePairs(requests []pairRequest) playerapi.PairList {
	out := playerapi.PairList{Waiting: []playerapi.PairRequested{}}
	for _, req := range requests {
		out.Waiting = append(out.Waiting, playerapi.PairRequested{
			Name: req.name, Code: req.code, Permissions: req.permissions.Words(), ExpiresAt: timestamp.At(req.expires),
		})
	}
	return out
}

func (s *server) pairApprove(r *http.Request, in playerapi.PairApproveRequest) (playerapi.PairApproved, error) {
	caller, err := accessManager(r)
	if err != nil {
		return playerapi.PairApproved{}, err
	}
	var grant access.Permissions
	if len(in.Permissions) > 0 {
		if grant, err = access.ParsePermissions(in.Permissions); err != nil {
			return playerapi.PairApproved{}, err
		}
	}
	req, err := s.pairing.approve(in.Code, grant, caller.Permissions, time.Now())
	if err == nil {
		httpkit.RecordEvent(r.Context(), audit.PairingApproved, "", req.name)
	}
	return playerapi.PairApproved{OK: true, Name: req.name, Permissions: req.permissions.Words()}, err
}

func (s *server) pairDeny(r *http.Request, in playerapi.PairDenyRequest) (playerapi.PairDenied, error) {
	if _, err := accessManager(r); err != nil {
		return playerapi.PairDenied{}, err
	}
	req, err := s.pairing.deny(in.Code, time.Now())
	if err == nil {
		httpkit.RecordEvent(r.Context(), audit.PairingDenied, "", req.name)
	}
	return playerapi.PairDenied{OK: true, Name: req.name}, err
}

func (s *server) pairClaim(r *http.Request, in playerapi.PairClaimRequest) (status int, out any, err error) {
	req, secret, ready, err := s.pairing.claim(in.ID, time.Now(), func(req pairRequest) (string, error) {
		ctx := context.WithoutCancel(r.Context()) // completed even if the client disconnects now
		created, secret, err := s.cfg.Tokens.Create(ctx, access.NewToken{
			Name: req.name, Permissions: req.permissions, Lifetime: req.lifetime,
		})
		if err == nil {
			httpkit.RecordEvent(ctx, audit.PairingClaimed, created.ID, created.Name)
		}
		return secret, err
	})
	if !ready {
		return http.StatusAccepted, playerapi.PairWaiting{Status: "waiting", ExpiresAt: timestamp.At(req.expires)}, err
	}
	return http.StatusOK, playerapi.PairClaimed{Token: secret, Name: req.name, Permissions: req.permissions.Words()}, nil
}
