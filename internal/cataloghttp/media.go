package cataloghttp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/internal/art"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// linkLifetime is how long a signed link is valid.
const linkLifetime = 6 * time.Hour

func (s *server) stream(w http.ResponseWriter, r *http.Request) error {
	as, err := readConversion(r.URL.Query())
	if err != nil {
		return err
	}
	return s.serveAudio(w, r, r.PathValue("song_id"), as)
}

func (s *server) signedStream(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("song_id")
	q := r.URL.Query()
	as, err := readConversion(q)
	if err != nil {
		return err
	}
	if err := s.checkLink(id, as, q, time.Now()); err != nil {
		return err
	}
	return s.serveAudio(w, r, id, as)
}

// serveAudio sends the file of a song, unchanged unless a conversion is requested.
func (s *server) serveAudio(w http.ResponseWriter, r *http.Request, id string, as conversion) error {
	ctx, cancel := context.WithTimeout(r.Context(), databaseTimeout)
	file, format, err := s.store.SongFile(ctx, id)
	cancel()
	if err != nil {
		return err
	}
	if as != (conversion{}) && !as.isOriginal(file, format) {
		return s.serveConverted(w, r, id, file, as)
	}
	contentType := catalog.ContentType(format, path.Ext(file.Path))
	f, err := s.cfg.OpenMedia(r, file, contentType)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Name, f.Type = id, contentType
	return serveFile(w, r, f)
}

// serveFile sends a file. Its errors are JSON.
func serveFile(w http.ResponseWriter, r *http.Request, f httpkit.File) error {
	return httpkit.ServeFile(w, r, f, func(status int, err error) {
		_, sentence := fault.Of(err)
		httpkit.WriteError(w, status, fault.CodeOf(err), sentence)
	})
}

// link returns a signed URL of the audio that needs no key. The signature covers the conversion:
// whoever has a link cannot make the server do other work.
func (s *server) link(r *http.Request, _ httpkit.None) (catalogapi.Link, error) {
	as, err := readConversion(r.URL.Query())
	if err != nil {
		return catalogapi.Link{}, err
	}
	if as != (conversion{}) {
		if _, err := s.variant(as); err != nil {
			return catalogapi.Link{}, err
		}
	}
	song, err := s.store.Song(r.Context(), r.PathValue("song_id"))
	if err != nil {
		return catalogapi.Link{}, err
	}
	if !song.Available {
		return catalogapi.Link{}, fault.New(fault.NotFound, "the file of this song is missing")
	}
	expires := httpkit.CallerOf(r.Context()).Limit().Cut(time.Now().Add(linkLifetime)).Truncate(time.Second)
	q := url.Values{
		"expires":   {strconv.FormatInt(expires.Unix(), 10)},
		"signature": {s.sign(song.ID, as, expires.Unix())},
	}
	as.addTo(q)
	signed := s.base(r) + "/media/songs/" + song.ID + "?" + q.Encode()
	return catalogapi.Link{URL: signed, ExpiresAt: timestamp.At(expires)}, nil
}

// sign returns the signature of a link to a song that expires at the given Unix time.
func (s *server) sign(song string, as conversion, expires int64) string {
	mac := hmac.New(sha256.New, s.signing)
	fmt.Fprintf(mac, "waxwing media 1\n%s\n%d", song, expires)
	if as != (conversion{}) {
		fmt.Fprintf(mac, "\n%q\n%q", as.format, as.bitrate)
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// checkLink refuses a link with a wrong signature, and one that has expired.
func (s *server) checkLink(song string, as conversion, q url.Values, now time.Time) error {
	refused := fault.WithCode(fault.Forbidden, fault.InvalidLink,
		"this link is not valid; get one from /api/songs/{song_id}/link")
	if len(q["expires"]) != 1 || len(q["signature"]) != 1 || !isDigits(q["expires"][0]) {
		return refused
	}
	expires, err := strconv.ParseInt(q["expires"][0], 10, 64)
	if err != nil || strconv.FormatInt(expires, 10) != q["expires"][0] ||
		!hmac.Equal([]byte(q["signature"][0]), []byte(s.sign(song, as, expires))) {
		return refused
	}
	if now.Unix() >= expires {
		return fault.WithCode(fault.Forbidden, fault.InvalidLink,
			"this link has expired; get a new one from /api/songs/{song_id}/link")
	}
	return nil
}

// listenerPatience is how long a listener's cover may wait to be drawn. On a busy machine a page
// with many new covers needs more time than a query; the player's pass-through waits for 20 s.
const listenerPatience = 15 * time.Second

// cover sends a picture. Its URL contains a name of its content, so that it never changes. Who has
// no key gets small pictures, which cost little to draw; the files of the library are sent as they
// are.
func (s *server) cover(w http.ResponseWriter, r *http.Request) error {
	sizes := r.URL.Query()["size"]
	if len(sizes) > 1 {
		return fault.New(fault.Invalid, "size must be given at most once")
	}
	text := ""
	if len(sizes) == 1 {
		text = sizes[0]
	}
	size, err := art.ParseSize(text)
	if err != nil {
		return err
	}
	name := r.PathValue("hash")
	hash, ok := s.covers.Hash(name)
	if !ok {
		return errNoCover
	}
	stranger := httpkit.CallerOf(r.Context()).ID == ""
	patience := listenerPatience
	if stranger {
		patience = databaseTimeout
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	image, err := s.cfg.Picture(ctx, art.Request{Hash: hash, Size: size, Stranger: stranger})
	if err != nil {
		return err
	}
	tag := fmt.Sprintf(`"%s-%d"`, name, image.Size)
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "X-Api-Key")
	if httpkit.MatchesETag(r.Header["If-None-Match"], tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return httpkit.WriteBody(w, http.StatusOK, image.Type, image.Bytes)
}

var errNoCover = fault.New(fault.NotFound, "there is no such cover")
