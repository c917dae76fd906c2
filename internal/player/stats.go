package player

import "sync/atomic"

// Stats are counters since the player was created.
type Stats struct {
	Underruns    int64 // how often playback stopped because samples came too late
	Played       int64 // tracks heard long enough to count as a play
	Skipped      int64 // tracks that could not be played
	SaveFailures int64 // attempts to save the state that failed
}

// Stats does not block.
func (p *Player) Stats() Stats {
	return Stats{Underruns: p.deck.Underruns(), Played: p.played.Load(), Skipped: p.skipped.Load(),
		SaveFailures: p.saver.failures.Load()}
}

// PlaysStats are the numbers of plays by state.
type PlaysStats struct {
	Pending int   // to be sent
	Sent    int64 // accepted by the catalog
	Refused int64 // rejected by the catalog for good
}

type reported struct{ sent, refused atomic.Int64 }

func (r *reported) count(err error) {
	if err != nil {
		r.refused.Add(1)
		return
	}
	r.sent.Add(1)
}

// Stats does not wait for the catalog.
func (p *Plays) Stats() PlaysStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PlaysStats{Pending: len(p.pending), Sent: p.reported.sent.Load(), Refused: p.reported.refused.Load()}
}
