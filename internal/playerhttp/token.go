package playerhttp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// bearer identifies the caller by the token in the Authorization header or, without that header,
// in the query. The owner's commands need none.
func bearer(tokens *access.Store, owner func(context.Context) access.Token) func(http.ResponseWriter,
	*http.Request) (httpkit.Caller, error) {
	return func(_ http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
		secret, err := tokenOf(r)
		if errors.Is(err, httpkit.ErrNoCredential) && httpkit.FromOwner(r.Context()) {
			t := owner(r.Context())
			return httpkit.Caller{ID: t.ID, Name: t.Name, Permissions: t.Permissions}, nil
		}
		if err != nil {
			return httpkit.Caller{}, err
		}
		t, err := tokens.Check(secret)
		if err != nil {
			return httpkit.Caller{ID: t.ID, Name: t.Name, Refused: refusedBecause(t)}, err
		}
		return httpkit.Caller{
			ID: t.ID, Name: t.Name, Permissions: t.Permissions, ExpiresAt: t.ExpiresAt, Idle: t.Idle(),
			Origin: t.Origin, Context: tokens.TokenContext(t.ID),
		}, nil
	}
}

// refusedBecause returns the reason why a token was refused, or "" if the token is unknown.
func refusedBecause(t access.Token) audit.Reason {
	switch {
	case t.ID == "":
		return ""
	case !t.RevokedAt.IsZero():
		return audit.Revoked
	}
	return audit.Expired
}

// tokenOf returns the token of a request. Two tokens are an error, because parsers could disagree
// about which one counts.
func tokenOf(r *http.Request) (string, error) {
	if headers, ok := r.Header["Authorization"]; ok {
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
		return "", fault.New(fault.Invalid, "the query is malformed")
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
	return fault.Wrap(fault.Unauthenticated, httpkit.ErrNoCredential,
		"send a token: the header Authorization: Bearer <token>")
}

const tokenParameter = "access_token"
