package output

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/pulse"
	"waxwing/internal/fault"
)

const (
	// serverTimeout is how long auto waits for a sound server before it uses another choice.
	serverTimeout = 2 * time.Second
	// pollEvery is how often auto checks for a better choice. On a machine without sound a check takes
	// a few microseconds.
	pollEvery = 2 * time.Second
)

// choice is one output that auto may use.
type choice struct {
	name    string // to be displayed
	out     audio.Output
	present func(context.Context) bool // whether Open is worth trying
}

// auto uses the first of its choices that is available.
type auto struct {
	log     *slog.Logger
	choices []choice // best first; the last is always available

	mu     sync.Mutex
	logged string // the choice last named in the log
	played bool   // a real device has played
}

func newAuto(log *slog.Logger) *auto {
	server := pulse.Output{}
	a := &auto{log: log, choices: []choice{{
		name: "the sound server", out: server,
		present: func(ctx context.Context) bool {
			ctx, cancel := context.WithTimeout(ctx, serverTimeout)
			defer cancel()
			devices, err := server.Devices(ctx)
			return err == nil && len(devices) > 0
		},
	}}}
	if card, err := newCard(); err == nil {
		a.choices = append(a.choices, choice{name: "the sound card", out: card,
			present: func(context.Context) bool { return cardPresent() }})
	}
	a.choices = append(a.choices, choice{name: "null", out: null{}, present: func(context.Context) bool { return true }})
	return a
}

// Rate implements audio.FixedRate: a card has one rate, all others accept any.
func (a *auto) Rate() int {
	ctx, cancel := context.WithTimeout(context.Background(), serverTimeout)
	defer cancel()
	a.mu.Lock()
	logged := a.logged
	a.mu.Unlock()
	for _, c := range a.choices {
		if logged == c.name || logged == "" && c.present(ctx) {
			if fixed, ok := c.out.(audio.FixedRate); ok {
				return fixed.Rate()
			}
			return 0
		}
	}
	return 0
}

// errUnavailable is the error of Open while only the clock is available.
var errUnavailable = errors.New("no sound server and no sound card found")

// Open opens the best choice that is available. A stream on any other ends with audio.ErrMoved when
// a better one appears. Once a real device has played, Open fails while there is none: after a
// restart of the sound server, playback should continue where it stopped.
func (a *auto) Open(ctx context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	a.mu.Lock()
	heard := a.played
	a.mu.Unlock()
	lastErr := errUnavailable
	for i, c := range a.choices {
		if heard && i == len(a.choices)-1 || !c.present(ctx) {
			continue
		}
		s, err := a.open(ctx, i, cfg)
		if err == nil {
			return s, nil
		}
		lastErr = fmt.Errorf("play on %s: %w", c.name, err)
		a.log.Warn("cannot play on "+c.name, "error", err)
	}
	return nil, lastErr
}

func (a *auto) open(ctx context.Context, i int, cfg audio.StreamConfig) (audio.Stream, error) {
	c := a.choices[i]
	if i > 0 {
		cfg.Device = "" // the requested device belongs to a better choice
	}
	s, err := c.out.Open(ctx, cfg)
	if kind, _ := fault.Of(err); err != nil && kind == fault.NotFound {
		a.log.Warn("the chosen device is unavailable; playing on the default device", "device", cfg.Device)
		cfg.Device = ""
		s, err = c.out.Open(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	changed := a.logged != c.name
	a.logged = c.name
	a.played = a.played || i < len(a.choices)-1
	a.mu.Unlock()
	switch {
	case changed && i == len(a.choices)-1:
		a.log.Warn("no sound server and no sound card: playing without sound until one appears")
	case changed:
		a.log.Info("playing on " + c.name)
	}
	if i > 0 {
		s = watch(s, a.choices[:i], cfg.Notify)
	}
	return s, nil
}

// Devices lists the devices of the best choice that is available.
func (a *auto) Devices(ctx context.Context) ([]audio.Device, error) {
	for _, c := range a.choices {
		if c.present(ctx) {
			return c.out.Devices(ctx)
		}
	}
	return nil, nil
}

// watched is a stream that ends when a better choice appears.
type watched struct {
	audio.Stream
	better []choice
	notify func()
	cancel context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	moved bool
}

func watch(s audio.Stream, better []choice, notify func()) *watched {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watched{Stream: s, better: better, notify: notify, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.waitForBetter(ctx)
	}()
	return w
}

// waitForBetter waits until a better choice is available and then ends the stream.
func (w *watched) waitForBetter(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, c := range w.better {
			if c.present(ctx) && ctx.Err() == nil {
				w.Stream.Close()
				w.mu.Lock()
				w.moved = true
				w.mu.Unlock()
				w.notify()
				return
			}
		}
	}
}

func (w *watched) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.moved {
		return audio.ErrMoved
	}
	return w.Stream.Err()
}

func (w *watched) Close() {
	w.cancel()
	<-w.done
	w.Stream.Close()
}
