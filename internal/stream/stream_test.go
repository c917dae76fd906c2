package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/decode"
	"waxwing/internal/demo"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

var loopback = Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func ignore(Info) {}

func client(policy Policy) *Client {
	return New(Config{Policy: policy, Decoders: func() decode.Options { return decode.Options{NoExternal: true} },
		SpoolLimit: func() int64 { return 8 << 20 }, Version: "test", Log: slog.New(slog.DiscardHandler)})
}

// radioMP3 is a short part of an MP3 of the demo music.
func radioMP3(t testing.TB) []byte {
	t.Helper()
	content, err := fs.ReadFile(demo.FS(), "Trio Halvmåne/Lamplight/02 Blå time.mp3")
	if err != nil {
		t.Fatal(err)
	}
	return content[100_000:220_000]
}

// infos collects what a stream reports.
type infos struct {
	mu  sync.Mutex
	all []Info
}

func (i *infos) add(info Info) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = append(i.all, info)
}

func (i *infos) String() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return fmt.Sprintf("%+v", i.all)
}

// read reads n frames.
func read(t *testing.T, src audio.Source, n int) []float32 {
	t.Helper()
	channels := src.Info().Channels
	all := make([]float32, n*channels)
	for got := 0; got < n; {
		k, err := src.Read(all[got*channels:])
		if err != nil {
			t.Fatalf("read after %d of %d frames: %v", got, n, err)
		}
		got += k
	}
	return all
}

