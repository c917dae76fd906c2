package audio_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/audiotest"
)

// recordingOutput records the calls of a deck in order. Its streams do not play by themselves: the
// test pulls frames and advances the clock.
type recordingOutput struct {
	mu      sync.Mutex
	calls   []string
	streams []*recordingStream
	openErr error
	// Open of a device blocks until its channel is closed, even after the context ends.
	hold map[string]chan struct{}
}

func (o *recordingOutput) record(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, fmt.Sprintf(format, args...))
}

// takeCalls returns the calls since the last takeCalls.
func (o *recordingOutput) takeCalls() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	calls := strings.Join(o.calls, ", ")
	o.calls = nil
	return calls
}

func (o *recordingOutput) Open(_ context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	o.record("open %q %d", cfg.Device, cfg.Rate)
	o.mu.Lock()
	hold := o.hold[cfg.Device]
	o.mu.Unlock()
	if hold != nil {
		<-hold
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.openErr != nil {
		return (*recordingStream)(nil), o.openErr // a typed nil, as an output may return
	}
	s := &recordingStream{out: o, cfg: cfg, number: len(o.streams) + 1}
	o.streams = append(o.streams, s)
	return s, nil
}

func (o *recordingOutput) setOpenErr(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.openErr = err
}

func (o *recordingOutput) Devices(context.Context) ([]audio.Device, error) { return nil, nil }

// stream returns the stream that was opened last.
func (o *recordingOutput) stream() *recordingStream {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.streams[len(o.streams)-1]
}

type recordingStream struct {
	out    *recordingOutput
	cfg    audio.StreamConfig
	number int

	mu    sync.Mutex
	clock audio.Clock
	err   error
}

func (s *recordingStream) Play()               { s.out.record("%d play", s.number) }
func (s *recordingStream) Pause()              { s.out.record("%d pause", s.number); s.advance(0, false) }
func (s *recordingStream) SetVolume(v float64) { s.out.record("%d volume %v", s.number, v) }
func (s *recordingStream) Close()              { s.out.record("%d close", s.number) }
func (s *recordingStream) Wake()               {} // not recorded: decoders call it in no fixed order

func (s *recordingStream) Cut(epoch uint64) {
	s.out.record("%d cut", s.number)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = audio.Clock{Epoch: epoch}
}

func (s *recordingStream) Clock() audio.Clock {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *recordingStream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *recordingStream) fail(err error) {
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	s.cfg.Notify()
}

// pull pulls n frames of the stream's epoch and returns the left channel.
func (s *recordingStream) pull(n int) (left []float32, last bool) {
	dst := make([]float32, 2*n)
	n, last = s.cfg.Pull(s.Clock().Epoch, dst)
	for i := range n {
		left = append(left, dst[2*i])
	}
	return left, last
}

// advance moves the clock by n played frames and sets its running state.
func (s *recordingStream) advance(n int64, running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.Heard += n
	s.clock.Running = running
}

const testRate = 8000

// deckTest is a deck on a recording output, in a synctest bubble. The test is the deck's owner.
type deckTest struct {
	*testing.T
	*audio.Deck
	out *recordingOutput
}

func testDeck(t *testing.T, f func(d *deckTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		out := &recordingOutput{hold: map[string]chan struct{}{}}
		d := &deckTest{t, audio.NewDeck(out, ""), out}
		defer d.Close()
		f(d)
	})
}

// tone starts a cue of track id with that many frames; see audiotest.Sample for its samples.
func (d *deckTest) tone(id int, frames int64, change ...func(*audiotest.Tone)) *audio.Cue {
	tone := &audiotest.Tone{ID: id, Rate: testRate, Frames: frames}
	for _, f := range change {
		f(tone)
	}
	return d.Cue(tone, 1, func() {})
}

// install waits until the openers are done and installs their streams.
func (d *deckTest) install() (changes []audio.OutputChange) {
	for {
		synctest.Wait()
		select {
		case o := <-d.Opened():
			changes = append(changes, d.Install(o))
		default:
			return changes
		}
	}
}

// play loads a cue and plays it on a new stream.
func (d *deckTest) play(cue *audio.Cue) *recordingStream {
	d.Helper()
	d.Load(cue, 0)
	d.Play()
	if changes := d.install(); len(changes) != 1 || changes[0] != (audio.OutputChange{}) {
		d.Fatalf("installing the first stream: got %+v, want no change reported", changes)
	}
	d.fillRings()
	return d.out.stream()
}

// fillRings lets the decoders fill their rings.
func (d *deckTest) fillRings() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func (d *deckTest) wantCalls(want string) {
	d.Helper()
	if got := d.out.takeCalls(); got != want {
		d.Errorf("calls of the output\n got %s\nwant %s", got, want)
	}
}

func (d *deckTest) wantPosition(cue *audio.Cue, frame int64) {
	d.Helper()
	at, _, ok := d.Position(cue)
	if want := time.Duration(frame) * time.Second / testRate; !ok || at != want {
		d.Errorf("position: got %v, loaded %v; want %v, true", at, ok, want)
	}
}

// samples returns frames from..to of track id.
func samples(id int, from, to int64) (list []float32) {
	for f := from; f < to; f++ {
		list = append(list, audiotest.Sample(id, f))
	}
	return list
}

func (d *deckTest) wantSamples(got []float32, want ...[]float32) {
	d.Helper()
	if whole := slices.Concat(want...); !slices.Equal(got, whole) {
		at := 0
		for at < min(len(got), len(whole)) && got[at] == whole[at] {
			at++
		}
		d.Fatalf("pulled frames: got %d, want %d; first difference at %d", len(got), len(whole), at)
	}
}
