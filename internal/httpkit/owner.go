package httpkit

import (
	"context"
	"log/slog"
	"net"
	"net/http"
)

// ownerHost is the Host of requests through the owner's listener, whose address has no name.
const ownerHost = "localhost"

type ownerKey struct{}

// ServeOwner is [Serve] for a listener that only processes of the owner's account can reach. Its
// requests need no credential: see [FromOwner].
func ServeOwner(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	return Serve(context.WithValue(ctx, ownerKey{}, true), ln, h, log)
}

// FromOwner reports whether a request came through the listener of [ServeOwner].
func FromOwner(ctx context.Context) bool {
	owner, _ := ctx.Value(ownerKey{}).(bool)
	return owner
}
