package cataloghttp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/audio/decode"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/testenv"
	"waxwing/internal/transcode"
)

// startConverting starts a server that converts audio, with one song of two seconds and one whose
// file is damaged.
func startConverting(t *testing.T, change ...func(*transcode.Config)) *fixture {
	t.Helper()
	testenv.NeedsTool(t, "ffmpeg", "ffprobe")
	h := start(t, 2, func(cfg *cataloghttp.Config) {
		settings := transcode.Config{Dir: t.TempDir(), Quota: 1 << 26, Metrics: prometheus.NewRegistry(), Log: cfg.Log}
		for _, f := range change {
			f(&settings)
		}
		store, err := transcode.Open(settings)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		cfg.Transcodes = store
	})
	file := filepath.Join(h.music, "00001.flac")
	generate := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-y",
		"-f", "lavfi", "-i", "sine=duration=2", "-ac", "2", file)
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	return h
}

func TestAudioIsConvertedWithExactSizeRangesAndDuration(t *testing.T) {
	h := startConverting(t)
	original := h.get(t, "/api/songs/"+h.ids[0]+"/stream").is(t, 200, nil)
	for format, c := range map[string]struct{ contentType, name string }{
		"wav": {"audio/wav", "wav"}, "opus": {"audio/ogg", "ogg"}, "mp3": {"audio/mpeg", "mp3"},
	} {
		path := "/api/songs/" + h.ids[0] + "/stream?format=" + format
		whole := h.get(t, path).is(t, 200, nil)
		if whole.header.Get("Content-Type") != c.contentType || whole.header.Get("X-Content-Duration") != "2.000000" ||
			whole.header.Get("Content-Length") != fmt.Sprint(len(whole.body)) ||
			whole.header.Get("ETag") == original.header.Get("ETag") {
			t.Errorf("%s: got %d bytes, %v; want %s, 2 s and another ETag", format, len(whole.body), whole.header, c.contentType)
		}
		src, err := decode.Options{}.Open(strings.NewReader(whole.body))
		if err != nil {
			t.Fatal(err)
		}
		if info := src.Info(); info.Frames != 2*int64(info.Rate) {
			t.Errorf("%s: got %+v, want two seconds", format, info)
		}
		_ = src.Close()
		tag := whole.header.Get("ETag")
		part := h.get(t, path, "Range", "bytes=100-199", "If-Range", tag).is(t, 206, nil)
		if part.body != whole.body[100:200] {
			t.Errorf("%s: got another range, want bytes 100 to 199 of the whole", format)
		}
		if got := h.get(t, path, "If-None-Match", tag); got.status != 304 {
			t.Errorf("%s with its ETag: got %d, want 304", format, got.status)
		}
		if got := h.get(t, path, "Range", "bytes=99999999-"); got.status != 416 {
			t.Errorf("%s, range after the end: got %d, want 416", format, got.status)
		}
		if head := h.do(t, "read", "HEAD", path, "").is(t, 200, nil); head.header.Get("Content-Length") !=
			whole.header.Get("Content-Length") {
			t.Errorf("%s, HEAD: got %v, want the length of GET", format, head.header)
		}
	}
	// A file that has the format already is sent as it is.
	same := h.get(t, "/api/songs/"+h.ids[0]+"/stream?format=flac").is(t, 200, nil)
	if same.body != original.body || same.header.Get("ETag") != original.header.Get("ETag") {
		t.Errorf("flac of a FLAC file: got %d bytes, want the %d of the original", len(same.body), len(original.body))
	}
	large := h.get(t, "/api/songs/"+h.ids[0]+"/stream?format=mp3&bitrate=320").is(t, 200, nil)
	small := h.get(t, "/api/songs/"+h.ids[0]+"/stream?format=mp3&bitrate=64").is(t, 200, nil)
	if len(small.body)*4 > len(large.body) {
		t.Errorf("got %d bytes with 64 kbit/s and %d with 320, want a fifth", len(small.body), len(large.body))
	}
}

func TestInvalidConversionsAreRefused(t *testing.T) {
	h := startConverting(t)
	path := "/api/songs/" + h.ids[0]
	for query, want := range map[string]int{
		"?format=exe": 400, "?format=": 400, "?bitrate=128": 400, "?format=mp3&format=wav": 400,
		"?format=mp3&bitrate=31": 400, "?format=mp3&bitrate=321": 400, "?format=mp3&bitrate=x": 400,
		"?format=mp3&bitrate=128&bitrate=128": 400,
	} {
		for _, end := range []string{"/stream", "/link"} {
			if got := h.get(t, path+end+query); got.status != want || !strings.HasPrefix(got.body, `{"error":"`) {
				t.Errorf("%s%s: got %d %s, want %d", end, query, got.status, got.body, want)
			}
		}
	}
	if got := h.get(t, "/api/songs/"+h.ids[1]+"/stream?format=wav"); got.status != 404 {
		t.Errorf("damaged file: got %d %s, want 404", got.status, got.body)
	}
	if got := h.do(t, "", "GET", path+"/stream?format=wav", ""); got.status != 401 {
		t.Errorf("without a key: got %d, want 401", got.status)
	}
	without := start(t, 1)
	if got := without.get(t, "/api/songs/"+without.ids[0]+"/stream?format=wav"); got.status != 400 ||
		!strings.Contains(got.body, "--transcode-cache") {
		t.Errorf("server without conversions: got %d %s, want 400 and what to do", got.status, got.body)
	}
}

