package playerhttp

import (
	"net/http"

	"waxwing/api/playerapi"
	"waxwing/internal/httpkit"
)

// like likes the current track, or removes the like.
func (s *server) like(liked bool) func(*http.Request, httpkit.None) (playerapi.Liked, error) {
	return func(r *http.Request, _ httpkit.None) (playerapi.Liked, error) {
		id, err := s.player.Like(r.Context(), liked)
		return playerapi.Liked{OK: true, TrackID: id, Liked: liked}, err
	}
}

// rate rates the current track.
func (s *server) rate(r *http.Request, in playerapi.RateRequest) (playerapi.Rated, error) {
	id, err := s.player.Rate(r.Context(), in.Rating)
	return playerapi.Rated{OK: true, TrackID: id, Rating: in.Rating}, err
}
