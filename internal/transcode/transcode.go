// Package transcode converts audio files to other formats. A result is complete before it is
// served, so that its size, its ranges and its duration are exact; results are cached on disk.
//
// WAV and FLAC are written by this process, Opus and MP3 by ffmpeg. ffmpeg gets samples that our
// decoders have read, never the file itself.
package transcode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/audio/decode"
	"waxwing/internal/fault"
	"waxwing/internal/flight"
)

// Config configures a Store. Dir, Quota, Metrics and Log are required.
type Config struct {
	Dir   string // created if it does not exist; other files in it are deleted
	Quota int64  // bytes of all results, those in progress included
	// Free returns the free bytes on the disk of Dir, if that is known. Nil: it is not.
	Free func() (int64, bool)
	// Decode is how files are opened. With NoExternal there is no ffmpeg, so no Opus and no MP3.
	Decode decode.Options
	// Jobs is how many transcodes run at once; 0: half of the processors, at least two.
	Jobs int
	// Queue is how many wait for that; 0: 32. One caller may have half of them.
	Queue int
	// Timeout ends a transcode; 0: 15 minutes.
	Timeout time.Duration
	// Linger is how long a transcode continues after its last listener has left, so that one who
	// tries again finds it further on; 0: 10 s, negative: not at all.
	Linger  time.Duration
	Metrics prometheus.Registerer
	Log     *slog.Logger
}

// Source is a file to transcode.
type Source struct {
	Name    string // distinguishes files
	Size    int64
	ModTime time.Time
	// Open opens the file, which must be an io.ReaderAt, and returns its modification time.
	Open func(ctx context.Context) (io.ReadSeekCloser, time.Time, error)
}

// SourceOf opens a file and returns it as a source. Later it is opened again, possibly after the
// request has ended.
func SourceOf(
	ctx context.Context, name string, open func(context.Context) (io.ReadSeekCloser, time.Time, error),
) (Source, error) {
	content, changed, err := open(ctx)
	if err != nil {
		return Source{}, err
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err = errors.Join(err, content.Close()); err != nil {
		return Source{}, fmt.Errorf("get the size of the file: %w", err)
	}
	return Source{Name: name, Size: size, ModTime: changed, Open: open}, nil
}

// Request is a transcode that somebody waits for.
type Request struct {
	Source  Source
	Variant Variant
	Caller  string // who asks, for the limits of the queue
}

// Store creates and caches transcodes. It is safe for concurrent use.
type Store struct {
	cfg      Config
	cache    *cache
	queue    *queue
	flights  flight.Group[string, struct{}]
	encoders encoders
	metrics  metrics
}

// ErrBusy is wrapped by the error of a request that finds the queue full.
var ErrBusy = errors.New("too many transcodes are in progress")

// BusyRetry is when a request makes sense again that found the queue full.
const BusyRetry = 5 * time.Second

// Open opens a store. Results of an earlier process are used again; incomplete ones are deleted.
func Open(cfg Config) (*Store, error) {
	cfg.Jobs = cmp.Or(cfg.Jobs, max(2, runtime.GOMAXPROCS(0)/2))
	cfg.Queue = cmp.Or(cfg.Queue, 32)
	cfg.Timeout = cmp.Or(cfg.Timeout, 15*time.Minute)
	cfg.Linger = max(cmp.Or(cfg.Linger, 10*time.Second), 0)
	cfg.Decode.TempDir = cfg.Dir
	c, err := openCache(cfg.Dir, cfg.Quota, cfg.Free)
	if err != nil {
		return nil, err
	}
	s := &Store{cfg: cfg, cache: c, queue: newQueue(cfg.Jobs, cfg.Queue), encoders: encoders{off: cfg.Decode.NoExternal}}
	s.flights.Linger = cfg.Linger
	s.metrics = newMetrics(cfg.Metrics, s)
	return s, nil
}

// Close cancels all transcodes and waits until they have ended.
func (s *Store) Close() { s.flights.Close() }

// Formats returns the formats that this store can create now.
func (s *Store) Formats() []Format {
	formats := []Format{FLAC, WAV}
	for _, f := range []Format{Opus, MP3} {
		if s.encoders.has(f) {
			formats = append(formats, f)
		}
	}
	return formats
}

// Get returns a transcode, which the caller closes. It waits until that is complete or ctx is done.
// Faults: Invalid for a format that this store cannot create and for an offset after the end,
// NotFound for a file that cannot be decoded, Unavailable if the queue or the disk is full.
func (s *Store) Get(ctx context.Context, r Request) (*File, error) {
	v, err := s.normal(r.Variant)
	if err != nil {
		return nil, err
	}
	name := v.cacheName(r.Source)
	for range 3 { // a result can be evicted before it is opened
		if f, ok := s.cache.open(name, v.Format); ok {
			s.metrics.hits.Inc()
			return f, nil
		}
		_, joined, err := s.flights.Do(ctx, name, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, s.work(ctx, r, v, name)
		})
		switch {
		case joined:
			s.metrics.joined.Inc()
		default:
			s.metrics.misses.Inc()
		}
		switch {
		case errors.Is(err, flight.ErrClosed):
			return nil, fault.New(fault.Unavailable, "the server is stopping; try again in a moment")
		case err != nil:
			return nil, err
		}
		if f, ok := s.cache.open(name, v.Format); ok {
			return f, nil
		}
	}
	return nil, fault.New(fault.Unavailable,
		"the transcode was removed at once to make room for others; raise --transcode-cache")
}

