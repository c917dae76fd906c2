package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/backup"
	"waxwing/internal/catalog"
	"waxwing/internal/statefile"
)

// BackupLayout lists what a backup contains. It leaves out the secrets of the owner and the player:
// a server creates new ones, and backups are often stored where secrets should not be.
func BackupLayout() backup.Layout {
	return backup.Layout{Catalog: CatalogFile, Files: []string{TokensFile, JournalFile, PlaysFile, StickersFile},
		Dirs: []string{CoversDir + "/kept"}}
}

// Restored describes a completed restore.
type Restored struct {
	backup.Summary
	Replaced string   // folder of the files that were replaced
	Returned []string // ids and names of credentials that are valid now and were not before
}

// Restore replaces the files of the data folder with those of a backup. Credentials that are
// revoked in the data folder stay revoked; with revokeAll, all credentials of the backup are. The
// caller holds LockAll.
func (d DataDir) Restore(ctx context.Context, file string, revokeAll bool, log *slog.Logger) (r Restored, err error) {
	before, err := d.liveCredentials(ctx, log)
	if err != nil {
		// A restore often replaces files that are damaged. The list has what was revoked there.
		log.Warn("cannot read all credentials of the data folder; restoring by its list of revoked ones", "err", err)
	}
	r.Summary, r.Replaced, err = backup.Restore(ctx, file, string(d), BackupLayout(), func(staged string) error {
		unpacked := DataDir(staged)
		if err := copyList(d.File(access.RevokedFile), unpacked.File(access.RevokedFile)); err != nil {
			return err
		}
		if err := unpacked.prepare(ctx, revokeAll, log); err != nil {
			return err
		}
		after, err := unpacked.liveCredentials(ctx, log)
		for id, name := range after {
			if _, ok := before[id]; !ok {
				r.Returned = append(r.Returned, name)
			}
		}
		slices.Sort(r.Returned)
		return err
	})
	return r, err
}

// prepare revokes credentials of unpacked files. Responses that clients cached from the replaced
// catalog must not match the restored one, so it also renews the epoch.
func (d DataDir) prepare(ctx context.Context, revokeAll bool, log *slog.Logger) error {
	tokens, err := access.Open(d.File(TokensFile), log)
	if err != nil {
		return err
	}
	if revokeAll {
		err = tokens.RevokeAll(ctx)
	} else {
		err = tokens.SaveRevoked(ctx)
	}
	if err != nil {
		return err
	}
	store, err := d.OpenCatalog(ctx, catalog.Config{Log: log})
	if err != nil {
		return err
	}
	if revokeAll {
		_, err = store.RevokeHashes(ctx, func(string) bool { return true })
	}
	return errors.Join(err, store.RenewEpoch(ctx), store.Close())
}

// liveCredentials returns the valid tokens and keys by their hash or id. Reading them also
// completes the list of revoked ones.
func (d DataDir) liveCredentials(ctx context.Context, log *slog.Logger) (live map[string]string, err error) {
	live = map[string]string{}
	now := time.Now()
	tokens, err := access.Open(d.File(TokensFile), log)
	if err == nil {
		err = tokens.SaveRevoked(ctx)
		list, lerr := tokens.List()
		for _, t := range list {
			if t.Live(now) {
				live[t.ID] = "token " + t.ID + " “" + t.Name + "”"
			}
		}
		err = errors.Join(err, lerr)
	}
	if _, serr := os.Stat(d.File(CatalogFile)); errors.Is(serr, fs.ErrNotExist) {
		return live, err
	}
	store, oerr := d.OpenCatalog(ctx, catalog.Config{Log: log})
	if oerr != nil {
		return live, errors.Join(err, oerr)
	}
	keys, kerr := store.Keys(ctx)
	for _, k := range keys {
		if k.Live(now) {
			live[k.ID] = "key " + k.ID + " “" + k.Name + "”"
		}
	}
	return live, errors.Join(err, kerr, store.Close())
}

// copyList copies the list of revoked credentials, if there is one.
func copyList(from, to string) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return statefile.Write(to, text, 0o600)
}
