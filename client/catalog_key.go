package client

import (
	"context"
	"net/http"

	"waxwing/api/catalogapi"
)

// Keys lists the live keys of the key's owner, without their secrets. It needs a key with the
// permission keys, as do all calls about keys.
func (c *Catalog) Keys(ctx context.Context) ([]catalogapi.Key, error) {
	out, err := get[catalogapi.KeyList](ctx, c.transport(), apiPath("keys"))
	return out.Keys, err
}

// CreateKey makes a key that may no more, and lives no longer, than the one in use. The secret is
// in the reply, this once.
func (c *Catalog) CreateKey(ctx context.Context, in catalogapi.KeyRequest) (catalogapi.KeyWithSecret, error) {
	return post[catalogapi.KeyWithSecret](ctx, c.transport(), apiPath("keys"), in)
}

// RotateKey gives a key a new secret, which is in the reply, this once; the old one ends at once.
func (c *Catalog) RotateKey(ctx context.Context, id string) (catalogapi.KeyWithSecret, error) {
	return post[catalogapi.KeyWithSecret](ctx, c.transport(), apiPath("keys", id, "rotate"), nil)
}

// RevokeKey ends a key.
func (c *Catalog) RevokeKey(ctx context.Context, id string) error {
	return c.transport().do(ctx, http.MethodDelete, apiPath("keys", id), nil, nil)
}
