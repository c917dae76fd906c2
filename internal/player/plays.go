package player

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"waxwing/client"
	"waxwing/internal/statefile"
)

// maxPlays bounds what is kept for a catalog that stays away; the oldest are given up first.
const maxPlays = 10_000

// Plays reports to the catalog what was listened to. Reports wait on disk while
// the catalog is away; each has a key of its own, so that none counts twice.
type Plays struct {
	catalog *client.Catalog
	path    string
	log     *slog.Logger
	wake    chan struct{} // one slot

	mu      sync.Mutex
	waiting []play
}

type play struct {
	SongID   string    `json:"song_id"`
	PlayedAt time.Time `json:"played_at"`
	Key      string    `json:"key"`
}

// NewPlays reads the reports that path still holds.
func NewPlays(catalog *client.Catalog, path string, log *slog.Logger) (*Plays, error) {
	p := &Plays{catalog: catalog, path: path, log: log, wake: make(chan struct{}, 1)}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the plays to report: %w", err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var one play
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.SongID != "" && one.Key != "" {
			p.waiting = append(p.waiting, one)
		}
	}
	if len(p.waiting) > 0 {
		p.wake <- struct{}{}
	}
	return p, nil
}

// Add notes a play. It does not wait.
func (p *Plays) Add(t Track, at time.Time) {
	p.mu.Lock()
	p.waiting = append(p.waiting, play{SongID: t.ID, PlayedAt: at.UTC(), Key: rand.Text()})
	p.waiting = p.waiting[max(len(p.waiting)-maxPlays, 0):]
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run reports until ctx is done. What is not reported by then is reported by the next process.
func (p *Plays) Run(ctx context.Context) error {
	retry := time.NewTimer(time.Hour)
	retry.Stop()
	defer retry.Stop()
	wait := firstRetry
	for {
		select {
		case <-ctx.Done():
			return p.save()
		case <-p.wake:
		case <-retry.C:
		}
		if err := p.save(); err != nil {
			p.log.Warn("plays may be lost if the player crashes now", "err", err)
		}
		if p.flush(ctx) {
			wait = firstRetry
			if err := p.save(); err != nil {
				p.log.Warn("reported plays cannot be struck off; their keys keep them from counting twice", "err", err)
			}
			continue
		}
		retry.Reset(wait)
		wait = min(2*wait, time.Minute)
	}
}

// flush reports what waits, oldest first; false means that the catalog is away.
func (p *Plays) flush(ctx context.Context) bool {
	for {
		p.mu.Lock()
		if len(p.waiting) == 0 {
			p.mu.Unlock()
			return true
		}
		first := p.waiting[0]
		p.mu.Unlock()
		_, err := p.catalog.ReportPlay(ctx, first.SongID, first.PlayedAt, first.Key)
		if status := client.StatusOf(err); err != nil && status != http.StatusBadRequest && status != http.StatusNotFound {
			p.log.Debug("the catalog does not take plays yet", "err", err)
			return false
		}
		if err != nil {
			p.log.Warn("the catalog refused a play", "track", first.SongID, "err", err)
		}
		p.mu.Lock()
		if len(p.waiting) > 0 && p.waiting[0] == first {
			p.waiting = p.waiting[1:]
		}
		p.mu.Unlock()
	}
}

// save writes what waits.
func (p *Plays) save() error {
	p.mu.Lock()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, one := range p.waiting {
		_ = enc.Encode(one) // strings and a time always encode
	}
	p.mu.Unlock()
	return statefile.Write(p.path, b.Bytes(), 0o600)
}
