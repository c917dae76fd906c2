package cataloghttp

import (
	"net/http"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// playlistReply returns the reply with a changed playlist.
func (s *server) playlistReply(
	r *http.Request, p catalog.Playlist, err error,
) (catalogapi.PlaylistReply, error) {
	if err != nil {
		return catalogapi.PlaylistReply{}, err
	}
	return catalogapi.PlaylistReply{Playlist: wirePlaylist(s.links(r), p, nil)}, nil
}

func (s *server) createPlaylist(r *http.Request, in catalogapi.NewPlaylist) (catalogapi.PlaylistReply, error) {
	if err := checkDescription(in.Description); err != nil {
		return catalogapi.PlaylistReply{}, err
	}
	n := catalog.NewPlaylist{Name: in.Name, SongIDs: in.SongIDs, Public: in.Public != nil && *in.Public,
		Rules: readRules(in.Rules)}
	if in.Description != nil {
		n.Description = *in.Description
	}
	p, err := s.store.CreatePlaylist(r.Context(), viewer(r.Context()), n)
	return s.playlistReply(r, p, err)
}

func (s *server) changePlaylist(r *http.Request, in catalogapi.PlaylistChange) (catalogapi.PlaylistReply, error) {
	if err := checkDescription(in.Description); err != nil {
		return catalogapi.PlaylistReply{}, err
	}
	p, err := s.store.ChangePlaylist(r.Context(), viewer(r.Context()), r.PathValue("playlist_id"),
		catalog.PlaylistChange{Name: in.Name, Description: in.Description, Public: in.Public,
			Rules: readRules(in.Rules)})
	return s.playlistReply(r, p, err)
}

func checkDescription(text *string) error {
	const maxRunes = 2000
	if text != nil && len([]rune(*text)) > maxRunes {
		return fault.New(fault.Invalid, "description must have at most %d characters", maxRunes)
	}
	return nil
}

func (s *server) deletePlaylist(r *http.Request, _ httpkit.None) (catalogapi.OK, error) {
	err := s.store.DeletePlaylist(r.Context(), viewer(r.Context()), r.PathValue("playlist_id"))
	return catalogapi.OK{OK: true}, err
}

func (s *server) addSongs(r *http.Request, in catalogapi.AddSongs) (catalogapi.PlaylistReply, error) {
	if len(in.SongIDs) == 0 {
		return catalogapi.PlaylistReply{}, fault.New(fault.Invalid, "song_ids must name at least one song")
	}
	var at *int64
	if in.Position != nil {
		n := int64(*in.Position)
		at = &n
	}
	p, err := s.store.AddSongs(r.Context(), viewer(r.Context()), r.PathValue("playlist_id"), in.SongIDs, at)
	return s.playlistReply(r, p, err)
}

func (s *server) replaceSongs(r *http.Request, in catalogapi.ReplaceSongs) (catalogapi.PlaylistReply, error) {
	p, err := s.store.ReplaceSongs(r.Context(), viewer(r.Context()), r.PathValue("playlist_id"), in.SongIDs)
	return s.playlistReply(r, p, err)
}

func (s *server) moveSong(r *http.Request, in catalogapi.MoveSong) (catalogapi.PlaylistReply, error) {
	from, err := position(r)
	if err != nil {
		return catalogapi.PlaylistReply{}, err
	}
	ctx := r.Context()
	p, err := s.store.MoveSong(ctx, viewer(ctx), r.PathValue("playlist_id"), from, int64(in.To), in.SongID)
	return s.playlistReply(r, p, err)
}

func (s *server) removeSong(r *http.Request, _ httpkit.None) (catalogapi.PlaylistReply, error) {
	at, err := position(r)
	if err != nil {
		return catalogapi.PlaylistReply{}, err
	}
	song := r.URL.Query()["song_id"]
	if len(song) != 1 || song[0] == "" {
		return catalogapi.PlaylistReply{}, fault.New(fault.Invalid, "song_id must name the song at that position")
	}
	p, err := s.store.RemoveSong(r.Context(), viewer(r.Context()), r.PathValue("playlist_id"), at, song[0])
	return s.playlistReply(r, p, err)
}
