package cataloghttp

import (
	"context"
	"net/http"
	"time"

	"waxwing/internal/httpkit"
)

// databaseTimeout is how long a request may wait for the database before the client gets a 503.
const databaseTimeout = 5 * time.Second

// withTimeout sets databaseTimeout for a handler that queries the database.
func withTimeout(h httpkit.Handler) httpkit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), databaseTimeout)
		defer cancel()
		return h(w, r.WithContext(ctx))
	}
}

// op is httpkit.Op with databaseTimeout.
func op[In, Out any](f func(*http.Request, In) (Out, error)) httpkit.Handler {
	return withTimeout(httpkit.Op(f))
}
