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
	req, err := p.request(name, permissions, 0, time.Now())
	return req.id, req.code, err
}

func (p *Pairing) Waiting() int { return len(p.list(time.Now())) }

func (p *Pairing) Approve(code string, by access.Permissions) error {
	_, err := p.approve(code, 0, by, time.Now())
	return err
}

func (p *Pairing) Deny(code string) error {
	_, err := p.deny(code, time.Now())
	return err
}

func (p *Pairing) Claim(id string) error {
	_, _, _, err := p.claim(id, time.Now(), func(pairRequest) (string, error) { return "", nil })
	return err
}