// decoded returns all samples of a file.
func decoded(t *testing.T, content []byte) []float32 {
	t.Helper()
	src, err := decode.Options{NoExternal: true}.Open(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return read(t, src, int(src.Info().Frames))
}

// contains reports whether part occurs in whole, exactly or within the tolerance of one bit.
func contains(whole, part []float32) bool {
	for i := 0; i+len(part) <= len(whole); i++ {
		same := true
		for k := range part {
			if math.Abs(float64(whole[i+k]-part[k])) > 1e-4 {
				same = false
				break
			}
		}
		if same {
			return true
		}
	}
	return false
}

// serveICY sends audio with a title after every interval bytes.
func serveICY(w io.Writer, content []byte, interval int, titles ...string) {
	for i := 0; len(content) > 0; i++ {
		n := min(interval, len(content))
		if _, err := w.Write(content[:n]); err != nil {
			return
		}
		if content = content[n:]; n < interval {
			return
		}
		block := []byte{0}
		if i < len(titles) {
			text := "StreamTitle='" + titles[i] + "';StreamUrl='';"
			size := (len(text) + 15) / 16
			block = append([]byte{byte(size)}, text...)
			block = append(block, make([]byte, 16*size-len(text))...)
		}
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func TestRadioPlaysWithTitles(t *testing.T) {
	content := radioMP3(t)
	url, _ := counter(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Icy-Metadata") != "1" {
			t.Errorf("Icy-MetaData: got %q, want 1", r.Header.Get("Icy-Metadata"))
		}
		w.Header().Set("icy-name", "Radio \xc5ngstr\xf6m") // Latin-1
		w.Header().Set("icy-metaint", "1000")
		w.Header().Set("Content-Type", "audio/mpeg")
		serveICY(w, content, 1000, "Ada - It's Late", "", "Bo\x1b[31m - Two\nLines")
		<-r.Context().Done()
	})
	var seen infos
	src, err := client(loopback).Open(t.Context(), url, seen.add)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	if got := src.Info(); got.Frames != -1 || got.Rate != 44100 {
		t.Errorf("info: got %+v, want an unknown length at 44100 Hz", got)
	}
	samples := read(t, src, 2*44100)
	channels := src.Info().Channels
	if part := samples[44100*channels : 44100*channels+2000]; !contains(decoded(t, content), part) {
		t.Error("samples of the radio: got others than those of the file that it sends")
	}
	if err := src.SeekTo(0); err != nil {
		t.Errorf("seek: got %v, want that it is ignored", err)
	}
	for _, want := range []string{"Live:true", "Station:Radio Ångström", "Title:Ada - It's Late", "Title:Bo"} {
		if !strings.Contains(seen.String(), want) {
			t.Errorf("reported: got %s, want %s", seen.String(), want)
		}
	}
	if strings.ContainsAny(seen.String(), "\x1b\n") {
		t.Errorf("reported: got control characters in %q, want none", seen.String())
	}
}

func TestBrokenRadioIsConnectedAgain(t *testing.T) {
	content := radioMP3(t)
	var connections atomic.Int64
	url, requests := counter(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/list.pls" {
			fmt.Fprintf(w, "[playlist]\nNumberOfEntries=1\nFile1=http://%s/live\nTitle1=x\n", r.Host)
			return
		}
		w.Header().Set("icy-name", fmt.Sprint("Radio ", connections.Add(1)))
		_, _ = w.Write(content[:60_000]) // some seconds, then it breaks off
	})
	var seen infos
	src, err := client(loopback).Open(t.Context(), url+"/list.pls", seen.add)
	if err != nil {
		t.Fatal(err)
	}
	read(t, src, 8*44100)
	if n := requests.Load(); n < 4 || connections.Load() < 2 || !strings.Contains(seen.String(), "Radio 2") {
		t.Errorf("after a radio broke off: got %d requests and %s, want at least 4 and another connection", n, seen.String())
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

func TestCancelingEndsARadioThatSendsNothing(t *testing.T) {
	url, _ := counter(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("icy-name", "Silence")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := client(loopback).Open(ctx, url, ignore); err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("got %v after %v, want an error at once", err, time.Since(start))
	}
}

// A radio that sends as fast as it can, to a listener who has paused.
func TestPausedRadioTakesBoundedMemory(t *testing.T) {
	content := radioMP3(t)
	var sent atomic.Int64
	url, _ := counter(t, "127.0.0.1:0", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("icy-name", "Flood")
		for {
			n, err := w.Write(content)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	src, err := client(loopback).Open(t.Context(), url, ignore)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	for last := int64(-1); sent.Load() != last; time.Sleep(300 * time.Millisecond) {
		last = sent.Load()
	}
	l := src.(*live)
	l.tape.mu.Lock()
	defer l.tape.mu.Unlock()
	if len(l.tape.ring) > tapeSize || cap(l.tape.ring) > 2*tapeSize || sent.Load() > 32<<20 {
		t.Errorf("paused radio: got %d bytes in memory of %d sent, want at most %d", cap(l.tape.ring), sent.Load(), tapeSize)
	}
}

func TestFilesOfTheWebPlay(t *testing.T) {
	content := radioMP3(t)
	whole := decoded(t, content)
	for name, serve := range map[string]http.HandlerFunc{
		"with ranges": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"1"`)
			http.ServeContent(w, r, "x.mp3", time.Time{}, bytes.NewReader(content))
		},
		"without ranges": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content)
		},
		"without a length": func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(content)
		},
		"from a playlist": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				_, _ = w.Write([]byte("\xef\xbb\xbf#EXTM3U\r\n#EXTINF:1,x\r\n/gone.mp3\r\nsong.mp3\r\n"))
				return
			}
			if r.URL.Path == "/gone.mp3" {
				http.NotFound(w, r)
				return
			}
			http.ServeContent(w, r, "x.mp3", time.Time{}, bytes.NewReader(content))
		},
	} {
		url, _ := counter(t, "127.0.0.1:0", serve)
		var seen infos
		src, err := client(loopback).Open(t.Context(), url, seen.add)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		frames := int(src.Info().Frames)
		if frames*src.Info().Channels != len(whole) || strings.Contains(seen.String(), "Length:0s") ||
			strings.Contains(seen.String(), "Live:true") {
			t.Errorf("%s: got %d frames, reported %s; want %d and their length", name, frames, seen.String(),
				len(whole)/src.Info().Channels)
		}
		if err := src.SeekTo(int64(frames - 1000)); err != nil {
			t.Errorf("%s: seek: %v", name, err)
		}
		if got := read(t, src, 1000); !contains(whole[len(whole)-len(got):], got) {
			t.Errorf("%s: the last samples differ from those of the file", name)
		}
		if err := src.Close(); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
	}
}

func TestWhatIsNotAudioIsRefused(t *testing.T) {
	for name, serve := range map[string]http.HandlerFunc{
		"a page":  func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><body>hello</body></html>") },
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"a list of lists": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "#EXTM3U\nhttp://%s/again.m3u\n", r.Host)
		},
		"segments": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n0.ts\n")
		},
		"an empty list": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "#EXTM3U\n") },
		"a radio of text": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("icy-name", "x")
			fmt.Fprint(w, strings.Repeat("hello ", 4000))
		},
		"titles at a bad distance": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("icy-metaint", "99999999999")
			_, _ = w.Write(make([]byte, 9000))
		},
		"a header without end": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("icy-name", strings.Repeat("x", 1<<20))
		},
		"an error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
	} {
		url, _ := counter(t, "127.0.0.1:0", serve)
		src, err := client(loopback).Open(t.Context(), url, ignore)
		if kind, sentence := fault.Of(err); err == nil || kind != fault.Invalid || sentence == "" {
			t.Errorf("%s: got %v, want an invalid request with a sentence", name, err)
		}
		if src != nil {
			t.Errorf("%s: got a source, want none", name)
		}
	}
}

// Old servers reply with ICY instead of HTTP.
func TestOldRadioServersPlay(t *testing.T) {
	content := radioMP3(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Read(make([]byte, 4096))
		fmt.Fprint(conn, "ICY 200 OK\r\nicy-name:Old Radio\r\nicy-metaint:8192\r\ncontent-type:audio/mpeg\r\n\r\n")
		serveICY(conn, content, 8192, "First")
	})
	defer serving.Wait()
	defer func() { _ = ln.Close() }()
	var seen infos
	src, err := client(loopback).Open(t.Context(), "http://"+ln.Addr().String(), seen.add)
	if err != nil {
		t.Fatal(err)
	}
	read(t, src, 44100)
	if !strings.Contains(seen.String(), "Old Radio") || !strings.Contains(seen.String(), "Title:First") {
		t.Errorf("reported: got %s, want Old Radio and First", seen.String())
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

func TestStreamTitles(t *testing.T) {
	for block, want := range map[string]string{
		"StreamTitle='A - B';":                      "A - B",
		"StreamTitle='It's';StreamUrl='http://x/';": "It's",
		"StreamTitle='no end":                       "no end",
		"StreamTitle='';":                           "",
		"StreamUrl='x';StreamTitle='last'\x00\x00":  "last",
		"StreamTitle='caf\xe9';":                    "café",
	} {
		if got, ok := streamTitle([]byte(block)); !ok || got != want {
			t.Errorf("title of %.60q: got %.60q, %v; want %.60q", block, got, ok, want)
		}
	}
	if got, _ := streamTitle([]byte("StreamTitle='" + strings.Repeat("x", 4000))); len(got) > 1024 {
		t.Errorf("length of a long title: got %d, want at most 1024", len(got))
	}
	if got, ok := streamTitle([]byte("StreamUrl='x';")); ok {
		t.Errorf("title of a block without one: got %q, want none", got)
	}
}

func FuzzICY(f *testing.F) {
	f.Add([]byte("abc\x01StreamTitle='x';abc\x00"), 3)
	f.Fuzz(func(t *testing.T, data []byte, interval int) {
		if interval < 1 || interval > maxMetaInterval {
			return
		}
		testenv.CheckCost(t, func() {
			r := &icyReader{r: bytes.NewReader(data), interval: interval, left: interval, title: func(string) {}}
			if n, _ := io.Copy(io.Discard, r); n > int64(len(data)) {
				t.Errorf("audio: got %d bytes of %d", n, len(data))
			}
		})
	})
}

func FuzzPlaylist(f *testing.F) {
	f.Add([]byte("#EXTM3U\nhttp://example.com/a.mp3\n"))
	f.Add([]byte("[playlist]\nFile1=http://example.com/a.mp3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		base, err := (Policy{}).Parse("http://example.com/list.m3u")
		if err != nil {
			t.Fatal(err)
		}
		testenv.CheckCost(t, func() {
			isPlaylist("", "/x.pls", data)
			found, _ := entries(base, data)
			for _, u := range found {
				if checkURL(u) != nil || len(found) > maxTried {
					t.Errorf("entries: got %v", found)
				}
			}
		})
	})
}
