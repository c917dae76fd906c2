package app

import (
	"context"
	"fmt"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/catalog"
)

// OpenCatalog opens the catalog of a data folder or, if cfg names one, another database. Keys in
// the folder's list of revoked credentials are revoked, and the list learns of keys that are
// revoked from now on: an older copy of the database then brings none of them back.
func (d DataDir) OpenCatalog(ctx context.Context, cfg catalog.Config) (*catalog.Store, error) {
	if cfg.DB == "" {
		cfg.DB = d.File(CatalogFile)
	}
	list := access.RevocationsIn(string(d))
	cfg.Retired = func(hash string) {
		if err := list.Add(retiredNow([]string{hash})); err != nil {
			cfg.Log.Error("a key is revoked, but not in the list that restores obey; check the disk of the data folder",
				"err", err)
		}
	}
	known, err := list.Read()
	if err != nil {
		return nil, err
	}
	store, err := catalog.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := exchangeRevoked(ctx, store, list, known); err != nil {
		cfg.Log.Error("cannot compare the keys with the list of revoked credentials", "err", err)
	}
	return store, nil
}

// exchangeRevoked revokes the keys of the list and adds the catalog's revoked keys to it.
func exchangeRevoked(
	ctx context.Context, store *catalog.Store, list access.Revocations, known map[access.Hash]time.Time,
) error {
	if _, err := store.RevokeHashes(ctx, func(hash string) bool {
		var h access.Hash
		err := h.UnmarshalText([]byte(hash))
		_, listed := known[h]
		return err == nil && listed
	}); err != nil {
		return fmt.Errorf("revoke the keys of the list: %w", err)
	}
	revoked, err := store.RevokedHashes(ctx)
	if err != nil {
		return fmt.Errorf("list revoked keys: %w", err)
	}
	return list.Add(retiredNow(revoked))
}

// retiredNow returns hashes of keys for the list.
func retiredNow(hashes []string) map[access.Hash]time.Time {
	list := map[access.Hash]time.Time{}
	for _, text := range hashes {
		var hash access.Hash
		if hash.UnmarshalText([]byte(text)) == nil { // always: the catalog stores no other form
			list[hash] = time.Now()
		}
	}
	return list
}
