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

// token shows the caller its own token, so that a client can tell what it may do.
func (s *server) token(r *http.Request, _ httpkit.None) (playerapi.TokenReply, error) {
	caller := httpkit.CallerOf(r.Context())
	own, err := s.findToken(caller.ID)
	return playerapi.TokenReply{Token: wireToken(own, caller.ID)}, err
}

func (s *server) tokens(r *http.Request, _ httpkit.None) (playerapi.TokenList, error) {
	caller, err := keeper(r)
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

// createToken makes a token that holds no more, and lives no longer, than the one that asks:
// whoever loses a token must not find that it has left others behind that outdo it.
func (s *server) createToken(r *http.Request, in playerapi.TokenRequest) (playerapi.TokenMade, error) {
	caller, err := keeper(r)
	if err != nil {
		return playerapi.TokenMade{}, err
	}
	permissions, err := access.ParsePermissions(in.Permissions)
	if err != nil {
		return playerapi.TokenMade{}, err
	}
	if !caller.Permissions.Has(permissions) {
		return playerapi.TokenMade{}, fault.New(fault.Forbidden, "a token cannot grant %s; yours has only %s", permissions, caller.Permissions)
	}
	lifetime, err := access.ParseLifetime(in.ExpiresIn)
	if err != nil {
		return playerapi.TokenMade{}, err
	}
	own, err := s.findToken(caller.ID)
	if err != nil {
		return playerapi.TokenMade{}, err
	}
	if left := time.Until(own.ExpiresAt); !own.ExpiresAt.IsZero() && (lifetime == 0 || lifetime > left) {
		return playerapi.TokenMade{}, fault.New(fault.Forbidden, "your token ends at %s, so it cannot make one that lives longer", own.ExpiresAt.Format(time.RFC3339))
	}
	wanted := access.NewToken{Name: in.Name, Permissions: permissions, Lifetime: lifetime}
	if in.Origin != nil {
		wanted.Origin = *in.Origin
	}
	made, secret, err := s.cfg.Tokens.Create(r.Context(), wanted)
	if err != nil {
		return playerapi.TokenMade{}, err
	}
	httpkit.RecordEvent(r.Context(), audit.TokenCreated, made.ID, made.Name)
	return playerapi.TokenMade{Secret: secret, Token: wireToken(made, caller.ID)}, nil
}

func (s *server) revokeToken(r *http.Request, in playerapi.TokenRevoke) (playerapi.OK, error) {
	caller, err := keeper(r)
	if err != nil {
		return playerapi.OK{}, err
	}
	t, err := s.findToken(in.ID)
	if err != nil {
		return playerapi.OK{}, err
	}
	if !caller.Permissions.Has(t.Permissions) {
		return playerapi.OK{}, fault.New(fault.Forbidden, "that token holds %s; yours has only %s", t.Permissions, caller.Permissions)
	}
	_, err = s.cfg.Tokens.Revoke(r.Context(), t.ID)
	if err == nil || errors.Is(err, access.ErrNotSaved) {
		httpkit.RecordEvent(r.Context(), audit.TokenRevoked, t.ID, t.Name)
	}
	return playerapi.OK{OK: true}, err
}

// keeper returns the caller if it may manage who else gets in: tokens, pairings, and the keys of the
// catalog behind the player. Its route has demanded the permission keys, which pairing gives to no
// app that asks for it; and a token that was made for a web page is lent to that page, and not to
// be multiplied by it.
func keeper(r *http.Request) (httpkit.Caller, error) {
	caller := httpkit.CallerOf(r.Context())
	if caller.Origin != "" {
		return caller, fault.New(fault.Forbidden, "a token made for %s cannot manage access", caller.Origin)
	}
	return caller, nil
}

// findToken returns a token by its id alone: names are for people.
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
	return out
}
