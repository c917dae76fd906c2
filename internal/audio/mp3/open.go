package mp3

import (
	"errors"
	"fmt"
	"io"
	"math"

	"waxwing/internal/audio"
	"waxwing/internal/media/mpeg"
	"waxwing/internal/media/window"
)

const (
	// probedFrames is the number of frames at the start that may be damaged before the file is
	// rejected. The first frames of a file that was cut out of another lack the data before the cut.
	probedFrames = 64
	// pageSize is the length of one read: large enough to walk a large file quickly, small enough
	// to start soon while the file is still being downloaded.
	pageSize = 32 << 10
)

var errDamaged = errors.New("damaged MP3: no frame can be decoded")

// Open prepares to decode in. If the first frame states the length, only the beginning is read;
// otherwise the frames are counted, so that the length is always exact.
func Open(in audio.Input) (*Decoder, error) {
	d, err := openStream(in, pageSize)
	if err != nil {
		return nil, err
	}
	d.skip, d.info.Frames, err = d.stream.Length()
	if err != nil {
		return nil, err
	}
	return d, nil
}

// livePage is the length of one read of a live stream: what arrives in a quarter of a second.
const livePage = 4 << 10

// OpenLive is Open for a stream that never ends: its length is unknown, and it cannot seek. Reads
// are near the end of what was read before.
func OpenLive(in audio.Input) (*Decoder, error) {
	d, err := openStream(in, livePage)
	if err != nil {
		return nil, err
	}
	d.stream.Forget()
	d.live, d.info.Frames = true, math.MaxInt64
	return d, nil
}

func openStream(in audio.Input, page int) (*Decoder, error) {
	stream, err := mpeg.Open(window.NewSize(in, in.Size(), page))
	switch {
	case errors.Is(err, mpeg.ErrNoFrames):
		return nil, fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	case err != nil:
		return nil, err
	case stream.First.Layer != 3:
		return nil, fmt.Errorf("%w: MPEG audio of Layer %d", audio.ErrUnsupported, stream.First.Layer)
	}
	d := &Decoder{
		stream: stream,
		frames: newFrameDecoder(stream.First),
		info:   audio.Info{Codec: "mp3", Rate: stream.First.Rate(), Channels: stream.First.Channels()},
		stale:  true,
	}
	d.pcm = make([]float32, stream.First.Samples()*d.info.Channels)
	if err := d.probe(); err != nil {
		return nil, err
	}
	return d, nil
}

// probe searches for a frame that can be decoded.
func (d *Decoder) probe() error {
	p := d.stream.Begin()
	for range probedFrames {
		f, err := d.stream.Next(&p)
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		frame, err := d.stream.Data(f)
		if err != nil {
			return err
		}
		if d.frames.decode(frame, f.Header, d.pcm, d.info.Channels) {
			return nil
		}
	}
	return errDamaged
}
