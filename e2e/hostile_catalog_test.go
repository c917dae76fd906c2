package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// hostileCatalog is a catalog server that tries to exhaust the player. Songs whose id begins with
// "good" are well-formed and have sound.
type hostileCatalog struct {
	*httptest.Server
	sound   []byte // a WAV file
	sent    atomic.Int64
	leaked  atomic.Int64 // requests that followed a redirect
	replies atomic.Int64
}

// hugeTitle is a title of 300 KB.
var hugeTitle = strings.Repeat("<Ω>", 60_000)

func newHostileCatalog(t *testing.T) *hostileCatalog {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sound.wav")
	writeWAV(t, file, 44100, noise(1, 30*44100))
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostileCatalog{sound: sound}
	h.Server = httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return h
}

func (h *hostileCatalog) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Waxwing-Version", "test")
	w.Header().Set("X-Request-Id", strings.Repeat("r", 30_000))
	h.replies.Add(1)
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/"), "/")
	switch {
	case r.URL.Path == "/ready":
		fmt.Fprint(w, `{}`)
	case r.URL.Path == "/stolen":
		h.leaked.Add(1)
	case len(path) == 3 && path[0] == "songs" && path[2] == "stream":
		h.stream(w, r, path[1])
	case len(path) == 3 && path[2] == "songs":
		h.list(w, r, path[1])
	case len(path) == 2 && path[0] == "songs":
		h.song(w, r, path[1])
	case path[0] == "events":
		w.Header().Set("Content-Type", "text/event-stream")
		h.endless(w, "data: "+strings.Repeat("x", 60_000)+"\n") // one event without an end
	default:
		http.NotFound(w, r)
	}
}

// endless sends a text until the client closes the connection.
func (h *hostileCatalog) endless(w io.Writer, text string) {
	for {
		n, err := io.WriteString(w, text)
		h.sent.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// trickle sends a byte at a time.
func trickle(w http.ResponseWriter, r *http.Request, text string) {
	for i := 0; ; i++ {
		if _, err := io.WriteString(w, text[i%len(text):i%len(text)+1]); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush() // the next write reports what is wrong
		select {
		case <-r.Context().Done():
			return
		case <-time.After(300 * time.Millisecond):
		}
	}
}

func (h *hostileCatalog) fields(id string) map[string]any {
	return map[string]any{"id": id, "title": id, "artist": "Artist", "artists": []any{}, "album": "Album",
		"album_id": "al_1", "cover_url": h.URL + "/cover", "thumbnail_url": h.URL + "/cover", "duration": 30_000,
		"available": true}
}

// list replies with a page of songs.
func (h *hostileCatalog) list(w http.ResponseWriter, r *http.Request, kind string) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	switch kind {
	case "pages", "titles", "credits", "urls", "numbers":
		songs := make([]any, 200)
		for i := range songs {
			song := h.fields(fmt.Sprintf("good-%d-%d", page, i))
			switch kind {
			case "pages": // 60 MB
				song["title"] = hugeTitle
			case "titles": // within the limit of a reply
				song["title"] = hugeTitle[:8_000]
			case "credits":
				song["artists"] = []any{map[string]any{"id": "ar_1", "name": hugeTitle[:8_000]}, map[string]any{"id": "ar_2"}}
			case "urls":
				song["cover_url"] = "http://" + strings.Repeat("u", 20_000)
			case "numbers":
				song["duration"] = []any{-1, 1 << 53, -1 << 53, 9e15}[i%4]
				song["title"] = "bad \xff\xfe\x00\x1b[31m utf-8"
			}
			songs[i] = song
		}
		total := 3000 // all kinds together fit into one queue
		if kind == "titles" {
			total = 8000
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"songs": songs, "page": page, "limit": 200, "total": total})
	case "huge":
		fmt.Fprintf(w, `{"songs":[{"id":"good-1","available":true,"title":"`)
		h.endless(w, hugeTitle)
	case "elements":
		fmt.Fprint(w, `{"total":100000000,"songs":[`+strings.Repeat(`{},`, 2_500_000)+`{}]}`)
	case "nested":
		fmt.Fprint(w, `{"songs":`+strings.Repeat(`[`, 5_000_000))
	case "forever": // no song is ever available
		fmt.Fprint(w, `{"total":100000000,"songs":[`+strings.Repeat(`{"id":"x","available":false},`, 199)+`{"id":"x"}]}`)
	case "ids":
		fmt.Fprintf(w, `{"total":1,"songs":[{"id":%q,"available":true},{"id":"","available":true}]}`, hugeTitle)
	case "redirect":
		http.Redirect(w, r, "/stolen", http.StatusTemporaryRedirect)
	case "error":
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "\x1b[31m" + hugeTitle[:50_000]})
	case "trickle":
		trickle(w, r, `{"songs":[]}   `)
	}
}