// Check returns an Invalid fault for a variant that this store cannot create now.
func (s *Store) Check(v Variant) error {
	_, err := s.normal(v)
	return err
}

// normal returns the variant in its normal form.
func (s *Store) normal(v Variant) (Variant, error) {
	v, err := v.normal()
	if err != nil {
		return v, err
	}
	if v.Format.lossy() && !s.encoders.has(v.Format) {
		return v, fault.New(fault.Invalid,
			"this server cannot create %s; install ffmpeg on it, or request flac or wav", v.Format)
	}
	return v, nil
}

// work waits for a free place and creates a transcode, unless it exists meanwhile.
func (s *Store) work(ctx context.Context, r Request, v Variant, name string) (err error) {
	defer func() { s.metrics.count(v.Format, err) }()
	leave, err := s.queue.enter(ctx, r.Caller)
	if err != nil {
		return err
	}
	defer leave()
	if s.cache.has(name) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	err = s.create(limited, r, v, name)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return fault.Wrap(fault.Unavailable, err, "the transcode took longer than %v; request the original", s.cfg.Timeout)
	}
	return err
}

// create writes a transcode to the cache.
func (s *Store) create(ctx context.Context, r Request, v Variant, name string) (err error) {
	content, changed, err := r.Source.Open(ctx)
	if err != nil {
		return err
	}
	defer content.Close()
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("get the size of the file: %w", err)
	}
	if size != r.Source.Size || !changed.Equal(r.Source.ModTime) {
		return fault.New(fault.Unavailable, "the file of this song has just changed; try again")
	}
	at, ok := content.(io.ReaderAt)
	if !ok {
		return fmt.Errorf("%T cannot be read at any offset", content)
	}
	p, err := s.cache.create(v.Format)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.discard()) }()
	in := &input{ctx: ctx, ReaderAt: at, size: size}
	length, err := s.encode(ctx, p, v, in)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // the rest follows from it
	}
	if err != nil {
		return diskFault(err)
	}
	if in.cut != nil {
		s.cfg.Log.Warn("a transcode ends where its file is damaged", "file", r.Source.Name, "at", length, "err", in.cut)
	}
	written, err := p.commit(name, length)
	s.metrics.written.Add(float64(written))
	return diskFault(err)
}
