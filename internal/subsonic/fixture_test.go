package subsonic_test

import (
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/lyrics"
	"waxwing/internal/subsonic"
	"waxwing/internal/testenv/apitest"
	"waxwing/internal/testenv/catalogtest"
)

const version = "1.2.3-test"

// fixture is a catalog with its Subsonic API on a loopback port.
type fixture struct {
	*catalogtest.Catalog
	url     string
	cfg     subsonic.Config
	store   *catalog.Store
	music   string            // folder of the files
	secrets map[string]string // by name: of the apps app and reader of Ann and bobs of Bob; of the key "key"
	keys    map[string]catalog.Key
	ids     []string // ids of the songs
	http    *http.Client
	scans   int
}

// onBoth runs f with a fixture on SQLite and one on PostgreSQL.
func onBoth(t *testing.T, songs int, f func(t *testing.T, h *fixture)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, start(t, songs)) })
	t.Run("postgres", func(t *testing.T) { f(t, startOn(t, cluster.Database(t), songs)) })
}

func start(t testing.TB, songs int, change ...func(*subsonic.Config)) *fixture {
	t.Helper()
	return startOn(t, filepath.Join(t.TempDir(), "catalog.db"), songs, change...)
}

func startOn(t testing.TB, db string, songs int, change ...func(*subsonic.Config)) *fixture {
	t.Helper()
	c := catalogtest.Open(t, db)
	h := &fixture{
		Catalog: c, store: c.Store, music: c.Music, secrets: map[string]string{}, keys: map[string]catalog.Key{},
		http: &http.Client{Transport: &http.Transport{}},
	}
	log := slog.New(slog.DiscardHandler)
	h.cfg = subsonic.Config{
		Catalog: h.store, Version: version, Picture: c.Picture, Metrics: prometheus.NewRegistry(), Log: log,
		OpenFile: c.OpenFile, StartScan: func() { h.scans++ },
	}
	for _, f := range change {
		f(&h.cfg)
	}
	h.fill(t, songs)
	server, err := subsonic.New(t.Context(), h.cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln := apitest.Listen(t)
	h.url = "http://" + ln.Addr().String()
	stop := apitest.Serve(t, ln, server, h.cfg.Log)
	t.Cleanup(func() {
		h.http.CloseIdleConnections()
		stop()
	})
	return h
}

// fill adds users, keys and songs.
func (h *fixture) fill(t testing.TB, songs int) {
	t.Helper()
	h.AddUsers(t)
	both := []string{"read", "write"}
	h.addKey(t, true, catalog.NewKey{Name: "app", Owner: "ann", Permissions: both})
	h.addKey(t, true, catalog.NewKey{Name: "reader", Owner: "ann", Permissions: []string{"read"}})
	h.addKey(t, true, catalog.NewKey{Name: "bobs", Owner: "bob", Permissions: both})
	h.addKey(t, false, catalog.NewKey{Name: "key", Owner: "ann", Permissions: []string{"read", "write", "keys"}})
	h.ids = h.add(t, 0, songs)
}

func (h *fixture) addKey(t testing.TB, app bool, n catalog.NewKey) {
	t.Helper()
	var err error
	h.secrets[n.Name], n.Hash, n.AppState = access.MintKey(app)
	if h.keys[n.Name], err = h.store.CreateKey(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// song returns a song of many kinds: with and without album, artist, genre, year, gain and lyrics.
func (h *fixture) song(n int) catalog.ScannedSong {
	song := catalog.ScannedSong{
		File:  h.File(n),
		Title: fmt.Sprintf("Söng <%d> & \"more\"", n), Year: 1990 + n%10, Track: 1 + n%12, Disc: 1,
		Genres: []string{"Pop", "Rock & Roll"}[:1+n%2], Format: "flac", Bitrate: 800,
		Duration: time.Duration(100+n%200) * time.Second,
		Credits: []catalog.Credit{
			{Artist: catalog.ArtistTag{Name: fmt.Sprintf("The Artist %d", n/24)}, Role: catalog.MainArtist},
			{Artist: catalog.ArtistTag{Name: "Guest"}, Role: catalog.FeaturedArtist},
		},
		Album: &catalog.AlbumTag{Title: fmt.Sprintf("Album %d", n/12), Year: 1990 + n/12%10,
			Artists: []catalog.ArtistTag{{Name: fmt.Sprintf("The Artist %d", n/24)}}},
	}
	explicit := n%2 == 0
	switch n % 12 {
	case 1:
		gain, peak := -7.25, 0.98
		song.Gain = catalog.ReplayGain{TrackGain: &gain, TrackPeak: &peak}
		song.Details = catalog.Details{SampleRate: 44100, Channels: 2, BitDepth: 16,
			MusicBrainz: catalog.MusicBrainzIDs{Recording: "7f5c23b4-1111-4c6e-9d8e-000000000001"}}
	case 2:
		song.Album, song.Explicit = nil, &explicit
	case 3:
		song.Album, song.Credits, song.Year, song.Genres = nil, nil, 0, nil
	case 4, 5:
		song.Album = &catalog.AlbumTag{Title: fmt.Sprintf("Hits %d", n/24), Compilation: true}
	case 6:
		song.Lyrics = []lyrics.Text{
			{Source: lyrics.Tag, Lang: "eng",
				Text: "[offset:100]\n[00:01.00]first & <line>\n[00:02.50]<00:02.50>two <00:03.00>words"},
			{Source: lyrics.TXTFile, Text: "plain text\nwithout times"},
		}
	}
	return song
}

// add adds songs with files, numbered from first.
func (h *fixture) add(t testing.TB, first, songs int) (ids []string) {
	t.Helper()
	return h.Add(t, first, songs, h.song)
}

// login returns the parameters of a login of an app with a token.
func (h *fixture) login(name string) url.Values {
	salt := "s4lt-" + name
	sum := md5.Sum([]byte(h.secrets[name] + salt)) //nolint:gosec // as above
	user := h.keys[name].Owner.Username
	return url.Values{"u": {user}, "t": {hex.EncodeToString(sum[:])}, "s": {salt}, "c": {"test"}, "v": {"1.16.1"}}
}

// reply is a response with its body.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a GET with the given query.
func (h *fixture) send(t testing.TB, name string, query url.Values, header ...string) reply {
	t.Helper()
	req := apitest.NewRequest(t, http.MethodGet, h.url+"/rest/"+name+"?"+query.Encode(), "", header...)
	resp, body := apitest.Send(t, h.http, req)
	return reply{resp.StatusCode, resp.Header, body}
}

// query returns the parameters of a call of an app. values are names and values.
func (h *fixture) query(app string, values ...string) url.Values {
	q := h.login(app)
	for i := 0; i+1 < len(values); i += 2 {
		q.Add(values[i], values[i+1])
	}
	return q
}
