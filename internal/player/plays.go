package player

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"waxwing/client"
	"waxwing/internal/statefile"
)

// maxPlays bounds what is kept for a catalog that stays unreachable; the oldest are given up first.
const maxPlays = 10_000

// Plays reports to the catalog what was listened to. Reports wait on disk while
// the catalog is unreachable; each has a key of its own, so that none counts twice.
type Plays struct {
	catalog *client.Catalog
	disk    statefile.Disk
	path    string
	log     *slog.Logger
	wake    chan struct{} // one slot

	reported reported

	mu      sync.Mutex
	pending []play
	changed bool // since it was last saved

	failing bool // the last save failed: said once in the log; Run's own
}

type play struct {
	SongID   string    `json:"song_id"`
	PlayedAt time.Time `json:"played_at"`
	Key      string    `json:"key"`
}

// NewPlays reads the reports that path still holds.
func NewPlays(catalog *client.Catalog, disk statefile.Disk, path string, log *slog.Logger) (*Plays, error) {
	p := &Plays{catalog: catalog, disk: disk, path: path, log: log, wake: make(chan struct{}, 1)}
	if err := statefile.Sweep(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the plays to report: %w", err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var one play
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.SongID != "" && one.Key != "" {
			p.pending = append(p.pending, one)
		}
	}
	if len(p.pending) > 0 {
		p.wake <- struct{}{}
	}
	return p, nil
}

// Add notes a play under its key; the same one twice is one play. It does not wait.
func (p *Plays) Add(t Track, at time.Time, key string) {
	p.mu.Lock()
	if !slices.ContainsFunc(p.pending, func(w play) bool { return w.Key == key }) {
		p.pending = append(p.pending, play{SongID: t.ID, PlayedAt: at.UTC(), Key: key})
		p.pending = p.pending[max(len(p.pending)-maxPlays, 0):]
		p.changed = true
	}
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
			p.save()
			return nil
		case <-p.wake:
		case <-retry.C:
		}
		p.save()
		if p.flush(ctx) {
			wait = firstRetry
			p.save() // if it fails, what was reported is reported again, and its key keeps it from counting twice
			continue
		}
		retry.Reset(wait)
		wait = min(2*wait, time.Minute)
	}
}

// flush reports what waits, oldest first; false means that the catalog is unreachable.
func (p *Plays) flush(ctx context.Context) bool {
	for {
		p.mu.Lock()
		if len(p.pending) == 0 {
			p.mu.Unlock()
			return true
		}
		first := p.pending[0]
		p.mu.Unlock()
		_, err := p.catalog.ReportPlay(ctx, first.SongID, first.PlayedAt, first.Key)
		if err != nil && !isPermanent(client.StatusOf(err)) {
			p.log.Debug("the catalog does not take plays yet", "err", err)
			return false
		}
		p.reported.count(err)
		if err != nil {
			p.log.Warn("the catalog refused a play", "track", first.SongID, "err", err)
		}
		p.mu.Lock()
		if len(p.pending) > 0 && p.pending[0] == first {
			p.pending, p.changed = p.pending[1:], true
		}
		p.mu.Unlock()
	}
}

// isPermanent tells the answers to a play that no later try would change. A key may be renewed and a limit passes.
func isPermanent(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// save writes what waits, if that has changed. What cannot be written is tried again with the next report.
func (p *Plays) save() {
	p.mu.Lock()
	if !p.changed {
		p.mu.Unlock()
		return
	}
	p.changed = false
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, one := range p.pending {
		_ = enc.Encode(one) // strings and a time always encode
	}
	p.mu.Unlock()
	err := statefile.Replace(p.disk, p.path, b.Bytes(), 0o600)
	switch {
	case err != nil && !p.failing:
		p.log.Error("cannot save the plays to report: they are lost if the player crashes", "err", err)
	case err == nil && p.failing:
		p.log.Info("the plays to report are saved again")
	}
	if p.failing = err != nil; p.failing {
		p.mu.Lock()
		p.changed = true
		p.mu.Unlock()
	}
}
