// Package mpris puts a player on the desktop: media keys, panels and lock screens find it on the D-Bus session
// bus by the MPRIS 2 interfaces. Every property is read from the player's newest snapshot at the moment it is
// asked for, so the desktop and the HTTP API cannot disagree, and nothing here is waited for by the player.
package mpris

import (
	"context"
	"log/slog"
	"time"

	"waxwing/internal/player"
)

// A bus that is away is looked for again soon and then ever less often: desktops start it once, at login.
const (
	firstWait = 250 * time.Millisecond
	lastWait  = 30 * time.Second
)

// Run offers p on the session bus until ctx is done. A bus that is missing, hangs or goes away is
// no error: Run comes back when the bus does.
func Run(ctx context.Context, p *player.Player, log *slog.Logger) error {
	retry := time.NewTimer(0)
	defer retry.Stop()
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		select {
		case <-ctx.Done():
			return nil
		case <-retry.C:
		}
		addresses := sessionBuses()
		if len(addresses) == 0 { // a process is told once where its bus would be
			<-ctx.Done()
			return nil
		}
		s, err := connect(ctx, addresses, p, log)
		if err == nil {
			log.Info("media keys and desktop panels can steer the player", "bus_name", s.name)
			err = s.serve(ctx)
			s.close()
			wait = firstWait
		}
		if ctx.Err() == nil {
			log.Debug("the desktop's bus is away", "again_in", wait, "err", err)
		}
		retry.Reset(wait)
	}
}
