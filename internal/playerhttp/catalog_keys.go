package playerhttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

const (
	keysPath   = "/api/keys"
	rotatePath = "/rotate"
)

// proxyKeys forwards requests about the catalog's keys. The catalog knows only the player's key,
// which may do more than the caller's token, so the token's limit is checked here. A request whose
// effect is not known here is not forwarded.
func (s *server) proxyKeys(w http.ResponseWriter, r *http.Request) error {
	caller, err := accessManager(r)
	if err != nil {
		return err
	}
	id, isKey := strings.CutPrefix(r.URL.Path, keysPath+"/")
	rotated, isRotate := strings.CutSuffix(id, rotatePath)
	switch {
	case (r.Method == http.MethodGet || r.Method == http.MethodHead) && !isKey:
	case r.Method == http.MethodPost && !isKey:
		err = limitNewKey(w, r, caller.FixedLimit())
	case r.Method == http.MethodPost && isRotate:
		err = s.checkTarget(r, rotated, caller.FixedLimit().Check)
	case r.Method == http.MethodDelete && isKey:
		err = s.checkTarget(r, id, func(p access.Permissions, _ time.Time) error {
			return caller.FixedLimit().CheckPermissions(p)
		})
	default:
		err = fault.WithCode(fault.NotFound, fault.UnknownPath, "there is nothing at this path")
	}
	if err != nil {
		return err
	}
	return s.catalog.forward(w, r)
}

// limitNewKey checks the body of a request for a new key and gives the key an expiry if the caller
// has one.
func limitNewKey(w http.ResponseWriter, r *http.Request, limit access.Limit) error {
	in, err := httpkit.Decode[catalogapi.KeyRequest](w, r)
	if err != nil {
		return err
	}
	permissions, err := access.ParseKeyPermissions(in.Permissions)
	if err != nil {
		return err
	}
	lifetime, err := access.ParseLifetime(in.ExpiresIn)
	if err != nil {
		return err
	}
	now := time.Now()
	expires, err := limit.Grant(permissions, lifetime, now)
	if err != nil {
		return err
	}
	if !limit.ExpiresAt.IsZero() {
		// The catalog counts from when it receives the request, up to a second later.
		left := int(min(expires.Sub(now), limit.ExpiresAt.Sub(now)-time.Second) / time.Second)
		if left < 1 {
			return fault.New(fault.Forbidden, "your token expires within two seconds, too soon to create a key")
		}
		in.ExpiresIn = &left
	}
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode the request for a key: %w", err)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Type", "application/json")
	return nil
}

// checkTarget applies check to a key of the catalog. The key that the player itself uses cannot be
// changed, because playback would fail.
func (s *server) checkTarget(r *http.Request, id string, check func(access.Permissions, time.Time) error) error {
	keys, err := s.cfg.CatalogKeys(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k catalogapi.Key) bool { return k.ID == id })
	if at < 0 {
		return fault.New(fault.NotFound, "there is no key %.40q", id)
	}
	k := keys[at]
	if k.Current {
		return fault.New(fault.Conflict, "this player uses that key; to replace it, stop the player, run waxwing key revoke "+
			"%s where the catalog runs, and start the player with another key", k.ID)
	}
	permissions, err := access.ParseKeyPermissions(k.Permissions)
	if err != nil {
		return err
	}
	var expires time.Time
	if k.ExpiresAt != nil {
		expires = k.ExpiresAt.Time
	}
	return check(permissions, expires)
}
