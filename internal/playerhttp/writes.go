package playerhttp

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"waxwing/api/playerapi"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/player"
)

// done adapts a command without input and without output.
func done(command func(context.Context) error) func(*http.Request, httpkit.None) (playerapi.OK, error) {
	return func(r *http.Request, _ httpkit.None) (playerapi.OK, error) {
		return playerapi.OK{OK: true}, command(r.Context())
	}
}

func (s *server) play(r *http.Request, in playerapi.PlayRequest) (playerapi.Played, error) {
	if in.TrackID == nil {
		id, err := s.player.Play(r.Context())
		return playerapi.Played{OK: true, TrackID: id}, err
	}
	if *in.TrackID == "" {
		return playerapi.Played{}, fault.New(fault.Invalid, "track_id must be a non-empty string")
	}
	return playerapi.Played{OK: true, TrackID: *in.TrackID}, s.player.PlayTrack(r.Context(), *in.TrackID)
}

// seekSentence is the error of a position that is no position, also in api/player.yaml.
const seekSentence = "position must be a non-negative number in milliseconds"

// withoutSeekCode omits the code of that error: its body has been fixed as {"error": "…"}.
func withoutSeekCode(seek httpkit.Handler) httpkit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := seek(w, r)
		if kind, sentence := fault.Of(err); err != nil && sentence == seekSentence {
			return fault.WithCode(kind, fault.NoCode, seekSentence)
		}
		return err
	}
}

func (s *server) seek(r *http.Request, in playerapi.SeekRequest) (playerapi.Sought, error) {
	if in.Position < 0 {
		return playerapi.Sought{}, fault.New(fault.Invalid, seekSentence)
	}
	at, err := s.player.Seek(r.Context(), fromMillis(in.Position))
	return playerapi.Sought{OK: true, Position: float64(at.Microseconds()) / 1000}, err
}

// fromMillis turns a non-negative number of milliseconds into a duration. A number that overflows
// becomes the longest duration, which is past the end of every track.
func fromMillis(ms float64) time.Duration {
	const limit = math.MaxInt64 / int64(time.Millisecond)
	if ms >= float64(limit) {
		return math.MaxInt64
	}
	return time.Duration(ms * float64(time.Millisecond))
}

func (s *server) toggle(r *http.Request, _ httpkit.None) (playerapi.Toggled, error) {
	playing, err := s.player.Toggle(r.Context())
	return playerapi.Toggled{OK: true, IsPlaying: playing}, err
}

func (s *server) shuffle(r *http.Request, in playerapi.ShuffleRequest) (playerapi.ShuffleReply, error) {
	return playerapi.ShuffleReply{OK: true, Shuffle: in.Shuffle}, s.player.SetShuffle(r.Context(), in.Shuffle)
}

func (s *server) repeat(r *http.Request, in playerapi.RepeatRequest) (playerapi.RepeatReply, error) {
	// repeat may also be true, false, 1 or 0, which print as the words that ParseRepeat accepts.
	repeat, err := player.ParseRepeat(fmt.Sprint(in.Repeat))
	if err != nil {
		return playerapi.RepeatReply{}, err
	}
	return playerapi.RepeatReply{OK: true, Repeat: playerapi.Repeat(repeat)}, s.player.SetRepeat(r.Context(), repeat)
}

func (s *server) setModes(r *http.Request, in playerapi.ModesRequest) (playerapi.ModesReply, error) {
	stopAfter, err := mode("stop_after", in.StopAfter)
	if err != nil {
		return playerapi.ModesReply{}, err
	}
	consume, err := mode("consume", in.Consume)
	if err != nil {
		return playerapi.ModesReply{}, err
	}
	if stopAfter == nil && consume == nil {
		return playerapi.ModesReply{}, fault.New(fault.Invalid, "at least one of stop_after and consume must be set")
	}
	if err := s.player.SetModes(r.Context(), stopAfter, consume); err != nil {
		return playerapi.ModesReply{}, err
	}
	now := modesOf(s.player.Status())
	return playerapi.ModesReply{OK: true, State: now.State, StopAfter: now.StopAfter, Consume: now.Consume}, nil
}

// mode parses a mode of a request; nil stays nil.
func mode(name string, word *string) (*player.Mode, error) {
	if word == nil {
		return nil, nil //nolint:nilnil // an absent mode is not changed
	}
	m, err := player.ParseMode(*word)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s must be one of off, on, once", name)
	}
	return &m, nil
}

func (s *server) setVolume(r *http.Request, in playerapi.VolumeRequest) (playerapi.VolumeReply, error) {
	if in.Volume == nil && in.Muted == nil {
		return playerapi.VolumeReply{}, fault.New(fault.Invalid, "volume must be a whole number from 0 to 100")
	}
	if err := s.player.SetVolume(r.Context(), in.Volume, in.Muted); err != nil {
		return playerapi.VolumeReply{}, err
	}
	st := s.player.Status()
	return playerapi.VolumeReply{OK: true, Volume: st.Volume, Muted: st.Muted}, nil
}

func (s *server) setOutput(r *http.Request, in playerapi.OutputRequest) (playerapi.OK, error) {
	return playerapi.OK{OK: true}, s.player.SetOutput(r.Context(), in.ID)
}
