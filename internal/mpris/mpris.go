// Package mpris makes a player available to the desktop: media keys, panels and lock screens
// control it over the D-Bus session bus with the MPRIS 2 interfaces. Every property is read from
// the player's newest snapshot, so that it agrees with the HTTP API, and the player never waits for
// the bus.
package mpris

import (
	"context"
	"log/slog"
	"time"

	"waxwing/internal/lyrics"
	"waxwing/internal/player"
)

// Delays between attempts to reach a bus; they double from the first to the last.
const (
	firstWait = 250 * time.Millisecond
	lastWait  = 30 * time.Second
)

// LyricsReader reads the lyrics of a track, the best one first.
type LyricsReader func(ctx context.Context, trackID string) ([]lyrics.Lyrics, error)

// Run offers p on the session bus until ctx is done. read may be nil. A bus that is missing,
// hangs or disconnects is no error: Run reconnects when it is available.
func Run(ctx context.Context, p *player.Player, read LyricsReader, log *slog.Logger) error {
	retry := time.NewTimer(0)
	defer retry.Stop()
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		select {
		case <-ctx.Done():
			return nil
		case <-retry.C:
		}
		addresses := sessionBuses()
		if len(addresses) == 0 { // the environment of a process does not change
			<-ctx.Done()
			return nil
		}
		s, err := connect(ctx, addresses, p, read, log)
		if err == nil {
			log.Info("media keys and desktop panels can control the player", "bus_name", s.name)
			err = s.serve(ctx)
			s.close()
			wait = firstWait
		}
		if ctx.Err() == nil {
			log.Debug("the session bus is unavailable", "retry_in", wait, "err", err)
		}
		retry.Reset(wait)
	}
}
