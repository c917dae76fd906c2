package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/alecthomas/kong"

	"waxwing/internal/app"
)

// mpdAddr is the address for MPD clients. The flag may be given without a value.
type mpdAddr string

const defaultMPDAddr = "127.0.0.1:6600"

// Decode implements kong.MapperValue.
func (a *mpdAddr) Decode(ctx *kong.DecodeContext) error {
	*a = defaultMPDAddr
	next := ctx.Scan.Peek()
	text := fmt.Sprint(next.Value)
	if next.IsEOL() || next.Type != kong.FlagValueToken && !strings.Contains(text, ":") || strings.HasPrefix(text, "-") {
		return nil
	}
	if ctx.Scan.Pop(); text != "" && text != "true" {
		*a = mpdAddr(text)
	}
	return nil
}

// mpd returns the configuration of the listeners for MPD clients; nil if they are off.
func (s playerSettings) mpd() *app.MPDConfig {
	if s.MPDAddr == "" {
		return nil
	}
	return &app.MPDConfig{
		Addr: string(s.MPDAddr), Socket: filepath.Join(xdg.RuntimeDir, "waxwing", "mpd.sock"), OpenRead: s.MPDOpen == "read",
	}
}
