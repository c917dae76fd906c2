package playerhttp_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rawClient is a minimal HTTP client with one persistent connection. It costs little, so that a
// benchmark measures the server.
type rawClient struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func newRawClient(b *testing.B, url, path, secret string) *rawClient {
	b.Helper()
	host := strings.TrimPrefix(url, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, host, secret)
	return &rawClient{conn, bufio.NewReaderSize(conn, 64<<10), []byte(request)}
}

// roundTrip sends the request, reads the whole reply, and returns the time that this took.
func (t *rawClient) roundTrip(b *testing.B) time.Duration {
	started := time.Now()
	if _, err := t.conn.Write(t.request); err != nil {
		b.Fatal(err)
	}
	length := 0
	for {
		line, err := t.in.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				b.Fatal(err)
			}
		}
		if len(line) == 2 {
			break
		}
	}
	if _, err := t.in.Discard(length); err != nil {
		b.Fatal(err)
	}
	return time.Since(started)
}

func roundTrips(b *testing.B, url, path, secret string) {
	b.Helper()
	t := newRawClient(b, url, path, secret)
	b.ReportAllocs()
	for b.Loop() {
		t.roundTrip(b)
	}
}

// minimalServer starts a plain net/http server that sends the same body, and returns its URL.
func minimalServer(b *testing.B) string {
	b.Helper()
	body := []byte(`{"is_playing":true,"shuffle":false,"repeat":"off"}` + "\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

func BenchmarkMinimalServer(b *testing.B) { roundTrips(b, minimalServer(b), "/playback-state", "x") }

func BenchmarkPlaybackState(b *testing.B) {
	h := start(b, 3)
	h.do(b, "POST", "/play", "write", "")
	roundTrips(b, h.url, "/playback-state", h.secrets["read"])
}

// BenchmarkPlaybackStateVersusMinimalServer sends requests to both servers alternately, so that
// other load on the machine affects both, and reports the medians and their ratio.
func BenchmarkPlaybackStateVersusMinimalServer(b *testing.B) {
	h := start(b, 3)
	h.do(b, "POST", "/play", "write", "")
	playerClient := newRawClient(b, h.url, "/playback-state", h.secrets["read"])
	minimalClient := newRawClient(b, minimalServer(b), "/playback-state", "x")
	var playerTimes, minimalTimes []time.Duration
	for b.Loop() {
		playerTimes = append(playerTimes, playerClient.roundTrip(b))
		minimalTimes = append(minimalTimes, minimalClient.roundTrip(b))
	}
	slices.Sort(playerTimes)
	slices.Sort(minimalTimes)
	p50, minimalP50 := playerTimes[len(playerTimes)/2], minimalTimes[len(minimalTimes)/2]
	b.ReportMetric(float64(p50.Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(minimalP50.Nanoseconds()), "minimal-p50-ns")
	b.ReportMetric(float64(p50)/float64(minimalP50), "ratio")
}

func BenchmarkCurrentTrack(b *testing.B) {
	h := start(b, 3)
	h.do(b, "POST", "/play", "write", "")
	roundTrips(b, h.url, "/current-track", h.secrets["read"])
}

// BenchmarkLongQueue reads a queue of 10,000 tracks, which is encoded once.
func BenchmarkLongQueue(b *testing.B) {
	h := start(b, 1000)
	var ids strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&ids, `,"t%d"`, i)
	}
	for range 10 {
		h.do(b, "POST", "/queue/add", "write", `{"track_ids":[`+ids.String()[1:]+`]}`)
	}
	roundTrips(b, h.url, "/playback-queue", h.secrets["read"])
}

// BenchmarkEventPush measures the time from a command to its event, for every listener.
func BenchmarkEventPush(b *testing.B) {
	for _, listeners := range []int{1, 100} {
		b.Run(fmt.Sprint(listeners), func(b *testing.B) {
			h := start(b, 3)
			arrived := make(chan time.Time, listeners)
			for range listeners {
				client := newRawClient(b, h.url, "/events", h.secrets["read"])
				if _, err := client.conn.Write(client.request); err != nil {
					b.Fatal(err)
				}
				go func() {
					for { // until the cleanup closes the connection
						line, err := client.in.ReadSlice('\n')
						if err != nil {
							return
						}
						if bytes.HasPrefix(line, []byte("data: ")) {
							arrived <- time.Now()
						}
					}
				}()
				<-arrived // the first state
			}
			var took []time.Duration
			volume := 0
			for b.Loop() {
				volume = (volume + 1) % 100
				started := time.Now()
				if err := h.cfg.Player.SetVolume(b.Context(), &volume, nil); err != nil {
					b.Fatal(err)
				}
				for range listeners {
					took = append(took, (<-arrived).Sub(started))
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}
