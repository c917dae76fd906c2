package client

import (
	"context"
	"net/http"

	"waxwing/api/catalogapi"
)

// Keys lists the valid keys of the key's owner, without their secrets. Like all calls about keys it
// needs a key with the permission keys.
func (c *Catalog) Keys(ctx context.Context) ([]catalogapi.Key, error) {
	out, err := get[catalogapi.KeyList](ctx, c.transport(), apiPath("keys"))
	return out.Keys, err
}

// CreateKey creates a key with at most the permissions and the lifetime of the one in use. Only
// this reply has the secret.
func (c *Catalog) CreateKey(ctx context.Context, in catalogapi.KeyRequest) (catalogapi.KeyWithSecret, error) {
	return post[catalogapi.KeyWithSecret](ctx, c.transport(), apiPath("keys"), in)
}

// RotateKey replaces the secret of a key. Only this reply has the new secret; the old one is
// invalid at once.
func (c *Catalog) RotateKey(ctx context.Context, id string) (catalogapi.KeyWithSecret, error) {
	return post[catalogapi.KeyWithSecret](ctx, c.transport(), apiPath("keys", id, "rotate"), nil)
}

// RevokeKey revokes a key.
func (c *Catalog) RevokeKey(ctx context.Context, id string) error {
	return c.transport().do(ctx, http.MethodDelete, apiPath("keys", id), nil, nil)
}
