package playerhttp

import (
	"net/http"
	"net/url"
	"strings"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// bearer finds out who asks by the token in the Authorization header or, where there is no
// such header, in the query.
func bearer(tokens *access.Store) func(http.ResponseWriter, *http.Request) (httpkit.Caller, error) {
	return func(_ http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
		secret, err := presented(r)
		if err != nil {
			return httpkit.Caller{}, err
		}
		t, err := tokens.Check(secret)
		if err != nil {
			return httpkit.Caller{ID: t.ID, Name: t.Name, Refused: deadBy(t)}, err
		}
		return httpkit.Caller{ID: t.ID, Name: t.Name, Permissions: t.Permissions, Origin: t.Origin, Life: tokens.TokenContext(t.ID)}, nil
	}
}

// deadBy is why a token that was refused does not count; "" for none that we know.
func deadBy(t access.Token) audit.Reason {
	switch {
	case t.ID == "":
		return ""
	case !t.RevokedAt.IsZero():
		return audit.Revoked
	}
	return audit.Expired
}

// presented returns the token that a request shows. A request that shows two shows none:
// which of them counts must not depend on who reads first.
func presented(r *http.Request) (string, error) {
	if headers, there := r.Header["Authorization"]; there {
		scheme, secret, _ := strings.Cut(headers[0], " ")
		if len(headers) != 1 || !strings.EqualFold(scheme, "Bearer") {
			return "", fault.New(fault.Unauthenticated, "send the header Authorization: Bearer <token>, once")
		}
		return strings.TrimSpace(secret), nil
	}
	if r.URL.RawQuery == "" {
		return "", noToken()
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", fault.New(fault.Invalid, "the query cannot be read")
	}
	switch values := query[tokenParameter]; len(values) {
	case 0:
		return "", noToken()
	case 1:
		return values[0], nil
	}
	return "", fault.New(fault.Unauthenticated, "%s may be given once", tokenParameter)
}

func noToken() error {
	return fault.Wrap(fault.Unauthenticated, httpkit.ErrNoCredential, "send a token: the header Authorization: Bearer <token>")
}

const tokenParameter = "access_token"
