package playerhttp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
)

const (
	pairTime    = 60 * time.Second
	pairGuesses = 5
	// pairWaiting is how many requests may wait for approval, from different sources.
	pairWaiting = 5
	// pairInvitations is how many invitations may be open; the oldest one ends then.
	pairInvitations = 16
)

// pairing holds the pairing requests and invitations of the last minute.
type pairing struct {
	mu       sync.Mutex
	requests []*pairRequest // oldest first
	changed  chan struct{}  // closed at the next change; nil while nobody watches
}

// pairState is the state of a request that has not expired.
type pairState uint8

const (
	pairWaits pairState = iota
	pairApproved
	pairDenied // retained until its expiry, so that the app learns of it
	pairEnded  // by too many wrong codes
	pairClaimed
)

type pairRequest struct {
	id          string // secret: it claims the token
	request     string // names the request to those who may approve it; not secret
	code        string // "" for an invitation
	source      string // who sent it; "" for an invitation
	name        string
	permissions access.Permissions
	lifetime    time.Duration // of the token; 0 means no expiry
	idle        time.Duration // the token expires after this time without use; 0: it does not
	expires     time.Time     // of the request
	pollWithin  time.Duration // ends unless it is claimed that often; 0: it does not
	polled      time.Time     // when its app claimed it last
	lapse       *time.Timer   // reports its end to the watchers; nil without pollWithin
	wrong       int           // wrong codes so far
	state       pairState
	approver    context.Context // ends with the token that approved it; nil: it cannot end
	limit       access.Limit    // of that token
}

// tokenExpiry returns the expiry of a token that is claimed now; zero means never.
func (p *pairRequest) tokenExpiry(now time.Time) time.Time {
	var expires time.Time
	if p.lifetime > 0 {
		expires = now.Add(p.lifetime)
	}
	return p.limit.Cut(expires)
}

func (p *pairRequest) invitation() bool { return p.code == "" }

// watch returns the waiting requests and a channel that is closed at the next change. The expiry
// of a request does not close it: clients know that time.
func (p *pairing) watch(now time.Time) ([]pairRequest, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.waiting(now), p.changed
}

// notify wakes the watchers. The lock must be held.
func (p *pairing) notify() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// request adds a request that waits for approval. Each source may have one, so that a stranger who
// sends requests without end does not keep out others.
func (p *pairing) request(n pairRequest, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.waiting(now)
	if slices.ContainsFunc(waiting, func(w pairRequest) bool { return w.source == n.source }) {
		return pairRequest{}, fault.New(fault.Conflict,
			"another app at this address is waiting to be approved; try again in a minute")
	}
	if len(waiting) >= pairWaiting {
		return pairRequest{}, fault.New(fault.Conflict,
			"another app is waiting to be approved, and so are %d more; try again in a minute", len(waiting)-1)
	}
	for n.code == "" || p.usesCode(n.code) {
		digits, err := rand.Int(rand.Reader, big.NewInt(10_000))
		if err != nil {
			return pairRequest{}, fmt.Errorf("create a code: %w", err)
		}
		n.code = fmt.Sprintf("%04d", digits)
	}
	return p.add(n, now), nil
}

// usesCode reports whether a request of the last minute has that code. A code that an app still
// displays must not belong to another one.
func (p *pairing) usesCode(code string) bool {
	return slices.ContainsFunc(p.requests, func(w *pairRequest) bool { return w.code == code })
}

// invite adds a request that is approved already. It takes no place of the waiting ones.
func (p *pairing) invite(n pairRequest, now time.Time) pairRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removeExpired(now)
	open := func(w *pairRequest) bool { return w.invitation() && w.state == pairApproved }
	for p.count(open) >= pairInvitations {
		oldest := slices.IndexFunc(p.requests, open)
		p.requests = slices.Delete(p.requests, oldest, oldest+1)
	}
	n.state = pairApproved
	return p.add(n, now)
}

func (p *pairing) count(matches func(*pairRequest) bool) (n int) {
	for _, w := range p.requests {
		if matches(w) {
			n++
		}
	}
	return n
}

// add gives n its ids and expiry and adds it. The lock must be held.
func (p *pairing) add(n pairRequest, now time.Time) pairRequest {
	n.id, n.request = rand.Text(), "pa_"+rand.Text()[:10]
	if n.expires.IsZero() {
		n.expires = now.Add(pairTime)
	}
	p.requests = append(p.requests, &n)
	if n.polled = now; n.pollWithin > 0 {
		n.lapse = time.AfterFunc(n.pollWithin, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.notify()
		})
	}
	p.notify()
	return n
}

// over reports whether a request has expired, or its app has left.
func (p *pairRequest) over(now time.Time) bool {
	left := p.state == pairWaits && p.pollWithin > 0 && !now.Before(p.polled.Add(p.pollWithin))
	return left || !now.Before(p.expires)
}

// list returns the requests that wait for approval, oldest first.
func (p *pairing) list(now time.Time) []pairRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting(now)
}

