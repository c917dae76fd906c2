// Package audio turns files into samples and samples into sound.
//
// A [Source] decodes one file. A [Deck] joins sources without a gap and feeds
// them to a [Stream], which an [Output] opened on a device. Package decode
// makes sources; package output makes outputs.
package audio

import (
	"context"
	"errors"
	"io"
)

// ErrUnsupported is wrapped by every error that says "this is not a format we
// can play", as opposed to "this file is damaged".
var ErrUnsupported = errors.New("unsupported audio format")

// Input is an encoded file: bytes at any offset, and their number. ReadAt may
// wait for bytes that are still on their way.
type Input interface {
	io.ReaderAt
	Size() int64
}

// Info describes what a Source yields.
type Info struct {
	Codec    string // "mp3", "flac", "vorbis", "opus", "aac", "alac", "pcm", or what the fallback decoder calls it
	Rate     int    // frames a second, 8000 to 384000
	Channels int    // 1 to 8, in the order of WAVE: L R C LFE BL BR SL SR (5.0 has no LFE; 4.0 is L R BL BR)
	Frames   int64  // exactly what Read will give from the start, encoder delay and padding removed; -1 when the file does not say
	Loudness Loudness
}

// Loudness is what the file says about its own level; nil where it is silent.
// Gains are in dB towards the ReplayGain 2.0 reference (−18 LUFS): R128 tags
// (−23 LUFS) are converted by the decoder. Peaks are linear, 1 = full scale.
type Loudness struct {
	TrackGain, TrackPeak *float64
	AlbumGain, AlbumPeak *float64
}

// Source yields the samples of one file as interleaved float32 frames, nominally within ±1.
//
// Only one goroutine at a time uses a Source. Whatever the file contains, a
// Source returns an error rather than panic, hang or allocate without bound.
type Source interface {
	Info() Info
	// Read fills dst with whole frames and returns how many *frames* it wrote.
	// It returns n > 0 and nil, or 0 and an error; io.EOF for ever after the last frame.
	// dst holds at least one frame.
	Read(dst []float32) (n int, err error)
	// SeekTo makes frame the next one that Read yields, exactly: the samples are those
	// that reading from the start would have given there. frame is within 0..Frames;
	// anything else is an error and leaves the place as it was.
	SeekTo(frame int64) error
	Close() error
}

// Output is a kind of place where sound goes: a sound server, a card, a clock with nobody listening.
type Output interface {
	// Open prepares a stereo stream: paused, empty, epoch 0. It may wait for
	// the sound server as long as ctx allows.
	Open(ctx context.Context, cfg StreamConfig) (Stream, error)
	// Devices lists where this output can play; the first is the default.
	Devices(ctx context.Context) ([]Device, error)
}

// FixedRate is implemented by an Output that can only play at one rate. The deck
// resamples what it plays there; other outputs are opened at each track's own rate.
type FixedRate interface {
	Rate() int // frames a second, or 0 when any rate will do
}

// Device is one place an Output can play to.
type Device struct {
	ID   string // stable over restarts, for StreamConfig.Device
	Name string // for people
}

// StreamConfig is everything a stream needs to know.
type StreamConfig struct {
	Device string // Device.ID, or "" for the output's default
	Rate   int    // frames a second; the stream plays at exactly this rate
	Volume float64

	// Pull fills dst with interleaved stereo frames for the given epoch and returns how many.
	// It never waits. Fewer frames than asked for: nothing more for now; the stream
	// asks again after Wake. last: nothing will follow in this epoch, so what
	// was written must be heard to its end without waiting for more.
	// It is called from the stream's own goroutine only.
	Pull func(epoch uint64, dst []float32) (frames int, last bool)

	// Notify is called when the stream is lost (Err is then set) or starts or ends
	// running dry. It must not block.
	Notify func()
}

// Stream is one open stereo float32 connection to a device. Every method returns at
// once and may be called from any goroutine; the stream carries commands out
// in the order given, on its own goroutine. After Err is set all of
// them do nothing, except Close.
type Stream interface {
	// Play lets sound out. The buffer is filled first, so that the start does not stutter.
	Play()
	// Pause silences the device at once, whatever its buffer holds. What was
	// buffered is heard after the next Play: not a sample is lost or doubled.
	Pause()
	// Cut throws away all that is buffered and starts the given epoch: frames
	// pulled from now on are asked for with it. Playing stays playing, paused stays paused.
	Cut(epoch uint64)
	// Wake says that Pull has something to give again.
	Wake()
	// SetVolume scales the sound by a linear factor from 0 to 1, at once and without a click.
	SetVolume(factor float64)
	// Clock tells how far the listener has come. It never waits.
	Clock() Clock
	// Err is nil until the stream is lost for good: device gone, server dead.
	Err() error
	// Close ends the stream and frees the device. Nothing is called back afterwards.
	Close()
}

// Clock is the listener's place in a stream.
type Clock struct {
	Epoch   uint64 // the epoch Heard counts in
	Heard   int64  // frames of this epoch that left the loudspeaker: pulled, less what is still in buffers. Never falls within an epoch.
	Running bool   // sound is coming out at this moment: not paused, not starved
}
