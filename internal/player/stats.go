package player

import "sync/atomic"

// Stats are what an operator watches, counted since the player was made.
type Stats struct {
	Underruns    int64 // how often the sound stopped because samples came too late
	Played       int64 // tracks heard long enough to count as a play
	Skipped      int64 // tracks that could not be played
	SaveFailures int64 // attempts to save the state that failed
}

// Stats never waits.
func (p *Player) Stats() Stats {
	return Stats{Underruns: p.deck.Underruns(), Played: p.played.Load(), Skipped: p.skipped.Load(), SaveFailures: p.saver.failures.Load()}
}

// PlaysStats are what becomes of plays on their way to the catalog.
type PlaysStats struct {
	Pending int   // on disk, or soon there
	Sent    int64 // taken by the catalog
	Refused int64 // given up because the catalog will never take them
}

type reported struct{ sent, refused atomic.Int64 }

func (r *reported) count(err error) {
	if err != nil {
		r.refused.Add(1)
		return
	}
	r.sent.Add(1)
}

// Stats never waits for the catalog.
func (p *Plays) Stats() PlaysStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PlaysStats{Pending: len(p.pending), Sent: p.reported.sent.Load(), Refused: p.reported.refused.Load()}
}