// waiting is list with the lock held.
func (p *pairing) waiting(now time.Time) (list []pairRequest) {
	p.removeExpired(now)
	for _, w := range p.requests {
		if w.state == pairWaits {
			list = append(list, *w)
		}
	}
	return list
}

func (p *pairing) removeExpired(now time.Time) {
	p.requests = slices.DeleteFunc(p.requests, func(w *pairRequest) bool { return w.over(now) })
}

// selector names a waiting request: by the code that its app displays and, where the approver
// knows it, by the request itself.
type selector struct{ code, request string }

// approve approves a request. grant replaces the requested permissions unless it is 0. The app gets
// no permission that the approver lacks, and its token expires no later than the approver's.
func (p *pairing) approve(
	which selector, grant access.Permissions, by context.Context, limit access.Limit, now time.Time,
) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, err := p.find(which, now)
	if err != nil {
		return pairRequest{}, err
	}
	if grant == 0 {
		grant = w.permissions
	}
	if !limit.Permissions.Has(grant) {
		return pairRequest{}, fault.New(fault.Forbidden, "%s would get %s; your token has only %s",
			w.name, grant, limit.Permissions)
	}
	w.state, w.permissions, w.approver, w.limit = pairApproved, grant, by, limit
	p.notify()
	return *w, nil
}

// deny ends a request. Its app may send another one at once.
func (p *pairing) deny(which selector, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, err := p.find(which, now)
	if err != nil {
		return pairRequest{}, err
	}
	w.state = pairDenied
	p.notify()
	return *w, nil
}

// find returns a waiting request. A wrong code counts against all requests that it could have
// meant; too many end a request. The lock must be held.
func (p *pairing) find(which selector, now time.Time) (*pairRequest, error) {
	p.removeExpired(now)
	var meant []*pairRequest
	for _, w := range p.requests {
		if w.state == pairWaits && (which.request == "" || which.request == w.request) {
			meant = append(meant, w)
		}
	}
	if len(meant) == 0 && which.request != "" {
		return nil, fault.New(fault.NotFound, "this app no longer waits to be approved")
	}
	if len(meant) == 0 {
		return nil, fault.New(fault.NotFound, "no app is waiting to be approved")
	}
	for _, w := range meant {
		if subtle.ConstantTimeCompare([]byte(which.code), []byte(w.code)) == 1 {
			return w, nil
		}
	}
	ended := 0
	for _, w := range meant {
		if w.wrong++; w.wrong >= pairGuesses {
			w.state = pairEnded
			ended++
		}
	}
	if ended > 0 {
		p.notify()
	}
	if ended == len(meant) {
		return nil, fault.New(fault.NotFound,
			"wrong code; the request has ended after too many attempts, start again in the app")
	}
	return nil, fault.New(fault.NotFound, "no app is waiting with the code %.8q", which.code)
}

// claim returns the secret that create returns for an approved request, once. ready is false while
// the request waits. The claimer of an invitation may name itself.
func (p *pairing) claim(
	id, name string, now time.Time, create func(pairRequest) (string, error),
) (req pairRequest, secret string, ready bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, unknown := p.index(id, now)
	if at < 0 {
		return pairRequest{}, "", false, unknown
	}
	w := p.requests[at]
	switch w.state {
	case pairWaits:
		if w.polled = now; w.lapse != nil {
			w.lapse.Reset(w.pollWithin)
		}
		return *w, "", false, nil
	case pairDenied:
		return pairRequest{}, "", false, fault.New(fault.Conflict, "the request was denied at the player")
	case pairEnded, pairClaimed:
		return pairRequest{}, "", false, unknown
	case pairApproved:
	}
	if name != "" && w.invitation() {
		w.name = name // nobody was asked to approve another one
	}
	if secret, err = create(*w); err != nil {
		return *w, "", false, err // the app may try again until the request expires
	}
	w.state = pairClaimed
	return *w, secret, true, nil
}

// index returns where the request with that secret id is; -1 if there is none, and an error that
// says so. The lock must be held.
func (p *pairing) index(id string, now time.Time) (int, error) {
	p.removeExpired(now)
	at := slices.IndexFunc(p.requests, func(w *pairRequest) bool {
		return subtle.ConstantTimeCompare([]byte(id), []byte(w.id)) == 1
	})
	return at, fault.New(fault.NotFound, "this request is unknown, has expired or was already answered")
}

// cancel ends a request that was not claimed, because its app no longer waits.
func (p *pairing) cancel(id string, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, unknown := p.index(id, now)
	if at < 0 || p.requests[at].invitation() || p.requests[at].state == pairClaimed {
		return pairRequest{}, unknown
	}
	ended := *p.requests[at]
	p.requests = slices.Delete(p.requests, at, at+1)
	p.notify()
	return ended, nil
}

// claimed reports whether an invitation was used. An expired one is not found.
func (p *pairing) claimed(request string, now time.Time) (pairRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removeExpired(now)
	at := slices.IndexFunc(p.requests, func(w *pairRequest) bool { return w.invitation() && w.request == request })
	if at < 0 {
		return pairRequest{}, fault.New(fault.NotFound, "this invitation is unknown or has expired")
	}
	return *p.requests[at], nil
}
