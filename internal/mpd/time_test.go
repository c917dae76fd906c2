package mpd

import (
	"bufio"
	"context"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
)

// inBubble runs f with a client of the owner, whose connection is closed by the server at end.
func inBubble(t *testing.T, f func(srv *Server, client net.Conn, in *bufio.Reader, ended <-chan time.Duration)) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := New(Config{StickerFile: filepath.Join(t.TempDir(), "stickers"), Metrics: prometheus.NewRegistry()})
		if err != nil {
			t.Fatal(err)
		}
		conn, client := net.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		s := newSession(srv, conn, true)
		s.caller = caller{id: "owner", permissions: access.Read | access.Write}
		srv.enter(s)
		begun, ended := time.Now(), make(chan time.Duration, 1)
		go func() {
			s.run(ctx)
			ended <- time.Since(begun)
		}()
		in := bufio.NewReader(client)
		if line, err := in.ReadString('\n'); err != nil || line != greeting {
			t.Fatalf("greeting: got %q, %v", line, err)
		}
		f(srv, client, in, ended)
		cancel()
		_ = client.Close() // the server may have closed it
	})
}

func TestConnectionsEndAfterAMinuteWithoutACommand(t *testing.T) {
	inBubble(t, func(_ *Server, client net.Conn, in *bufio.Reader, ended <-chan time.Duration) {
		for range 3 { // each command begins another minute
			time.Sleep(50 * time.Second)
			if _, err := client.Write([]byte("ping\n")); err != nil {
				t.Fatal(err)
			}
			if line, err := in.ReadString('\n'); err != nil || line != "OK\n" {
				t.Fatalf("ping: got %q, %v; want OK", line, err)
			}
		}
		if got := <-ended; got < 209*time.Second || got > 211*time.Second {
			t.Errorf("end of the connection: got after %v, want 60 s after the last command, 210 s", got)
		}
	})
}

func TestIdleHasNoTimeout(t *testing.T) {
	inBubble(t, func(srv *Server, client net.Conn, in *bufio.Reader, ended <-chan time.Duration) {
		if _, err := client.Write([]byte("idle mixer\n")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		srv.hub.notify(eventMixer)
		for _, want := range []string{"changed: mixer\n", "OK\n"} {
			if line, err := in.ReadString('\n'); err != nil || line != want {
				t.Fatalf("after a day: got %q, %v; want %q", line, err, want)
			}
		}
		if got := <-ended; (got - 24*time.Hour - time.Minute).Abs() > time.Second {
			t.Errorf("end of the connection: got after %v, want a minute after the event", got)
		}
	})
}

func TestUnusedLibraryIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSongs(nil)
		s.lib, s.used = &library{}, time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		go s.expire(ctx)
		defer synctest.Wait()
		defer cancel()
		for range 10 {
			time.Sleep(dropAfter - time.Second)
			synctest.Wait()
			if s.cached() == nil {
				t.Fatalf("a library in use was dropped")
			}
		}
		time.Sleep(2 * dropAfter)
		synctest.Wait()
		if s.cached() != nil {
			t.Errorf("after %v without use: got a library, want none", 2*dropAfter)
		}
	})
}
