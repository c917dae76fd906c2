package playerhttp

import (
	"net"
	"net/http"
	"time"

	"waxwing/api/playerapi"
	"waxwing/internal/httpkit"
	"waxwing/internal/player"
)

func (s *server) health(*http.Request, httpkit.None) (playerapi.Health, error) {
	h := playerapi.Health{OK: true, Status: "running"}
	if addr, ok := s.cfg.Addr.(*net.TCPAddr); ok {
		h.Host, h.Port = addr.IP.String(), addr.Port
	}
	return h, nil
}

func (s *server) currentTrack(*http.Request, httpkit.None) (playerapi.CurrentTrack, error) {
	st, position := s.now()
	return playerapi.CurrentTrack{Track: wireTrack(st, position)}, nil
}

// now returns a status and the current position in its track. It reads again if the track changed
// between the two.
func (s *server) now() (*player.Status, time.Duration) {
	for {
		st := s.player.Status()
		position := s.player.Position()
		if s.player.Status() == st {
			return st, position
		}
	}
}

// wireTrack returns the current track as in the API, or nil if there is none.
func wireTrack(st *player.Status, position time.Duration) *playerapi.Track {
	t, ok := st.Current()
	if !ok {
		return nil
	}
	return &playerapi.Track{
		ID: t.ID, Title: t.Title, Artist: t.Artist, Album: t.Album, CoverURL: t.CoverURL, ThumbnailURL: t.ThumbnailURL,
		Duration: wholeMillis(t.Duration), Position: wholeMillis(min(position, t.Duration)), IsPlaying: st.Playing,
	}
}

// wholeMillis rounds as the catalog rounds durations: the end of a track is its duration.
func wholeMillis(d time.Duration) float64 {
	return float64(max(d, 0).Round(time.Millisecond).Milliseconds())
}

func (s *server) playbackState(*http.Request, httpkit.None) (playerapi.PlaybackState, error) {
	st := s.player.Status()
	return playerapi.PlaybackState{IsPlaying: st.Playing, Shuffle: st.Shuffle, Repeat: playerapi.Repeat(st.Repeat)}, nil
}

func (s *server) modes(*http.Request, httpkit.None) (playerapi.Modes, error) {
	return modesOf(s.player.Status()), nil
}

func modesOf(st *player.Status) playerapi.Modes {
	state := playerapi.PlayerState("paused")
	switch {
	case st.Playing:
		state = "playing"
	case st.Stopped:
		state = "stopped"
	}
	return playerapi.Modes{
		State: state, StopAfter: playerapi.Mode(st.StopAfter), Consume: playerapi.Mode(st.Consume),
	}
}

func (s *server) volume(*http.Request, httpkit.None) (playerapi.Volume, error) {
	st := s.player.Status()
	return playerapi.Volume{Volume: st.Volume, Muted: st.Muted}, nil
}

func (s *server) outputs(r *http.Request, _ httpkit.None) (playerapi.Outputs, error) {
	devices, err := s.player.Outputs(r.Context())
	out := playerapi.Outputs{Outputs: make([]playerapi.Output, len(devices))}
	for i, d := range devices {
		out.Outputs[i] = playerapi.Output{ID: d.ID, Name: d.Name, Active: d.Active}
	}
	return out, err
}

func (s *server) publicUser(r *http.Request, _ httpkit.None) (playerapi.PublicUserReply, error) {
	return s.profile.read(r.Context())
}

func (s *server) ready(r *http.Request, _ httpkit.None) (playerapi.Ready, error) {
	return playerapi.Ready{Ready: true}, s.cfg.Ready(r.Context())
}
