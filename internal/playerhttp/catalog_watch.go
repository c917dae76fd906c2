package playerhttp

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"waxwing/api/playerapi"
)

// refusedWait is how long the watch waits after the catalog refused to report its revision. A
// newer catalog may have been installed meanwhile.
const refusedWait = 5 * time.Minute

// newCatalogWatch follows the revision of the catalog over one connection. revisions may be nil.
func newCatalogWatch(
	revisions func(context.Context) iter.Seq2[string, error], log *slog.Logger,
) *watch[playerapi.CatalogState] {
	if revisions == nil {
		return newWatch[playerapi.CatalogState]("catalog", nil)
	}
	return newWatch("catalog", func(ctx context.Context, publish func(playerapi.CatalogState)) {
		followCatalog(ctx, revisions, publish, log)
	})
}

// followCatalog publishes the revisions that the catalog reports, until ctx is done.
func followCatalog(
	ctx context.Context, revisions func(context.Context) iter.Seq2[string, error],
	publish func(playerapi.CatalogState), log *slog.Logger,
) {
	var state playerapi.CatalogState
	for first := true; ctx.Err() == nil; first = false {
		for revision, err := range revisions(ctx) {
			reachable := err == nil
			if reachable {
				state.Revision = &revision
			} else if ctx.Err() != nil {
				return
			} else if state.Reachable || first {
				log.DebugContext(ctx, "cannot follow the catalog's revision", "err", err)
			}
			if reachable || state.Reachable || first {
				first, state.Reachable = false, reachable
				publish(state)
			}
		}
		if first {
			log.DebugContext(ctx, "the catalog does not report its revision")
		}
		select {
		case <-ctx.Done():
		case <-time.After(refusedWait):
		}
	}
}
