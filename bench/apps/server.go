package apps

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waxwing/bench/gauge"
)

// server is a server of the Subsonic API with one connection, as an app has it. Every request has a
// token with a salt of its own, as most apps send them.
type server struct {
	gauge.Target
	name           string
	user, password string
	conn           *gauge.Conn
	calls          int
	albums, songs  []string       // ids
	playlists      map[int]string // ids by the number of entries
}

func newServer(name string, at gauge.Target, user, password string) *server {
	return &server{Target: gauge.Target{Base: at.Base}, name: name, user: user, password: password,
		playlists: make(map[int]string)}
}

// connect opens a connection, in place of one that the server may have closed meanwhile.
func (s *server) connect() (err error) {
	s.close()
	s.conn, err = s.Dial()
	return err
}

func (s *server) close() {
	if s.conn != nil {
		s.conn.Close()
	}
}

// query returns parameters with a login.
func (s *server) query(params []string) url.Values {
	salt := strconv.FormatUint(rand.Uint64(), 36)
	sum := md5.Sum([]byte(s.password + salt)) //nolint:gosec // the Subsonic API prescribes it
	q := url.Values{"u": {s.user}, "t": {hex.EncodeToString(sum[:])}, "s": {salt}, "v": {"1.16.1"}, "c": {"bench"},
		"f": {"json"}}
	for i := 0; i+1 < len(params); i += 2 {
		q.Add(params[i], params[i+1])
	}
	return q
}

// path returns the path of a call.
func (s *server) path(method string, params ...string) string {
	return "/rest/" + method + "?" + s.query(params).Encode()
}

// uncached returns the path of a call whose reply no cache by question has.
func (s *server) uncached(method string, params ...string) string {
	s.calls++
	return s.path(method, append([]string{"bench", strconv.Itoa(s.calls)}, params...)...)
}

// time sends one call and returns how long it took.
func (s *server) time(path string) (time.Duration, error) {
	took, err := s.conn.Time("GET", path, "")
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	return took, nil
}

// post sends a call as a form and decodes the content of the reply, if into is not nil.
func (s *server) post(method string, into any, params ...string) (time.Duration, error) {
	began := time.Now()
	resp, err := http.PostForm(s.Base+"/rest/"+method, s.query(params))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	if err := decode(body, into); err != nil {
		return 0, fmt.Errorf("%s of %s: %w", method, s.name, err)
	}
	return took, nil
}

// decode reads the content of an envelope.
func decode(body []byte, into any) error {
	var envelope struct {
		Response json.RawMessage `json:"subsonic-response"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return fmt.Errorf("%w: %.200s", err, body)
	}
	if !bytes.Contains(envelope.Response, []byte(`"status":"ok"`)) {
		return fmt.Errorf("failed: %.300s", envelope.Response)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(envelope.Response, into)
}

// read calls a method once and decodes its reply.
func (s *server) read(into any, method string, params ...string) error {
	body, err := s.Raw("GET", s.path(method, params...), "")
	if err != nil {
		return err
	}
	return decode(body, into)
}

const pageSize = 500

// kinds are the parts of a sync, in the order of an app.
var kinds = []string{"artist", "album", "song"}

// page returns the parameters of a part of everything.
func page(kind string, number int) []string {
	params := []string{"query", `""`}
	for _, k := range kinds {
		count := "0"
		if k == kind {
			count = strconv.Itoa(pageSize)
		}
		params = append(params, k+"Count", count)
	}
	return append(params, kind+"Offset", strconv.Itoa(number*pageSize))
}

// pages synchronizes once and returns the number of pages of each kind, the last of which is not
// full. It records the ids of albums and songs.
func (s *server) pages() (counts [3]int, err error) {
	for i, kind := range kinds {
		for rows := pageSize; rows == pageSize; counts[i]++ {
			var found struct {
				SearchResult3 map[string][]struct{ ID string }
			}
			if err := s.read(&found, "search3", page(kind, counts[i])...); err != nil {
				return counts, err
			}
			list := found.SearchResult3[kind]
			for _, row := range list {
				switch kind {
				case "album":
					s.albums = append(s.albums, row.ID)
				case "song":
					s.songs = append(s.songs, row.ID)
				}
			}
			rows = len(list)
		}
	}
	if len(s.songs) == 0 || len(s.albums) == 0 {
		return counts, errors.New(s.name + " has no songs")
	}
	return counts, nil
}

// ids returns the values of a repeated parameter.
func ids(name string, values []string) (params []string) {
	for _, value := range values {
		params = append(params, name, value)
	}
	return params
}

// createPlaylist creates a playlist of the first n songs.
func (s *server) createPlaylist(n int) (took time.Duration, err error) {
	var created struct{ Playlist struct{ ID string } }
	params := append([]string{"name", "bench " + strconv.Itoa(n)}, ids("songId", s.songs[:n])...)
	if took, err = s.post("createPlaylist", &created, params...); err != nil {
		return 0, err
	}
	id := created.Playlist.ID
	var stored struct{ Playlist struct{ SongCount int } }
	if err := s.read(&stored, "getPlaylist", "id", id); err != nil {
		return 0, err
	}
	if got := stored.Playlist.SongCount; got != n {
		return 0, fmt.Errorf("%s stored %d of %d entries", s.name, got, n)
	}
	s.playlists[n] = id
	return took, nil
}

// login reads what “waxwing key create --app” prints.
func login(out, messages []byte) (user, secret string, err error) {
	_, rest, found := strings.Cut(string(messages), "the user name ")
	user, _, ended := strings.Cut(rest, ",")
	if !found || !ended {
		return "", "", fmt.Errorf("create the key of an app: %s", messages)
	}
	return user, strings.TrimSpace(string(out)), nil
}
