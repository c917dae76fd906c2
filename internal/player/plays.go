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

// maxPlays limits the plays stored for an unreachable catalog; the oldest are dropped first.
const maxPlays = 10_000

// Plays reports plays to the catalog. They are stored on disk while the catalog is unreachable;
// each has a key, so that none counts twice.
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

	failing bool // the last save failed, and this was logged; used by Run only
}

type play struct {
	SongID   string    `json:"song_id"`
	PlayedAt time.Time `json:"played_at"`
	Key      string    `json:"key"`
}

// NewPlays reads the plays stored in path.
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

// Add adds a play. Two with the same key are one play. It does not block.
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

// Run reports plays until ctx is done. The next process reports the remaining ones.
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
			p.save() // if it fails, the plays are reported again, and their keys prevent double counting
			continue
		}
		retry.Reset(wait)
		wait = min(2*wait, time.Minute)
	}
}

// flush reports the pending plays, oldest first. It returns false if the catalog is unreachable.
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
			p.log.Debug("the catalog does not accept plays yet", "err", err)
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

// isPermanent reports whether retrying a rejected play is useless. A key may be renewed, and a rate
// limit passes.
func isPermanent(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusMisdirectedRequest,
		http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// save writes the pending plays if they have changed. After an error the next call tries again.
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
