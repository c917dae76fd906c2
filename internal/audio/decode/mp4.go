package decode

import (
	"errors"
	"fmt"
	"math/bits"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
)

// openMP4 opens an MP4 or QuickTime file whose first sound track is AAC-LC or ALAC.
func openMP4(in audio.Input) (audio.Source, error) {
	source, err := openMP4Track(in)
	if err != nil {
		return nil, fmt.Errorf("mp4: %w", err)
	}
	return source, nil
}

func openMP4Track(in audio.Input) (audio.Source, error) {
	moov, found, err := mp4File(in).find("moov")
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("no header: the file is cut off, or no MP4")
	}
	track, err := readMP4Track(moov)
	if err != nil {
		return nil, err
	}
	if err := track.readFragments(in, moov); err != nil {
		return nil, err
	}
	track.packets.trim(in.Size())
	if track.packets.count == 0 {
		return nil, errors.New("the sound track is empty")
	}
	tag := readFreeform(moov)
	loudness := loudnessFromComments(tag)
	if track.entry == "alac" {
		return openMP4ALAC(in, track, loudness)
	}
	return openMP4AAC(in, track, loudness, tag("ITUNSMPB"))
}

func openMP4AAC(in audio.Input, track *mp4Track, loudness audio.Loudness, tag string) (audio.Source, error) {
	if track.object != objectAAC && track.object != objectAAC2LC {
		return nil, fmt.Errorf("%w: MPEG-4 object type %#x", audio.ErrUnsupported, track.object)
	}
	codec, err := newAACCodec(aac.ParseConfig(track.config))
	if err != nil {
		return nil, err
	}
	if err := codec.probe(in, track.packets); err != nil {
		return nil, err
	}
	stream := codec.track(in, track.packets)
	whole := stream.info.Frames
	start, end := track.heard(int64(stream.info.Rate), whole)
	if g, ok := parseGapless(tag); ok && g.frames <= whole-g.delay {
		start, end = g.delay, g.delay+g.frames
	}
	stream.skip, stream.info.Frames, stream.info.Loudness = start, end-start, loudness
	return inWaveOrder(newPacketSource(stream), codec.config.Speakers()), nil
}

func openMP4ALAC(in audio.Input, track *mp4Track, loudness audio.Loudness) (audio.Source, error) {
	codec, err := newALACCodec(track.config)
	if err != nil {
		return nil, err
	}
	// Only the last packet may be short, and it knows best how long it is.
	size := int64(codec.decoder.MaxFrames())
	channels := codec.decoder.Channels()
	last := track.packets.count - 1
	packet, err := track.packets.read(in, last, nil)
	if err != nil {
		return nil, fmt.Errorf("read the last packet: %w", err)
	}
	whole := int64(last+1) * size
	if samples, err := codec.decode(packet); err == nil {
		whole = int64(last)*size + int64(len(samples)/channels)
	}
	start, end := track.heard(int64(codec.decoder.Rate()), whole)
	source := newPacketSource(packetTrack{
		in:      in,
		packets: track.packets,
		codec:   codec,
		size:    size,
		skip:    start,
		info: audio.Info{
			Codec:    "alac",
			Rate:     codec.decoder.Rate(),
			Channels: channels,
			Frames:   end - start,
			Loudness: loudness,
		},
	})
	return inWaveOrder(source, alacMask(channels)), nil
}

// heard converts what the track says about its beginning and end to frames, within 0 and whole.
// The durations of packets tell the end to the frame; an edit does when the movie's
// clock is fine enough, and else only when it differs by more than a tick.
func (t *mp4Track) heard(rate, whole int64) (start, end int64) {
	end = whole
	if d := rescale(t.duration, rate, t.timescale); d > 0 {
		end = min(end, d)
	}
	start = min(rescale(t.edit.start, rate, t.timescale), end)
	if t.edit.duration > 0 {
		edited := start + rescale(t.edit.duration, rate, t.movie)
		if tick := rate/t.movie + 1; edited < end-tick || (t.movie >= rate && edited < end) {
			end = edited
		}
	}
	return start, end
}

// rescale is n·to/from, rounded, without overflow; what does not fit is cut to the greatest number.
func rescale(n, to, from int64) int64 {
	if n <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(n), uint64(to))
	low, carry := bits.Add64(low, uint64(from)/2, 0)
	high += carry
	if high >= uint64(from) {
		return 1 << 62
	}
	quotient, _ := bits.Div64(high, low, uint64(from))
	return int64(min(quotient, 1<<62))
}
