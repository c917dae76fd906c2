package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"waxwing/client"
)

func (c *doctorCmd) playerPort(ctx context.Context) finding {
	const what = "player port"
	running := c.DataDir.Running()
	p := &client.Player{BaseURL: "http://" + running.Player}
	if running.Socket {
		p = socketPlayer(c.DataDir)
	}
	if running.Player != "" && replies(func() error { _, err := p.Health(ctx); return err }) {
		return runsHere(what, "player", running.Player, running.PID)
	}
	if err := c.playerSettings.check(); err != nil {
		return finding{Check: what, Message: err.Error(), Fix: "correct --player-addr"}
	}
	return c.port(ctx, what, c.PlayerAddr, "--player-addr", func() error {
		_, err := (&client.Player{BaseURL: "http://" + c.PlayerAddr}).Health(ctx)
		return err
	})
}

func (c *doctorCmd) catalogPort(ctx context.Context) finding {
	const what = "catalog port"
	ready := func(addr string) func() error {
		return func() error { return (&client.Catalog{BaseURL: "http://" + addr}).Ready(ctx) }
	}
	if serving := c.DataDir.Serving(); serving.Catalog != "" && replies(ready(serving.Catalog)) {
		return runsHere(what, "catalog", serving.Catalog, serving.PID)
	}
	return c.port(ctx, what, c.CatalogAddr, "--catalog-addr", ready(c.CatalogAddr))
}

func (c *doctorCmd) mpdPort(ctx context.Context) finding {
	const what = "MPD port"
	if running := c.DataDir.Running(); running.MPD != "" && greetsAsMPD(ctx, running.MPD) == nil {
		return runsHere(what, "MPD listener", running.MPD, running.PID)
	}
	if c.MPDAddr == "" {
		return finding{Check: what, OK: true, Message: "off; --mpd-addr lets MPD clients control the player"}
	}
	addr := string(c.MPDAddr)
	if err := checkAddr("mpd-addr", addr, c.AllowRemote); err != nil {
		return finding{Check: what, Message: err.Error(), Fix: "correct --mpd-addr"}
	}
	f := c.port(ctx, what, addr, "--mpd-addr", func() error { return errNotOurs })
	if !f.OK && greetsAsMPD(ctx, addr) == nil {
		f.Message = "another MPD is running at " + addr
	}
	return f
}

// errNotOurs is the error of a check that cannot recognise Waxwing.
var errNotOurs = errors.New("not Waxwing")

// greetsAsMPD returns nil if a server for MPD clients listens at addr.
func greetsAsMPD(ctx context.Context, addr string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	greeting := make([]byte, len("OK MPD "))
	if _, err := io.ReadFull(conn, greeting); err != nil || string(greeting) != "OK MPD " {
		return errNotOurs
	}
	return nil
}

// replies reports whether a request gets a reply of Waxwing, be it an error.
func replies(request func() error) bool {
	err := request()
	return err == nil || client.StatusOf(err) != 0
}

func runsHere(check, role, addr string, pid int) finding {
	return finding{Check: check, OK: true,
		Message: fmt.Sprintf("the %s of this data folder is running at %s (process %d)", role, addr, pid)}
}

// port checks that addr is free, or that Waxwing listens there.
func (c *doctorCmd) port(ctx context.Context, what, addr, flag string, ours func() error) finding {
	f := finding{Check: what}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		_ = ln.Close() // only a probe
		f.OK, f.Message = true, addr+" is free"
	case errors.Is(err, syscall.EADDRINUSE):
		if replies(ours) {
			f.OK, f.Message = true, "a Waxwing of another data folder is running at "+addr
			f.Fix = "to run a second one, choose another port with " + flag
			break
		}
		f.Message, f.Fix = addr+" is used by another program", "stop it, or choose another port with "+flag
	default:
		f.Message, f.Fix = "cannot listen on "+addr+": "+err.Error(), "choose another address with "+flag
	}
	return f
}
