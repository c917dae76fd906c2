package subsonic

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/art"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/transcode"
)

// stream sends the audio of a song, converted if the app asks for it. That is not a play: apps
// report plays with scrobble.
func (s *server) stream(w http.ResponseWriter, r *http.Request) error {
	return s.serveSong(w, r, "id", func(p params, song *catalog.FullSong) (transcode.Variant, bool, error) {
		return s.wanted(p, song)
	})
}

// download sends the file of a song unchanged.
func (s *server) download(w http.ResponseWriter, r *http.Request) error {
	return s.serveSong(w, r, "id", func(params, *catalog.FullSong) (v transcode.Variant, convert bool, err error) {
		return v, false, nil
	})
}

// choose returns what is to be sent of a song: a variant, or the original if convert is false.
type choose func(p params, song *catalog.FullSong) (v transcode.Variant, convert bool, err error)

// serveSong sends the audio of the song that a parameter names.
func (s *server) serveSong(w http.ResponseWriter, r *http.Request, name string, f choose) error {
	p := paramsOf(r)
	id, err := p.required(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), databaseTimeout)
	defer cancel()
	song, err := s.store.FullSong(ctx, keyOf(r).Viewer(), id)
	if err != nil {
		return err
	}
	file, format, err := s.store.SongFile(ctx, id)
	if err != nil {
		return err
	}
	v, convert, err := f(p, &song)
	if err != nil {
		return err
	}
	if convert {
		return s.serveConverted(w, r, id, file, v)
	}
	contentType := catalog.ContentType(format, path.Ext(file.Path))
	media, err := s.cfg.OpenMedia(r, file, contentType)
	if err != nil {
		return err
	}
	defer media.Close()
	media.Name, media.Type = id, contentType
	w.Header().Set("X-Content-Duration", strconv.FormatFloat(float64(song.Duration)/1000, 'f', 3, 64))
	return httpkit.ServeFile(w, r, media, func(status int, err error) { s.failure(w, r, status, err) })
}

// pictureTime is how long a picture may take to be drawn.
const pictureTime = 15 * time.Second

// getCoverArt sends the picture with a name, or that of a song, album, artist or playlist.
func (s *server) getCoverArt(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r)
	id, err := p.required("id")
	if err != nil {
		return err
	}
	wanted, err := p.int("size", 0, 0, 1<<20)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), pictureTime)
	defer cancel()
	if hash, ok := s.covers.Hash(id); ok {
		return s.sendPicture(ctx, w, r, hash, sizeFor(wanted), "private, max-age=31536000, immutable")
	}
	hash, err := s.coverOf(ctx, keyOf(r).Viewer(), id)
	if err != nil {
		return err
	}
	return s.sendPicture(ctx, w, r, hash, sizeFor(wanted), "private, no-cache")
}

// sizeFor returns the smallest size that is not smaller than wanted; 0 wants the original.
func sizeFor(wanted int64) art.Size {
	if wanted == 0 {
		return art.Original
	}
	for _, size := range []art.Size{art.Thumbnail, art.Small, art.Medium} {
		if wanted <= int64(size) {
			return size
		}
	}
	return art.Largest
}

// coverOf returns the picture of an object.
func (s *server) coverOf(ctx context.Context, v catalog.Viewer, id string) (string, error) {
	switch {
	case id == various.ID:
		loose, total, err := s.store.AlbumsWithoutArtist(ctx, 1)
		if err == nil && total == 0 {
			err = fault.New(fault.NotFound, "there is no such cover")
		}
		return variousArtist(loose, total).Cover, err
	case strings.HasPrefix(id, "so_"):
		song, err := s.store.Song(ctx, id)
		return song.Cover, err
	case strings.HasPrefix(id, "al_"):
		album, err := s.store.Album(ctx, id)
		return album.Cover, err
	case strings.HasPrefix(id, "ar_"):
		artist, err := s.store.Artist(ctx, id)
		return artist.Cover, err
	case strings.HasPrefix(id, "pl_"):
		playlist, err := s.store.Playlist(ctx, v, id)
		return playlist.Cover, err
	}
	return "", fault.New(fault.NotFound, "there is no cover %.64q", id)
}

func (s *server) sendPicture(
	ctx context.Context, w http.ResponseWriter, r *http.Request, hash string, size art.Size, caching string,
) error {
	image, err := s.cfg.Picture(ctx, art.Request{Hash: hash, Size: size})
	if err != nil {
		return err
	}
	tag := fmt.Sprintf(`"%s-%d"`, s.cover(hash), image.Size)
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", caching)
	if httpkit.MatchesETag(r.Header["If-None-Match"], tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return httpkit.WriteBody(w, http.StatusOK, image.Type, image.Bytes)
}

// getAvatar sends the picture of a user.
func (s *server) getAvatar(w http.ResponseWriter, r *http.Request) error {
	name, err := paramsOf(r).required("username")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), pictureTime)
	defer cancel()
	user, err := s.store.User(ctx, name)
	if err != nil {
		return err
	}
	return s.sendPicture(ctx, w, r, user.Cover, art.Small, "private, no-cache")
}
