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

// pairing is the one request for a token that may wait for a person's approval.
type pairing struct {
	mu      sync.Mutex
	waiting *pairRequest
	changed chan struct{} // closed at the next change; nil while nobody watches
}

type pairRequest struct {
	id, code    string
	name        string
	permissions access.Permissions
	lifetime    time.Duration // of the token; 0 is for ever
	expires     time.Time     // of the request
	wrong       int           // codes that were not this one
	approved    bool
	denied      bool // kept to be told to the app, until another one asks or its time is over
}

// gone reports whether nobody can get anything out of it any more.
func (p *pairRequest) gone(now time.Time) bool {
	return p == nil || p.denied || p.wrong >= pairGuesses || !now.Before(p.expires)
}

// watch returns the request that waits, if there is one, and a channel that is closed when
// that changes. A request that expires changes nothing here: its end was known before.
func (p *pairing) watch(now time.Time) ([]pairRequest, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.listed(now), p.changed
}

// tell wakes those who watch. The lock is held.
func (p *pairing) tell() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// ask starts a request, unless another one waits.
func (p *pairing) ask(name string, permissions access.Permissions, lifetime time.Duration, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waiting.gone(now) {
		return pairRequest{}, fault.New(fault.Conflict, "another app is waiting to be approved; try again in a minute")
	}
	digits, err := rand.Int(rand.Reader, big.NewInt(10_000))
	if err != nil {
		return pairRequest{}, fmt.Errorf("draw a code: %w", err)
	}
	p.waiting = &pairRequest{
		id: rand.Text(), code: fmt.Sprintf("%04d", digits), name: name, permissions: permissions, lifetime: lifetime, expires: now.Add(pairTime),
	}
	p.tell()
	return *p.waiting, nil
}

// list returns the request that waits for approval, if there is one.
func (p *pairing) list(now time.Time) []pairRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.listed(now)
}

// listed is list with the lock held.
func (p *pairing) listed(now time.Time) []pairRequest {
	if p.waiting.gone(now) || p.waiting.approved {
		return nil
	}
	return []pairRequest{*p.waiting}
}

// approve lets the app that shows code have its token, if the approver holds what it is to have:
// what it asked for, or instead of that what the approver grants (0: nothing else).
func (p *pairing) approve(code string, grant, by access.Permissions, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, err := p.shows(code, now)
	if err != nil {
		return pairRequest{}, err
	}
	if grant == 0 {
		grant = w.permissions
	}
	if !by.Has(grant) {
		return pairRequest{}, fault.New(fault.Forbidden, "%s is to have %s; your token has only %s", w.name, grant, by)
	}
	w.approved, w.permissions = true, grant
	p.tell()
	return *w, nil
}

// deny ends the request of the app that shows code. Another app may ask at once.
func (p *pairing) deny(code string, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, err := p.shows(code, now)
	if err != nil {
		return pairRequest{}, err
	}
	w.denied = true
	p.tell()
	return *w, nil
}

// shows returns the unanswered request with this code; too many wrong codes end it, whatever they were
// meant for. The lock is held.
func (p *pairing) shows(code string, now time.Time) (*pairRequest, error) {
	w := p.waiting
	if w.gone(now) || w.approved {
		return nil, fault.New(fault.NotFound, "no app is waiting to be approved")
	}
	if subtle.ConstantTimeCompare([]byte(code), []byte(w.code)) == 1 {
		return w, nil
	}
	if w.wrong++; w.wrong >= pairGuesses {
		p.tell()
		return nil, fault.New(fault.NotFound, "that is not the code either; the request has ended, let the app ask again")
	}
	return nil, fault.New(fault.NotFound, "no app shows the code %.8q", code)
}

// claim hands out what mint makes of an approved request, once. ready is false while it waits.
func (p *pairing) claim(id string, now time.Time, mint func(pairRequest) (string, error)) (req pairRequest, secret string, ready bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.waiting
	mine := w != nil && subtle.ConstantTimeCompare([]byte(id), []byte(w.id)) == 1
	if mine && w.denied && now.Before(w.expires) {
		return pairRequest{}, "", false, fault.New(fault.Conflict, "the request was denied at the player")
	}
	if !mine || w.gone(now) {
		return pairRequest{}, "", false, fault.New(fault.NotFound, "this request is unknown, has expired or was already answered")
	}
	if !w.approved {
		return *w, "", false, nil
	}
	if secret, err = mint(*w); err != nil {
		return *w, "", false, err // the disk may be back before the minute is over
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
		return playerapi.PairReply{}, fault.New(fault.Invalid, "an app cannot ask for keys; whoever approves it can grant them")
	}
	lifetime, err := access.ParseLifetime(in.ExpiresIn)
	if err != nil {
		return playerapi.PairReply{}, err
	}
	req, err := s.pairing.ask(name, permissions, lifetime, time.Now())
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
	caller, err := keeper(r)
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
	if _, err := keeper(r); err != nil {
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
		// Half a claim helps nobody: it is carried out even if the client hangs up now.
		ctx := context.WithoutCancel(r.Context())
		made, secret, err := s.cfg.Tokens.Create(ctx, access.NewToken{Name: req.name, Permissions: req.permissions, Lifetime: req.lifetime})
		if err == nil {
			httpkit.RecordEvent(ctx, audit.PairingClaimed, made.ID, made.Name)
		}
		return secret, err
	})
	if !ready {
		return http.StatusAccepted, playerapi.PairWaiting{Status: "waiting", ExpiresAt: timestamp.At(req.expires)}, err
	}
	return http.StatusOK, playerapi.PairClaimed{Token: secret, Name: req.name, Permissions: req.permissions.Words()}, nil
}
