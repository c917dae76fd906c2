package player

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"waxwing/client"
	"waxwing/internal/fault"
)

// errNoPersonal is the error for a catalog that sends no personal data, or invalid ones.
var errNoPersonal = errors.New("the catalog sent no valid personal data")

// Personal implements PersonalLibrary. A catalog that is too old refuses the request.
func (l Remote) Personal(ctx context.Context, id string) (Personal, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	song, err := l.Catalog.SongForMe(ctx, id)
	if err != nil {
		return Personal{}, catalogFault(err, "there is no song "+clip(id, maxID))
	}
	if song.Me == nil || song.Me.Rating < 0 || song.Me.Rating > 5 {
		return Personal{}, errNoPersonal
	}
	return Personal{Liked: song.Me.Liked, Rating: song.Me.Rating}, nil
}

// SetLiked implements PersonalLibrary.
func (l Remote) SetLiked(ctx context.Context, id string, liked bool) error {
	return l.store(ctx, id, func(ctx context.Context) error {
		if liked {
			return l.Catalog.Like(ctx, id)
		}
		return l.Catalog.Unlike(ctx, id)
	})
}

// SetRating implements PersonalLibrary.
func (l Remote) SetRating(ctx context.Context, id string, rating int) error {
	return l.store(ctx, id, func(ctx context.Context) error { return l.Catalog.Rate(ctx, id, rating) })
}

func (l Remote) store(ctx context.Context, id string, change func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	err := change(ctx)
	if client.StatusOf(err) == http.StatusForbidden {
		return fault.Wrap(fault.Forbidden, err, "the key of this player may not change likes and ratings; "+
			"give the player a key with the permission write (create it with: waxwing key create)")
	}
	if err != nil {
		return catalogFault(err, "the catalog has no song "+clip(id, maxID)+", or is too old to store likes and ratings")
	}
	return nil
}

// PersonalChanges implements PersonalLibrary.
func (l Remote) PersonalChanges(ctx context.Context) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		for _, err := range l.Catalog.PersonalVersions(ctx) {
			if err == nil && !yield(struct{}{}) {
				return
			}
		}
	}
}
