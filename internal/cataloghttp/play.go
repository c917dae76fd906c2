package cataloghttp

import (
	"net/http"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

func (s *server) play(r *http.Request, in catalogapi.NewPlay) (catalogapi.PlayReply, error) {
	key, err := idempotencyKey(r)
	if err != nil {
		return catalogapi.PlayReply{}, err
	}
	at := time.Now()
	if in.PlayedAt != nil {
		if at, err = time.Parse(time.RFC3339Nano, *in.PlayedAt); err != nil || at.Year() < 1970 {
			return catalogapi.PlayReply{}, fault.New(fault.Invalid,
				"played_at must be a time like 2026-11-15T08:30:00.000Z")
		}
	}
	counted, err := s.store.RecordPlay(r.Context(), catalog.Play{
		SongID: in.SongID, Listener: viewer(r.Context()), PlayedAt: at, Idempotency: key,
		Source: httpkit.CallerOf(r.Context()).Name,
	})
	s.plays.Count(counted, err)
	return catalogapi.PlayReply{OK: true, Counted: counted}, err
}

// idempotencyKey returns the Idempotency-Key of the request, or "" if it has none.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header["Idempotency-Key"]
	if len(values) == 0 {
		return "", nil
	}
	ok := len(values) == 1 && len(values[0]) >= 1 && len(values[0]) <= 128
	for i := 0; ok && i < len(values[0]); i++ {
		ok = values[0][i] >= ' ' && values[0][i] <= '~'
	}
	if !ok {
		return "", fault.New(fault.Invalid,
			"Idempotency-Key must be given once, with 1 to 128 printable ASCII characters")
	}
	return values[0], nil
}
