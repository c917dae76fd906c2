package playerhttp

import (
	"time"

	"waxwing/internal/access"
	"waxwing/internal/httpkit"
)

// Routes returns the route table, for comparison with api/player.yaml.
func Routes(cfg Config) []httpkit.Route {
	return (&server{cfg: cfg, player: cfg.Player, catalog: newCatalogProxy(cfg)}).routes()
}

// Pairing exports pairing to tests that control the clock.
type Pairing struct{ pairing }

func NewPairing() *Pairing { return &Pairing{} }

func (p *Pairing) Request(name string, permissions access.Permissions) (id, code string, err error) {
	return p.RequestFrom("192.0.2.1", name, permissions)
}

func (p *Pairing) RequestFrom(source, name string, permissions access.Permissions) (id, code string, err error) {
	req, err := p.request(pairRequest{source: source, name: name, permissions: permissions}, time.Now())
	return req.id, req.code, err
}

// RequestPolled adds a request that ends unless it is claimed that often. changed returns a channel
// that is closed at the next change.
func (p *Pairing) RequestPolled(within time.Duration) (id string, changed func() <-chan struct{}) {
	req, err := p.request(pairRequest{name: "App", permissions: access.Read, pollWithin: within}, time.Now())
	if err != nil {
		panic(err)
	}
	return req.id, func() <-chan struct{} { _, changed := p.watch(time.Now()); return changed }
}

func (p *Pairing) Waiting() int { return len(p.list(time.Now())) }

func (p *Pairing) Approve(code string, by access.Permissions) error {
	_, err := p.approve(selector{code: code}, 0, nil, access.Limit{Permissions: by}, time.Now())
	return err
}

func (p *Pairing) Deny(code string) error {
	_, err := p.deny(selector{code: code}, time.Now())
	return err
}

func (p *Pairing) Claim(id string) error {
	_, _, _, err := p.claim(id, "", time.Now(), func(pairRequest) (string, error) { return "", nil })
	return err
}
