package transcode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
)

const (
	maxLength    = 24 * time.Hour // of a result
	chunk        = 4096           // frames that are read at once
	accountEvery = 1 << 20        // frames between two looks at the size of the file
)

// input is a file that can no longer be read when ctx is done.
type input struct {
	io.ReaderAt
	ctx    context.Context
	size   int64
	failed error // a failed read, as opposed to damaged content
	cut    error // why the result ends early
}

func (in *input) Size() int64 { return in.size }

func (in *input) ReadAt(p []byte, off int64) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := in.ReaderAt.ReadAt(p, off)
	if err != nil && err != io.EOF {
		in.failed = err
	}
	return n, err
}

// sink writes samples in one format.
type sink interface {
	write(samples []float32) error
	finish() error // completes the file
	close()        // ends what runs beside this process; after finish it does nothing
}

// encode writes a variant of a file and returns its length. Like the player, it uses what can be
// decoded of a damaged file.
func (s *Store) encode(ctx context.Context, p *partial, v Variant, in *input) (time.Duration, error) {
	options := s.cfg.Decode
	options.Context = ctx
	src, err := options.Open(in)
	if err != nil {
		return 0, s.decodeFault(ctx, in, err)
	}
	defer src.Close()
	src = v.convert(src)
	if err := s.skip(ctx, src, v.Offset, in); err != nil {
		return 0, err
	}
	to, err := s.encoders.open(ctx, p, v, src.Info())
	if err != nil {
		return 0, err
	}
	defer to.close()
	frames, err := s.copy(ctx, p, to, src, in)
	if err != nil {
		return 0, err
	}
	if frames == 0 {
		return 0, s.decodeFault(ctx, in, errors.Join(errors.New("no audio"), in.cut))
	}
	if err := to.finish(); err != nil {
		return 0, err
	}
	return time.Duration(float64(frames) / float64(src.Info().Rate) * float64(time.Second)), nil
}

// convert returns src in a form that the format and the limits allow. The lossy formats are for
// small devices, so they get two channels at most, and rates that all players know.
func (v Variant) convert(src audio.Source) audio.Source {
	info := src.Info()
	if info.Channels > 2 && (v.Format.lossy() || v.Limit.Stereo) {
		src = audio.Downmix(src)
	}
	if !v.Format.lossy() {
		if v.Limit.Rate != 0 {
			src = audio.Resample(src, min(info.Rate, v.Limit.Rate))
		}
		return src
	}
	rate := 48000
	if v.Format == MP3 {
		rate = MP3Rate(info.Rate)
	}
	return audio.Resample(src, rate)
}

// MP3Rate returns the sample rate of an MP3 file that is made of a source with another rate.
func MP3Rate(source int) int {
	switch {
	case source == 32000:
		return 32000
	case source%11025 == 0:
		return 44100
	}
	return 48000
}

// skip moves to the first frame of the result.
func (s *Store) skip(ctx context.Context, src audio.Source, offset time.Duration, in *input) error {
	if offset == 0 {
		return nil
	}
	info := src.Info()
	frame := int64(math.Round(offset.Seconds() * float64(info.Rate)))
	after := fault.New(fault.Invalid, "the time offset is after the end of the song")
	if offset > maxLength || info.Frames >= 0 && frame >= info.Frames {
		return after
	}
	err := src.SeekTo(frame)
	if errors.Is(err, io.ErrUnexpectedEOF) && in.failed == nil && info.Frames < 0 {
		return after
	}
	if err != nil {
		return s.decodeFault(ctx, in, err)
	}
	return nil
}

// copy moves all samples from src to the sink and returns the number of frames.
func (s *Store) copy(ctx context.Context, p *partial, to sink, src audio.Source, in *input) (frames int64, err error) {
	info := src.Info()
	buf := make([]float32, chunk*info.Channels)
	accounted := int64(0)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if err := to.write(buf[:n*info.Channels]); err != nil {
				return 0, err
			}
			frames += int64(n)
		}
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case err == io.EOF:
			return frames, nil
		case err != nil && in.failed != nil:
			return 0, s.decodeFault(ctx, in, err)
		case err != nil:
			in.cut = err
			return frames, nil
		case frames > int64(maxLength.Seconds())*int64(info.Rate):
			return 0, fault.New(fault.NotFound, "this song is too long to be converted; request the original")
		}
		if frames-accounted >= accountEvery {
			accounted = frames
			if err := p.account(); err != nil {
				return 0, err
			}
		}
	}
}

// decodeFault classifies the error of a decoder.
func (s *Store) decodeFault(ctx context.Context, in *input, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case in.failed != nil:
		return fault.Wrap(fault.Unavailable, in.failed, "cannot read the file of this song; check its disk")
	case errors.Is(err, audio.ErrUnsupported):
		return fault.Wrap(fault.NotFound, err, "the file of this song cannot be converted: its format is not supported")
	}
	return fault.Wrap(fault.NotFound, err, "the file of this song cannot be decoded")
}

// depthOf returns the bits of samples that hold a source without loss. A lossy one has no depth;
// 16 bits are more than it was made for.
func (v Variant) depthOf(info audio.Info) int {
	if info.Depth > 16 && !v.Limit.Bits16 {
		return 24
	}
	return 16
}

// whole converts samples to integers of that depth, rounded and clipped.
func whole(dst []int32, samples []float32, depth int) []int32 {
	scale := float32(int32(1) << (depth - 1))
	dst = dst[:0]
	for _, v := range samples {
		v *= scale
		switch {
		case v >= scale-1:
			v = scale - 1
		case v <= -scale:
			v = -scale
		case v < 0:
			v -= 0.5
		default:
			v += 0.5
		}
		dst = append(dst, int32(v))
	}
	return dst
}

var errWAVTooLong = fmt.Errorf("a WAV file has at most 4 GiB: %w",
	fault.New(fault.NotFound, "this song is too long for WAV; request flac"))