func (h *hostileCatalog) song(w http.ResponseWriter, r *http.Request, id string) {
	song := map[string]any{"song": h.fields(id)}
	if r.URL.Query().Get("with") == "gain" {
		song["gain"] = map[string]any{"track_gain": 1e300, "track_peak": 1e-300, "album_gain": -1e300}
		if strings.HasPrefix(id, "slow-gain") {
			trickle(w, r, " ")
			return
		}
	}
	_ = json.NewEncoder(w).Encode(song)
}

// stream replies with the file of a song.
func (h *hostileCatalog) stream(w http.ResponseWriter, r *http.Request, id string) {
	const lie = 10 << 40
	switch strings.TrimRight(id, "0123456789-") {
	case "good", "slow-gain":
		http.ServeContent(w, r, "sound.wav", time.Unix(1, 0), strings.NewReader(string(h.sound)))
	case "endless": // sound that goes on for 10 TB
		w.Header().Set("Content-Length", strconv.Itoa(lie))
		if from, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
			from = strings.TrimSuffix(from, "-")
			at, _ := strconv.ParseInt(from, 10, 64)
			w.Header().Set("Content-Length", strconv.FormatInt(lie-at, 10))
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %s-%d/%d", from, lie-1, int64(lie)))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			_, _ = w.Write(h.sound[:44]) // the header of a WAV file with wrong sizes is played to its end
		}
		h.endless(w, string(h.sound[44:]))
	case "junk":
		w.Header().Set("Content-Length", strconv.Itoa(lie))
		h.endless(w, hugeTitle)
	case "changing": // another version in each reply
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, h.replies.Load()))
		http.ServeContent(w, r, "sound.wav", time.Now(), strings.NewReader(string(h.sound[:h.replies.Load()%100_000])))
	case "range":
		w.Header().Set("Content-Range", "bytes 5-9/-7")
		w.WriteHeader(http.StatusPartialContent)
	case "empty":
		w.Header().Set("Content-Length", strconv.Itoa(1<<20))
	case "moved":
		http.Redirect(w, r, "/stolen", http.StatusFound)
	case "trickle":
		w.Header().Set("Content-Length", strconv.Itoa(1<<20))
		trickle(w, r, string(h.sound))
	}
}

// diskUse returns the bytes of the data folder and of the removed files that the process has open.
func (s *server) diskUse() (total int64) {
	s.t.Helper()
	_ = filepath.WalkDir(s.dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.cmd.Process.Pid))
	for _, fd := range fds {
		name, err := os.Readlink(fd)
		if info, serr := os.Stat(fd); err == nil && serr == nil && strings.HasSuffix(name, "(deleted)") {
			total += info.Size()
		}
	}
	return total
}

