package subsonic_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/audio/decode"
	"waxwing/internal/subsonic"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
	"waxwing/internal/transcode"
)

// startConverting starts a server that converts audio, with two songs. The file of the first has
// two seconds; that of the second is no audio.
func startConverting(t *testing.T) *fixture {
	t.Helper()
	testenv.NeedsTool(t, "ffmpeg")
	h := start(t, 2, func(cfg *subsonic.Config) {
		store, err := transcode.Open(transcode.Config{
			Dir: t.TempDir(), Quota: 1 << 26, Metrics: prometheus.NewRegistry(), Log: cfg.Log,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		cfg.Transcodes = store
	})
	generate := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-y", "-f", "lavfi",
		"-i", "sine=duration=2", "-ac", "2", filepath.Join(h.music, "00000.flac"))
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	return h
}

// seconds returns the exact length of an audio file.
func seconds(t *testing.T, file string) float64 {
	t.Helper()
	src, err := decode.Options{}.Open(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return float64(src.Info().Frames) / float64(src.Info().Rate)
}

func TestStreamObeysFormatBitRateAndOffset(t *testing.T) {
	h := startConverting(t)
	for _, c := range []struct {
		query       []string
		contentType string
		length      float64
	}{
		{nil, "audio/flac", 2},
		{[]string{"format", "raw", "maxBitRate", "64"}, "audio/flac", 2},
		{[]string{"maxBitRate", "0"}, "audio/flac", 2},
		{[]string{"maxBitRate", "1000"}, "audio/flac", 2}, // the file has 800
		{[]string{"maxBitRate", "96"}, "audio/mpeg", 2},
		{[]string{"format", "mp3"}, "audio/mpeg", 2},
		{[]string{"format", "mp3", "maxBitRate", "128", "estimateContentLength", "true"}, "audio/mpeg", 2},
		{[]string{"format", "opus", "maxBitRate", "64"}, "audio/ogg", 2},
		{[]string{"format", "ogg"}, "audio/ogg", 2},
		{[]string{"format", "wav"}, "audio/wav", 2},
		{[]string{"format", "flv"}, "audio/flac", 2},
		{[]string{"timeOffset", "1.5"}, "audio/flac", 0.5},
		{[]string{"format", "mp3", "timeOffset", "1"}, "audio/mpeg", 1},
		{[]string{"format", "opus", "timeOffset", "1"}, "audio/ogg", 1},
	} {
		q := h.query("app", append(c.query, "id", h.ids[0])...)
		got := h.send(t, "stream", q)
		if got.status != 200 || got.header.Get("Content-Type") != c.contentType ||
			got.header.Get("Content-Length") != fmt.Sprint(len(got.body)) {
			t.Errorf("%v: got %d %v, want %s with its length", c.query, got.status, got.header, c.contentType)
			continue
		}
		if length := seconds(t, got.body); length != c.length {
			t.Errorf("%v: got %v s, want %v", c.query, length, c.length)
		}
		part := h.send(t, "stream", q, "Range", "bytes=10-19", "If-Range", got.header.Get("ETag"))
		if part.status != 206 || part.body != got.body[10:20] {
			t.Errorf("%v, range: got %d and %d bytes, want bytes 10 to 19", c.query, part.status, len(part.body))
		}
	}
	for _, bad := range [][]string{{"timeOffset", "x"}, {"timeOffset", "-1"}, {"timeOffset", "5"}, {"maxBitRate", "x"}} {
		if got := h.send(t, "stream", h.query("app", append(bad, "id", h.ids[0])...)); got.status != 400 {
			t.Errorf("%v: got %d, want 400", bad, got.status)
		}
	}
	if got := h.send(t, "stream", h.query("app", "id", h.ids[1], "format", "mp3")); got.status != 404 {
		t.Errorf("file without audio: got %d, want 404", got.status)
	}
	without := start(t, 1)
	got := without.send(t, "stream", without.query("app", "id", without.ids[0], "format", "mp3", "maxBitRate", "64"))
	if got.status != 200 || got.header.Get("Content-Type") != "audio/flac" {
		t.Errorf("server without conversions: got %d %s, want the original", got.status, got.header.Get("Content-Type"))
	}
}

func TestExtensionsAreAnnouncedWhereTheyWork(t *testing.T) {
	for want, h := range map[bool]*fixture{true: startConverting(t), false: start(t, 1)} {
		names := fmt.Sprint(list(h.must(t, "app", "getOpenSubsonicExtensions")["openSubsonicExtensions"], "name"))
		for _, name := range []string{"transcodeOffset", "transcoding"} {
			if strings.Contains(names, name) != want {
				t.Errorf("got %s, want %s: %v", names, name, want)
			}
		}
	}
}

// decide asks for a decision about the first song.
func (h *fixture) decide(t *testing.T, format, client string) map[string]any {
	t.Helper()
	q := h.query("app", "mediaId", h.ids[0], "mediaType", "song", "f", format)
	req := apitest.NewRequest(t, http.MethodPost, h.url+"/rest/getTranscodeDecision?"+q.Encode(), client,
		"Content-Type", "application/json")
	resp, body := apitest.Send(t, h.http, req)
	if resp.StatusCode != 200 {
		t.Fatalf("got %d %s, want 200", resp.StatusCode, body)
	}
	if format == "xml" {
		return decodeXML(t, "getTranscodeDecision", body)
	}
	return decodeJSON(t, "getTranscodeDecision", body)
}

func TestTranscodeDecisionFitsTheClient(t *testing.T) {
	h := startConverting(t)
	const flac = `{"containers":["flac"],"audioCodecs":["flac"],"protocols":[]}`
	const mp3 = `{"container":"mp3","audioCodec":"mp3","protocol":"http"}`
	for _, c := range []struct {
		client    string
		direct    bool
		container any
		bitRate   string
	}{
		{`{"name":"x","platform":"y","directPlayProfiles":[` + flac + `],"transcodingProfiles":[` + mp3 + `]}`,
			true, "mp3", "192000"},
		{`{"name":"x","platform":"y","maxTranscodingAudioBitrate":100000,"directPlayProfiles":[{"containers":["mp3"],` +
			`"audioCodecs":["mp3"],"protocols":["http"]}],"transcodingProfiles":[{"container":"mp4","audioCodec":"aac",` +
			`"protocol":"http"},{"container":"ogg","audioCodec":"opus","protocol":"hls"},` + mp3 + `]}`, false, "mp3", "96000"},
		{`{"name":"x","platform":"y","maxAudioBitrate":320000,"directPlayProfiles":[` + flac + `],"transcodingProfiles":[` +
			`{"container":"ogg","audioCodec":"opus","protocol":"http"}]}`, false, "ogg", "320000"},
		{`{"name":"x","platform":"y","directPlayProfiles":[` + flac + `],"codecProfiles":[{"type":"AudioCodec",` +
			`"name":"flac","limitations":[{"name":"audioBitrate","comparison":"LessThanEqual","values":["700000"],` +
			`"required":true}]}],` +
			`"transcodingProfiles":[{"container":"wav","audioCodec":"pcm","protocol":"http"}]}`, false, "wav", "1411200"},
		{`{"name":"x","platform":"y"}`, false, nil, ""},
	} {
		got := ok(t, "getTranscodeDecision", h.decide(t, "json", c.client))["transcodeDecision"]
		if in(got, "canDirectPlay") != c.direct || in(got, "canTranscode") != (c.container != nil) ||
			in(got, "transcodeStream", "container") != c.container {
			t.Errorf("%s: got %v, want direct %v, container %v", c.client, got, c.direct, c.container)
		}
		if rate := in(got, "transcodeStream", "audioBitrate"); c.bitRate != "" && fmt.Sprint(rate) != c.bitRate {
			t.Errorf("%s: got %v bit/s, want %s", c.client, rate, c.bitRate)
		}
		if xml := in(h.decide(t, "xml", c.client), "transcodeDecision"); fmt.Sprint(xml) != fmt.Sprint(got) {
			t.Errorf("XML: got %v, want %v as in JSON", xml, got)
		}
		if c.container == nil {
			continue
		}
		params, _ := in(got, "transcodeParams").(string)
		stream := h.send(t, "getTranscodeStream",
			h.query("app", "mediaId", h.ids[0], "mediaType", "song", "offset", "1", "transcodeParams", params))
		if stream.status != 200 || seconds(t, stream.body) != 1 {
			t.Errorf("stream of %s: got %d, want a second", params, stream.status)
		}
	}
	for _, bad := range []string{"", "exe-0-0", "mp3-0", "mp3-x-0", "flac-0-1", "mp3-128-0-stereo-x", "mp3-0128-0"} {
		q := h.query("app", "mediaId", h.ids[0], "mediaType", "song", "transcodeParams", bad)
		if got := h.send(t, "getTranscodeStream", q); got.status != 400 {
			t.Errorf("transcodeParams %q: got %d, want 400", bad, got.status)
		}
	}
	without := h.send(t, "getTranscodeDecision", h.query("app", "mediaId", h.ids[0], "mediaType", "song", "f", "json"))
	if !strings.Contains(without.body, `"code":10`) {
		t.Errorf("without a body: got %s, want code 10", without.body)
	}
}
