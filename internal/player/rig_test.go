package player

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/audio"
	"waxwing/internal/audio/audiotest"
	"waxwing/internal/fault"
)

const rate = 8000

// toneLibrary is a Library of synthetic tones: "t3" is track 3. The maps make single tracks slow,
// missing or damaged.
type toneLibrary struct {
	size     int
	length   time.Duration
	rate     int // default sample rate; 0 means the constant rate
	slow     map[string]time.Duration
	broken   map[string]int64 // frame at which decoding fails; 0: cannot be opened
	rates    map[string]int   // sample rate of single tracks
	albumID  string
	gains    map[string]catalogapi.Gain
	gainErrs map[string][]error // errors of the first requests, in order

	mu               sync.Mutex
	unreachable      bool
	opened           []string
	gainRequestCount int
}

func (s *toneLibrary) setUnreachable(unreachable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unreachable = unreachable
}

// opens lists the tracks opened so far.
func (s *toneLibrary) opens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.opened)
}

func (s *toneLibrary) track(i int) Track {
	return Track{ID: "t" + strconv.Itoa(i), Title: "Track " + strconv.Itoa(i), Artist: "Artist", Album: "Album",
		AlbumID: s.albumID, Duration: s.length}
}

func (s *toneLibrary) Track(_ context.Context, id string) (Track, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	if err != nil || i >= s.size {
		return Track{}, fault.New(fault.NotFound, "there is no song %s", id)
	}
	return s.track(i), nil
}

func (s *toneLibrary) Tracks(ctx context.Context, sel Selection) ([]Track, error) {
	var all []Track
	for _, id := range sel.TrackIDs {
		t, err := s.Track(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (s *toneLibrary) DefaultTracks(_ context.Context, limit int) ([]Track, error) {
	var all []Track
	for i := range min(s.size, limit) {
		all = append(all, s.track(i))
	}
	return all, nil
}

func (s *toneLibrary) Gain(_ context.Context, t Track) (catalogapi.Gain, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gainRequestCount++
	if errs := s.gainErrs[t.ID]; len(errs) > 0 {
		s.gainErrs[t.ID] = errs[1:]
		return catalogapi.Gain{}, errs[0]
	}
	return s.gains[t.ID], nil
}

func (s *toneLibrary) gainRequests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gainRequestCount
}

func (s *toneLibrary) Open(ctx context.Context, t Track) (audio.Source, error) {
	s.mu.Lock()
	s.opened = append(s.opened, t.ID)
	unreachable := s.unreachable
	s.mu.Unlock()
	select {
	case <-time.After(s.slow[t.ID]):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if unreachable {
		return nil, fault.New(fault.Unavailable, "the catalog is unreachable")
	}
	at, bad := s.broken[t.ID]
	if bad && at == 0 {
		return nil, fault.New(fault.NotFound, "the file is missing")
	}
	r := s.rate
	if r == 0 {
		r = rate
	}
	if s.rates[t.ID] > 0 {
		r = s.rates[t.ID]
	}
	id, _ := strconv.Atoi(t.ID[1:])
	return &audiotest.Tone{ID: id, Rate: r, Frames: int64(s.length.Seconds() * float64(r)), BreakAt: at}, nil
}

// rig is a player on a recording device, in a synctest bubble.
type rig struct {
	*Player
	t       *testing.T
	ctx     context.Context
	dev     *audiotest.Device
	plays   []string
	stop    func()
	log     strings.Builder
	library *toneLibrary
	config  Config
}

func newRig(t *testing.T, s *toneLibrary) *rig {
	r := &rig{t: t, ctx: t.Context(), dev: &audiotest.Device{}, library: s}
	r.config = Config{
		Output: r.dev, Library: s, StateFile: filepath.Join(t.TempDir(), "player.journal"), Gain: GainOff,
		Played: func(tr Track, _ time.Time, _ string) { r.plays = append(r.plays, tr.ID) },
		Log:    slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	r.start()
	t.Cleanup(func() { r.stop() })
	return r
}

// start creates a player from the saved state, as a new process does.
func (r *rig) start() {
	r.t.Helper()
	p, err := New(r.config)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = p.Run(ctx) }()
	r.Player = p
	r.stop = func() { cancel(); <-done }
}

// onItem edits the item at index, which must still be the track id.
func (r *rig) onItem(index int, id string, f func(q *Edit, index int) error) error {
	return r.Edit(r.ctx, func(q *Edit) error {
		index, err := q.Check(index, id)
		if err != nil {
			return err
		}
		return f(q, index)
	})
}

func (r *rig) remove(index int, id string) error {
	return r.onItem(index, id, func(q *Edit, index int) error { return q.Remove(index, index+1) })
}

func (r *rig) move(from, to int, id string) error {
	return r.onItem(from, id, func(q *Edit, index int) error { return q.Move(index, index+1, to) })
}

func (r *rig) jump(index int, id string) error {
	return r.onItem(index, id, func(q *Edit, index int) error { return q.Play(index, 0) })
}

// insert adds tracks with one of the methods of Edit.
func (r *rig) insert(add func(q *Edit, tracks []Track) ([]int, error), ids ...string) ([]int, error) {
	return r.Insert(r.ctx, Selection{TrackIDs: ids}, add)
}

// atEnd and atNext are for insert.
func atEnd(q *Edit, tracks []Track) ([]int, error)  { return q.Insert(len(q.Items()), tracks) }
func atNext(q *Edit, tracks []Track) ([]int, error) { return q.InsertNext(tracks) }

// ok stops the test on an error.
func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// advance moves the fake clock and waits until the player is idle.
func (r *rig) advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wantState checks the current track, the playing state and the position (within a device step).
func (r *rig) wantState(id string, playing bool, at time.Duration) {
	r.t.Helper()
	st := r.Status()
	cur, _ := st.Current()
	if pos := r.Position(); cur.ID != id || st.Playing != playing || (pos-at).Abs() > 40*time.Millisecond {
		r.t.Fatalf("player state: got track %q, playing %v, position %v; want %q, %v, %v (status error %q)",
			cur.ID, st.Playing, pos, id, playing, at, st.Error)
	}
}

// bubble runs f with a rig over ten tracks of ten seconds each.
func bubble(t *testing.T, f func(r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		f(newRig(t, &toneLibrary{size: 10, length: 10 * time.Second}))
	})
}
