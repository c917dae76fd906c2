package subsonic

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// Limits of an app's key without limits of its own. A sync sends hundreds of requests at once.
const (
	appRate  = 500 // requests per second
	appBurst = 2000
	// patience is how long a request waits for its turn before it is refused.
	patience = 2 * time.Second
)

const maxSalt = 1024 // bytes

// errWrongLogin is the same for every wrong login, so that nobody learns which part is wrong.
var errWrongLogin = coded(codeWrongLogin, fault.Unauthenticated,
	"wrong user name or password; use the secret of a key that “waxwing key create --app” printed")

// login is the credentials of a request.
type login struct {
	user, password, token, salt, apiKey string
}

// readLogin returns the credentials of a request. It refuses those that contradict each other.
func readLogin(p params) (l login, err error) {
	for name, into := range map[string]*string{
		"u": &l.user, "p": &l.password, "t": &l.token, "s": &l.salt, "apiKey": &l.apiKey,
	} {
		values := slices.Compact(slices.Clone(p[name]))
		if len(values) > 1 {
			return l, coded(codeConflicting, fault.Invalid, "the parameter %s has several values", name)
		}
		if len(values) == 1 {
			*into = values[0]
		}
	}
	hasToken := l.token != "" || l.salt != ""
	switch {
	case l.apiKey != "" && (l.user != "" || l.password != "" || hasToken):
		return l, coded(codeConflicting, fault.Invalid, "send either apiKey or a user name, not both")
	case l.password != "" && hasToken:
		return l, coded(codeConflicting, fault.Invalid, "send either p or t and s, not both")
	case l.apiKey != "":
		return l, nil
	case p.get("jwt") != "":
		return l, coded(codeMechanism, fault.Invalid, "this server does not accept jwt; use apiKey, or u with t and s")
	case l.user == "" && l.password == "" && !hasToken:
		return l, httpkit.ErrNoCredential
	}
	for name, value := range map[string]string{"u": l.user, "t": l.token, "s": l.salt} {
		if value == "" && (name == "u" || l.password == "") {
			return l, missing(name)
		}
	}
	return l, nil
}

// authenticate returns the caller by the credentials in the parameters, and counts the request
// against the rate limit of the key.
func (s *server) authenticate(w http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
	if err := parse(w, r); err != nil {
		return httpkit.Caller{}, err
	}
	l, err := readLogin(paramsOf(r))
	if err != nil {
		return httpkit.Caller{}, err
	}
	// What follows uses cached state: keys, their rates, replies.
	if err := s.store.Current(r.Context()); err != nil {
		return httpkit.Caller{}, err
	}
	key, err := s.key(r, l)
	if err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name, Refused: refusalReason(key)}, refused(l, err)
	}
	permissions, err := access.ParseKeyPermissions(key.Permissions)
	if err != nil {
		return httpkit.Caller{}, err
	}
	if err := s.limit(w, r, key); err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name}, err
	}
	return httpkit.Caller{
		ID: key.ID, Name: key.Name, Permissions: permissions, ExpiresAt: key.ExpiresAt, Context: key.Context(), Detail: key,
	}, nil
}

// key returns the key of a login.
func (s *server) key(r *http.Request, l login) (catalog.Key, error) {
	if l.apiKey != "" {
		return s.keyBySecret(r, l.apiKey)
	}
	if l.token != "" {
		token, ok := access.ParseToken(l.token)
		if len(l.salt) > maxSalt {
			ok = false
		}
		key, err := s.store.AppKey(r.Context(), l.user, func(state [16]byte) bool {
			return access.AppState(state).Matches(token, l.salt) && ok
		})
		return key, err
	}
	key, err := s.keyBySecret(r, plainPassword(l.password))
	if err == nil && !strings.EqualFold(key.Owner.Username, l.user) {
		return catalog.Key{}, errWrongLogin
	}
	return key, err
}

// keyBySecret returns the key with a secret: that of an app, or an ordinary one.
func (s *server) keyBySecret(r *http.Request, secret string) (catalog.Key, error) {
	if !access.Check(access.AppPrefix, secret) && !access.Check(access.KeyPrefix, secret) {
		return catalog.Key{}, errWrongLogin
	}
	return s.store.KeyByHash(r.Context(), access.HashOf(secret).String())
}

// plainPassword decodes a password in hex, which some clients send.
func plainPassword(p string) string {
	if encoded, ok := strings.CutPrefix(p, "enc:"); ok {
		if decoded, err := hex.DecodeString(encoded); err == nil {
			return string(decoded)
		}
	}
	return p
}

// refused returns the error of a login that failed. What was wrong is in the audit log only.
func refused(l login, err error) error {
	if kind, _ := fault.Of(err); kind != fault.Unauthenticated {
		return err
	}
	if l.apiKey != "" {
		return coded(codeAPIKey, fault.Unauthenticated,
			"this API key is not valid; create one with: waxwing key create --app")
	}
	return errWrongLogin
}

// refusalReason returns why a known key was refused, or "" for an unknown one.
func refusalReason(k catalog.Key) audit.Reason {
	switch {
	case k.ID == "":
		return ""
	case !k.RevokedAt.IsZero():
		return audit.Revoked
	}
	return audit.Expired
}

// limit counts a request against the rate limit of its key. A short excess only waits.
func (s *server) limit(w http.ResponseWriter, r *http.Request, key catalog.Key) error {
	if s.cfg.Rate == 0 && key.Rate == 0 {
		return nil
	}
	perSecond, burst := s.cfg.Rate, s.cfg.Burst
	if key.App {
		perSecond, burst = max(appRate, perSecond), max(appBurst, burst)
	}
	perSecond, burst = key.Limits(perSecond, burst)
	return s.cfg.Limits.Wait(r.Context(), w.Header(), key.ID, httpkit.Rate{PerSecond: perSecond, Burst: burst}, patience)
}

// keyOf returns the key of a request that needed one.
func keyOf(r *http.Request) catalog.Key {
	key, _ := httpkit.CallerOf(r.Context()).Detail.(catalog.Key)
	return key
}
