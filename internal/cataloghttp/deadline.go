package cataloghttp

import (
	"context"
	"net/http"
	"time"

	"waxwing/internal/httpkit"
)

// databaseTimeout is how long a request may wait for the database. A client is told to come back rather
// than held for a database that is slow or gone.
const databaseTimeout = 5 * time.Second

// withTimeout bounds a handler that asks the database. What is sent from memory needs no bound.
func withTimeout(h httpkit.Handler) httpkit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), databaseTimeout)
		defer cancel()
		return h(w, r.WithContext(ctx))
	}
}

// op is httpkit.Op for what asks the database.
func op[In, Out any](f func(*http.Request, In) (Out, error)) httpkit.Handler {
	return withTimeout(httpkit.Op(f))
}
