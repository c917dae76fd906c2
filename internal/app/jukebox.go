package app

import (
	"net/http"
	"os"
	"strings"

	"waxwing/client"
)

// Jukebox locates a player that apps control.
type Jukebox struct {
	Off   bool
	URL   string // "": the player of the same process
	Token string // of that player, with the permissions read and write
}

// openJukebox prepares the player that apps control, if one is configured.
func (r *catalogRole) openJukebox(cfg Jukebox) {
	if cfg.Off {
		return
	}
	transport := &http.Transport{} // no proxy: it would receive the token
	r.app.onRelease(transport.CloseIdleConnections)
	r.jukeboxHTTP = &http.Client{Transport: transport}
	if cfg.URL != "" {
		player := &client.Player{BaseURL: cfg.URL, Token: cfg.Token, HTTP: r.jukeboxHTTP}
		r.jukebox = func() *client.Player { return player }
	}
}

// offerJukebox lets apps control the player of this process, unless another is configured. The
// token is read for each use: if the owner's token was revoked, there is another.
func (r *catalogRole) offerJukebox() {
	if r.jukeboxHTTP == nil || r.jukebox != nil {
		return
	}
	r.jukebox = func() *client.Player {
		secret, err := os.ReadFile(r.app.cfg.DataDir.File(OwnerTokenFile))
		if err != nil {
			r.app.log.Warn("apps cannot control the player: its token cannot be read", "err", err)
			return nil
		}
		return &client.Player{
			BaseURL: r.app.PlayerURL, Token: strings.TrimSpace(string(secret)), HTTP: r.jukeboxHTTP,
		}
	}
}

// jukeboxPlayer returns the player that apps control, or nil.
func (r *catalogRole) jukeboxPlayer() *client.Player {
	if r.jukebox == nil {
		return nil
	}
	return r.jukebox()
}
