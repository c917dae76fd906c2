package playerhttp

import (
	"errors"
	"net/http"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// token returns the caller's own token, so that a client knows its permissions.
func (s *server) token(r *http.Request, _ httpkit.None) (playerapi.TokenReply, error) {
	caller := httpkit.CallerOf(r.Context())
	own, err := s.findToken(caller.ID)
	return playerapi.TokenReply{Token: wireToken(own, caller.ID)}, err
}

func (s *server) tokens(r *http.Request, _ httpkit.None) (playerapi.TokenList, error) {
	caller, err := accessManager(r)
	if err != nil {
		return playerapi.TokenList{}, err
	}
	list, err := s.cfg.Tokens.List()
	if err != nil {
		return playerapi.TokenList{}, err
	}
	out := playerapi.TokenList{Tokens: []playerapi.Token{}}
	for _, t := range list {
		if t.Live(time.Now()) {
			out.Tokens = append(out.Tokens, wireToken(t, caller.ID))
		}
	}
	return out, nil
}

// createToken creates a token within the caller's limit, so that a stolen token cannot create a
// stronger one.
func (s *server) createToken(r *http.Request, in playerapi.TokenRequest) (playerapi.TokenWithSecret, error) {
	caller, err := accessManager(r)
	if err != nil {
		return playerapi.TokenWithSecret{}, err
	}
	permissions, err := access.ParsePermissions(in.Permissions)
	if err != nil {
		return playerapi.TokenWithSecret{}, err
	}
	lifetime, err := access.ParseLifetime(in.ExpiresIn)
	if err != nil {
		return playerapi.TokenWithSecret{}, err
	}
	idle, err := access.ParseIdle(in.IdleExpiresIn)
	if err != nil {
		return playerapi.TokenWithSecret{}, err
	}
	limit := caller.Limit()
	expires, err := limit.Grant(permissions, lifetime, time.Now())
	if err != nil {
		return playerapi.TokenWithSecret{}, err
	}
	details := access.NewToken{
		Name: in.Name, Permissions: permissions, ExpiresAt: expires, Idle: limit.CutIdle(idle),
	}
	if in.Origin != nil {
		details.Origin = *in.Origin
	}
	created, secret, err := s.cfg.Tokens.Create(r.Context(), details)
	if err != nil {
		return playerapi.TokenWithSecret{}, err
	}
	httpkit.RecordEvent(r.Context(), audit.TokenCreated, created.ID, created.Name)
	return playerapi.TokenWithSecret{Secret: secret, Token: wireToken(created, caller.ID)}, nil
}

func (s *server) revokeToken(r *http.Request, in playerapi.TokenRevoke) (playerapi.OK, error) {
	caller, err := accessManager(r)
	if err != nil {
		return playerapi.OK{}, err
	}
	t, err := s.findToken(in.ID)
	if err != nil {
		return playerapi.OK{}, err
	}
	if err := caller.Limit().CheckPermissions(t.Permissions); err != nil {
		return playerapi.OK{}, err
	}
	_, err = s.cfg.Tokens.Revoke(r.Context(), t.ID)
	if err == nil || errors.Is(err, access.ErrNotSaved) {
		httpkit.RecordEvent(r.Context(), audit.TokenRevoked, t.ID, t.Name)
	}
	return playerapi.OK{OK: true}, err
}

// endToken revokes the caller's own token, which ends a login. Its id in the body shows that the
// caller means it.
func (s *server) endToken(r *http.Request, in playerapi.TokenRevoke) (playerapi.OK, error) {
	caller := httpkit.CallerOf(r.Context())
	if in.ID != caller.ID {
		return playerapi.OK{}, fault.New(fault.Invalid, "id must be that of the token in use; see GET /token")
	}
	_, err := s.cfg.Tokens.Revoke(r.Context(), caller.ID)
	if err == nil || errors.Is(err, access.ErrNotSaved) {
		httpkit.RecordEvent(r.Context(), audit.TokenRevoked, caller.ID, caller.Name)
	}
	return playerapi.OK{OK: true}, err
}

// accessManager returns the caller if it may manage access: tokens, pairings and catalog keys. The
// route requires the permission keys; in addition, a token for a web page must not create others.
func accessManager(r *http.Request) (httpkit.Caller, error) {
	caller := httpkit.CallerOf(r.Context())
	if caller.Origin != "" {
		return caller, fault.New(fault.Forbidden, "a token for %s cannot manage access", caller.Origin)
	}
	return caller, nil
}

// findToken returns a token by its id, not by its name.
func (s *server) findToken(id string) (access.Token, error) {
	list, err := s.cfg.Tokens.List()
	if err != nil {
		return access.Token{}, err
	}
	for _, t := range list {
		if t.ID == id {
			return t, nil
		}
	}
	return access.Token{}, fault.New(fault.NotFound, "there is no token %.40q", id)
}

func wireToken(t access.Token, caller string) playerapi.Token {
	out := playerapi.Token{
		ID: t.ID, Name: t.Name, Permissions: t.Permissions.Words(), CreatedAt: timestamp.At(t.CreatedAt),
		ExpiresAt: timestamp.Known(t.ExpiresAt), LastUsedAt: timestamp.Known(t.LastUsedAt), Current: t.ID == caller,
	}
	if t.Origin != "" {
		out.Origin = &t.Origin
	}
	if t.IdleSeconds > 0 {
		out.IdleExpiresIn = &t.IdleSeconds
	}
	return out
}
