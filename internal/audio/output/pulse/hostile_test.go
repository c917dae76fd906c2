package pulse

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// frame returns a message with the given body.
func frame(b []byte) []byte {
	c := &conn{}
	c.header(commandChannel, len(b))
	return append(c.out, b...)
}

func reply(tag uint32, a args) []byte { return frame(append(args{}.u32(opReply).u32(tag), a...)) }

// serve starts a server that sends response to every client and then only reads.
func serve(t *testing.T, response []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "native")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write(response)
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			for buf := make([]byte, 4096); ; {
				if _, err := c.Read(buf); err != nil {
					break
				}
			}
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return "unix:" + path
}

func TestHostileServerIsAnError(t *testing.T) {
	hello := slices.Concat(reply(0, args{}.u32(protocolVersion)), reply(1, args{}.u32(0)))
	huge := binary.BigEndian.AppendUint32(nil, 0xFFFFFFF0)
	for name, response := range map[string][]byte{
		"garbage":        bytes.Repeat([]byte("HTTP/1.1 400 "), 100),
		"a huge message": append(huge, frame(nil)[4:]...),
		"an old server":  reply(0, args{}.u32(8)),
		"wrong types":    slices.Concat(reply(0, args{}.text("a")), reply(1, nil)),
		"an empty reply": slices.Concat(hello, reply(2, nil), reply(3, nil)),
		"short strings":  slices.Concat(hello, reply(2, args("ttttt")), reply(3, args("tN"))),
		"an error":       frame(args{}.u32(opError).u32(0).u32(1)),
	} {
		t.Run(name, func(t *testing.T) {
			out := Output{Server: serve(t, response)}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			if s, err := out.Open(ctx, audio.StreamConfig{Rate: rate,
				Pull: func(uint64, []float32) (int, bool) { return 0, false }, Notify: func() {}}); err == nil {
				s.Close()
				t.Error("Open: got no error, want one")
			} else {
				t.Log(err)
			}
			if list, err := out.Devices(ctx); err == nil && len(list) > 0 {
				t.Errorf("Devices: got %v, want an error or none", list)
			}
		})
	}
}

func FuzzMessage(f *testing.F) {
	f.Add(reply(3, args{}.u32(7).text("sink").text("A sink").stereo(rate).u32(1).volume(9).flag(true)))
	f.Add(reply(0, args{}.moment(time.Unix(1, 2)).props(map[string]string{"a": "b"})))
	f.Fuzz(func(t *testing.T, raw []byte) {
		testenv.CheckCost(t, func() {
			c := &conn{in: bufio.NewReader(bytes.NewReader(raw))}
			for {
				m, err := c.receive()
				if err != nil {
					return
				}
				list, timing, created := m.body, m.body, m.body
				for n := 0; list.more(); n++ {
					if sink(&list); n > len(raw) {
						t.Fatalf("sinks in a message of %d bytes: got more than that, want the list to end", len(raw))
					}
				}
				k := &core{cfg: audio.StreamConfig{Rate: rate}}
				k.readTiming(&timing)
				created.u32()
				created.skipSpec()
				created.skipFormat()
				created.text()
			}
		})
	})
}

func TestParseServerString(t *testing.T) {
	for s, want := range map[string][]address{
		"unix:/run/a":                {{"unix", "/run/a"}},
		"/run/a tcp:b":               {{"unix", "/run/a"}, {"tcp", "b:4713"}},
		"{not-this-host}unix:/run/a": nil,
		"{broken":                    nil,
		"tcp6:[::1]:99 host":         {{"tcp6", "[::1]:99"}, {"tcp", "host:4713"}},
		"unix: tcp:":                 nil,
		"[::1]":                      {{"tcp", "[::1]:4713"}},
	} {
		if got := parseServer(s); !slices.Equal(got, want) {
			t.Errorf("addresses of %q: got %v, want %v", s, got, want)
		}
	}
}
