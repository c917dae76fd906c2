// Package audio plays decoded audio on a device.
//
// A [Source] decodes one file. A [Deck] joins sources without a gap and feeds them to a [Stream],
// which an [Output] opened on a device. Package decode opens sources, package output opens outputs.
package audio

import (
	"context"
	"errors"
	"io"
)

// ErrUnsupported is wrapped by the errors that report a format that cannot be played, as opposed to
// a damaged file.
var ErrUnsupported = errors.New("unsupported audio format")

// Input is an encoded file. ReadAt may block until the bytes have been fetched.
type Input interface {
	io.ReaderAt
	Size() int64
}

// Info describes what a Source yields.
type Info struct {
	Codec    string // "mp3", "flac", "vorbis", "opus", "aac", "alac", "pcm", or ffmpeg's name
	Rate     int    // frames a second, 8000 to 384000
	Channels int    // 1 to 8, in WAVE order: L R C LFE BL BR SL SR (5.0 has no LFE; 4.0 is L R BL BR)
	// Frames is exactly what Read yields from the start, without encoder delay and padding;
	// -1 when the file does not say.
	Frames int64
	// Depth is how many bits a sample of the file has; 0 if the format is lossy.
	Depth int
}

// Source yields the samples of one file as interleaved float32 frames, nominally within ±1.
//
// Only one goroutine at a time uses a Source. For any file content, a Source returns an error
// rather than panic, hang or allocate without bound.
type Source interface {
	Info() Info
	// Read fills dst with whole frames and returns how many *frames* it wrote.
	// It returns n > 0 and nil, or 0 and an error; after the last frame always io.EOF.
	// dst has room for at least one frame.
	Read(dst []float32) (n int, err error)
	// SeekTo makes frame the next one that Read yields, exactly: the samples are those that
	// reading from the start yields there. A frame outside of 0..Frames is an error and leaves
	// the position unchanged.
	SeekTo(frame int64) error
	Close() error
}

// Output is a playback backend: a sound server, a sound card, a file, or a clock without sound.
type Output interface {
	// Open returns a stereo stream: paused, empty, epoch 0. It may block until ctx is done.
	Open(ctx context.Context, cfg StreamConfig) (Stream, error)
	// Devices lists the devices of this output; the first is the default.
	Devices(ctx context.Context) ([]Device, error)
}

// FixedRate is implemented by an Output that plays at one rate only. The deck resamples for it;
// other outputs are opened at each track's own rate.
type FixedRate interface {
	Rate() int // frames a second; 0: any rate
}

// Device is one device of an Output.
type Device struct {
	ID   string // stable over restarts, for StreamConfig.Device
	Name string // to be displayed
}

// StreamConfig configures a stream.
type StreamConfig struct {
	Device string // Device.ID, or "" for the output's default
	Rate   int    // frames a second; the stream plays at exactly this rate
	Volume float64

	// Pull fills dst with interleaved stereo frames of the given epoch and returns how many.
	// It never blocks. Fewer frames than requested: no more for now; the stream pulls again
	// after Wake. last: nothing follows in this epoch, so the stream must play what it has
	// without waiting for more. Only the stream's own goroutine calls it.
	Pull func(epoch uint64, dst []float32) (frames int, last bool)

	// Notify is called when the stream has failed (Err is then set) and when it starts or stops
	// playing samples. It must not block.
	Notify func()
}

// Stream is one open stereo float32 connection to a device. No method blocks, and any goroutine may
// call them; the stream executes the commands in order, on its own goroutine. After Err is set all
// of them do nothing, except Close.
type Stream interface {
	// Play starts or resumes playback. The buffer is filled first, so that the start does not stutter.
	Play()
	// Pause silences the device at once, however much it has buffered. The next Play continues
	// with the buffered samples: none is lost or repeated.
	Pause()
	// Cut discards the buffer and starts the given epoch: from now on Pull is called with it.
	// Playing stays playing, paused stays paused.
	Cut(epoch uint64)
	// Wake makes the stream pull again after a Pull that returned fewer frames than requested.
	Wake()
	// SetVolume scales the samples by a linear factor from 0 to 1, at once and without a click.
	SetVolume(factor float64)
	// Clock returns the position of the listener.
	Clock() Clock
	// Err is nil until the stream fails for good: the device was removed, the server died.
	Err() error
	// Close ends the stream and frees the device. Afterwards it calls neither Pull nor Notify.
	Close()
}

// Clock is the position of the listener in a stream.
type Clock struct {
	Epoch uint64 // the epoch that Heard counts in
	// Heard is how many frames of this epoch were played: those pulled, less those still in
	// buffers. It never decreases within an epoch.
	Heard   int64
	Running bool // samples are being played: not paused, not starved
}
