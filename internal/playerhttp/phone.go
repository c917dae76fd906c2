package playerhttp

import (
	"net"
	"net/http"
	"strings"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/qrcode"
)

const (
	// phoneTime is how long a link for a phone can be claimed: a person has to find the camera.
	phoneTime = 5 * time.Minute
	// phoneIdle is after which time without use the login of the phone expires.
	phoneIdle = 30 * 24 * time.Hour
)

// pairPhone creates an invitation for a phone, as a link and as a QR code. The phone may see and
// control playback, not manage access.
func (s *server) pairPhone(r *http.Request, _ httpkit.None) (playerapi.PairPhone, error) {
	caller, err := accessManager(r)
	if err != nil {
		return playerapi.PairPhone{}, err
	}
	var base string
	if s.cfg.RemoteURL != nil {
		base = s.cfg.RemoteURL()
	}
	if base == "" {
		return playerapi.PairPhone{}, fault.New(fault.Conflict, "only this machine reaches the player; to allow others, "+
			"start it with: waxwing up --player-addr 0.0.0.0:%d --allow-remote", port(s.cfg.Addr))
	}
	limit := caller.Limit()
	permissions := limit.Permissions & (access.Read | access.Write)
	now := time.Now()
	expires, err := limit.Grant(permissions, 0, now)
	if err != nil {
		return playerapi.PairPhone{}, err
	}
	req := s.pairing.invite(pairRequest{
		name: "Phone", permissions: permissions, idle: phoneIdle, expires: now.Add(phoneTime),
		approver: caller.Context, limit: access.Limit{Permissions: permissions, ExpiresAt: expires, Idle: limit.Idle},
	}, now)
	httpkit.RecordEvent(r.Context(), audit.PairingApproved, "", req.name)
	link := strings.TrimSuffix(base, "/") + "/#claim=" + req.id
	rows, err := qrcode.Rows(link)
	return playerapi.PairPhone{
		Link: link, Address: base, Request: req.request, ExpiresAt: timestamp.At(req.expires), Qr: rows,
	}, err
}

// port returns the port of a listener.
func port(at net.Addr) int {
	if tcp, ok := at.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}