// TestHostileCatalogCostsBoundedMemoryAndDisk lets a player use a catalog that lies, floods and
// trickles. The song that plays from it meanwhile goes on.
func TestHostileCatalogCostsBoundedMemoryAndDisk(t *testing.T) {
	t.Parallel()
	const spool, disk, memory = 16 << 20, 96 << 20, 384 << 20
	h := newHostileCatalog(t)
	home := t.TempDir()
	key := filepath.Join(home, "key")
	if err := os.WriteFile(key, []byte("wxk_0"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: filepath.Join(home, "data"), env: environment(home), process: process{alone: true,
		args: []string{"--output", "null", "--no-mpris", "--catalog", h.URL, "--api-key-file", key,
			"--spool-limit", strconv.Itoa(spool >> 20)}}}
	s.start()
	s.stopWithTest()
	tally := testenv.Tally{}
	check := func(what string) {
		t.Helper()
		tally.Inputs++
		if used, peak := s.diskUse(), s.memory("VmHWM"); used > disk || peak > memory {
			tally.Violations++
			t.Errorf("%s: %d MB of disk and %d MB of memory, want at most %d and %d", what, used>>20, peak>>20,
				disk>>20, memory>>20)
		}
	}
	position := func() float64 { return object(s.get("/current-track"), "track")["position"].(float64) }
	s.post("/queue/replace", `{"track_ids":["good-1"],"play":true}`)
	s.eventually(20*time.Second, "the song to play", func() bool { return position() > 200 })
	itemIDs := regexp.MustCompile(`"item_ids":\[[0-9,]*\]`) // one number for each song that was added
	began := time.Now()
	accepted := map[string]bool{"titles": true, "credits": true, "urls": true, "numbers": true, "forever": true,
		"ids": true}
	for _, kind := range []string{"pages", "titles", "credits", "urls", "numbers", "huge", "elements", "nested",
		"forever", "ids", "redirect", "error", "trickle"} {
		body := fmt.Sprintf(`{"album_id":%q,"at":"end"}`, kind)
		if kind == "trickle" { // the player gives up after minutes: a client need not wait
			go func() {
				req, _ := http.NewRequest("POST", s.base+"/queue/add", strings.NewReader(body))
				req.Header.Set("Authorization", "Bearer "+s.token)
				req.Header.Set("Content-Type", "application/json")
				if resp, err := (&http.Client{Timeout: time.Second}).Do(req); err == nil {
					_ = resp.Body.Close() // only the request counts
				}
			}()
		} else if r := s.request("POST", "/queue/add", body); len(itemIDs.ReplaceAll(r.body, nil)) > 4096 ||
			accepted[kind] != (r.status == 200) {
			tally.Violations++
			t.Errorf("%s: got %d and %d bytes: %.200s; want success %v", kind, r.status, len(r.body), r.body, accepted[kind])
		}
		check(kind)
	}
	playing, _ := object(s.get("/current-track"), "track")["id"].(string)
	if !strings.HasPrefix(playing, "good-1") { // on a slow machine the first song has ended
		tally.Violations++
		t.Errorf("after the lists %q plays, want good-1 or the one after it", playing)
	}
	last := position()
	s.eventually(20*time.Second, "playback to go on", func() bool {
		now := position() // less than before in the next song
		return s.get("/playback-state")["is_playing"] == true && (now > last+100 || now < last)
	})
	if took := time.Since(began); took > 90*time.Second {
		tally.Violations++
		t.Errorf("the lists took %v, want at most 90 s", took)
	}
	for _, id := range []string{"endless-1", "junk-1", "changing-1", "range-1", "moved-1", "empty-1", "slow-gain-1"} {
		s.post("/queue/replace", fmt.Sprintf(`{"track_ids":[%q,"good-2"],"play":true}`, id))
		before := h.sent.Load()
		switch id {
		case "endless-1":
			s.eventually(20*time.Second, id+" to play", func() bool { return position() > 500 })
			r := s.request("POST", "/seek", `{"position":3600000}`) // far beyond the window
			if r.status >= 500 {
				t.Errorf("seek: %d %s", r.status, r.body)
			}
			s.eventually(20*time.Second, id+" to play on", func() bool { return position() > 500 })
			if sent := h.sent.Load() - before; sent > 1<<30 {
				tally.Violations++
				t.Errorf("the player fetched %d MB ahead", sent>>20)
			}
		case "slow-gain-1", "empty-1": // takes half a minute
		default:
			s.eventually(20*time.Second, "the song after "+id, func() bool {
				track, _ := s.get("/current-track")["track"].(map[string]any)
				return track["id"] == "good-2" && track["position"].(float64) > 200
			})
		}
		check(id)
	}
	s.post("/queue/replace", `{"track_ids":["trickle-1"],"play":true}`)
	check("trickle-1")
	s.post("/queue/replace", `{"track_ids":["good-3"],"play":true}`)
	s.eventually(20*time.Second, "a good song after all", func() bool { return position() > 200 })
	if n := h.leaked.Load(); n != 0 {
		tally.Violations++
		t.Errorf("%d redirects were followed, want none", n)
	}
	journal, err := os.Stat(filepath.Join(s.dir, "player.journal"))
	if err != nil {
		t.Fatal(err)
	}
	tally.Note = fmt.Sprintf("%d MB of memory of %d, %d MB of disk of %d, journal of %d kB", s.memory("VmHWM")>>20,
		memory>>20, s.diskUse()>>20, disk>>20, journal.Size()>>10)
	testenv.Report(t, testenv.HostileCatalogs, tally)
}