func TestSignedLinkCoversTheConversion(t *testing.T) {
	h := startConverting(t)
	c := &client.Catalog{BaseURL: h.url, Key: h.keys["read"], HTTP: h.http}
	link, err := c.LinkAs(t.Context(), h.ids[0], client.Conversion{Format: "mp3", BitRate: 96})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error",
		"-show_entries", "format=format_name,duration", "-of", "csv=p=0", link.URL).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "mp3,2.0") {
		t.Errorf("ffprobe: got %s, %v; want mp3 of two seconds", out, err)
	}
	var plain catalogapi.Link
	h.get(t, "/api/songs/"+h.ids[0]+"/link").is(t, 200, &plain)
	change := func(from string, f func(url.Values)) string {
		u, err := url.Parse(from)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		f(q)
		return u.Path + "?" + q.Encode()
	}
	for name, bad := range map[string]string{
		"another bit rate": change(link.URL, func(q url.Values) { q.Set("bitrate", "320") }),
		"no bit rate":      change(link.URL, func(q url.Values) { q.Del("bitrate") }),
		"another format":   change(link.URL, func(q url.Values) { q.Set("format", "wav") }),
		"the original":     change(link.URL, func(q url.Values) { q.Del("format"); q.Del("bitrate") }),
		"format added":     change(plain.URL, func(q url.Values) { q.Set("format", "wav") }),
	} {
		if got := h.do(t, "", "GET", bad, ""); got.status != 403 {
			t.Errorf("%s: got %d %s, want 403", name, got.status, got.body)
		}
	}
}

func TestClientStreamsConvertedAudio(t *testing.T) {
	h := startConverting(t)
	c := &client.Catalog{BaseURL: h.url, Key: h.keys["read"], HTTP: h.http}
	read := func(offset int64, etag string) ([]byte, *client.Audio) {
		a, err := c.StreamAs(t.Context(), h.ids[0], client.Conversion{Format: "wav"}, offset, etag)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return b, a
	}
	whole, a := read(0, "")
	rest, b := read(1000, a.ETag)
	if !bytes.Equal(rest, whole[1000:]) || b.Offset != 1000 || b.Size != int64(len(whole)) ||
		a.ContentType != "audio/wav" {
		t.Errorf("got %d bytes from %d of %d, %s; want the rest of %d",
			len(rest), b.Offset, b.Size, a.ContentType, len(whole))
	}
}

// blocked is a file whose reads wait until the channel is closed.
type blocked struct{ until <-chan struct{} }

func (b blocked) Read([]byte) (int, error)          { return b.ReadAt(nil, 0) }
func (b blocked) ReadAt([]byte, int64) (int, error) { <-b.until; return 0, io.ErrUnexpectedEOF }
func (b blocked) Seek(int64, int) (int64, error)    { return 1000, nil }
func (b blocked) Close() error                      { return nil }

func TestBusyConversionsSayWhenToRetry(t *testing.T) {
	registry, release := prometheus.NewRegistry(), make(chan struct{})
	h := startConverting(t, func(cfg *transcode.Config) { cfg.Jobs, cfg.Queue, cfg.Metrics = 1, 1, registry })
	var others sync.WaitGroup
	defer others.Wait()
	defer close(release)
	for i := range 2 { // one runs, one waits
		others.Go(func() {
			_, err := h.cfg.Transcodes.Get(t.Context(), transcode.Request{
				Source: transcode.Source{Name: fmt.Sprint(i), Size: 1000,
					Open: func(context.Context) (io.ReadSeekCloser, time.Time, error) {
						return blocked{release}, time.Time{}, nil
					}},
				Variant: transcode.Variant{Format: transcode.WAV},
			})
			if err == nil {
				t.Error("a file that cannot be read: got no error, want one")
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		waiting := 0.0
		for _, f := range families {
			if f.GetName() == "waxwing_transcode_waiting" {
				waiting = f.GetMetric()[0].GetGauge().GetValue()
			}
		}
		if waiting == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no conversion waits, want one")
		}
		runtime.Gosched()
	}
	got := h.get(t, "/api/songs/"+h.ids[0]+"/stream?format=wav")
	if got.status != 503 || got.header.Get("Retry-After") != "5" || !strings.Contains(got.body, "try again") {
		t.Errorf("got %d %v %s, want 503 with Retry-After 5 and what to do", got.status, got.header, got.body)
	}
}
