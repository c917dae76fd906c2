package player

import "sync/atomic"

// Figures are what an operator watches, counted since the player was made.
type Figures struct {
	Underruns int64 // how often the sound stopped because samples came too late
	Heard     int64 // tracks heard long enough to count as a play
	Skipped   int64 // tracks that could not be played
	Unsaved   int64 // attempts to save the state that failed
}

// Figures never waits.
func (p *Player) Figures() Figures {
	return Figures{Underruns: p.deck.Underruns(), Heard: p.heard.Load(), Skipped: p.skipped.Load(), Unsaved: p.saver.failures.Load()}
}

// ReportFigures are what becomes of plays on their way to the catalog.
type ReportFigures struct {
	Waiting int   // on disk, or soon there
	Sent    int64 // taken by the catalog
	Refused int64 // given up because the catalog will never take them
}

type reported struct{ sent, refused atomic.Int64 }

func (r *reported) note(err error) {
	if err != nil {
		r.refused.Add(1)
		return
	}
	r.sent.Add(1)
}

// Figures never waits for the catalog.
func (p *Plays) Figures() ReportFigures {
	p.mu.Lock()
	defer p.mu.Unlock()
	return ReportFigures{Waiting: len(p.waiting), Sent: p.reported.sent.Load(), Refused: p.reported.refused.Load()}
}
