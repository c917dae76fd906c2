package decode

import (
	"errors"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/media/matroska"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/ogg"
	"waxwing/internal/media/window"
)

// openMatroska opens a Matroska or WebM file whose first audio track has one of our codecs.
func openMatroska(in audio.Input) (audio.Source, error) {
	source, err := openMatroskaTrack(in)
	if err != nil {
		return nil, fmt.Errorf("matroska: %w", err)
	}
	return source, nil
}

func openMatroskaTrack(in audio.Input) (audio.Source, error) {
	file, err := matroska.Read(window.NewSize(in, in.Size(), 1<<16), matroska.Visitor{})
	if errors.Is(err, matroska.ErrNoAudio) {
		return nil, fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	if file.Encoded {
		return nil, fmt.Errorf("%w: compressed or encrypted packets in Matroska", audio.ErrUnsupported)
	}
	switch file.Codec {
	case matroska.Opus:
		return openOgg(remuxMatroska(in, file, file.Private, ogg.EmptyOpusTags))
	case matroska.Vorbis:
		return openOgg(remuxMatroska(in, file, file.Headers[:]...))
	case matroska.FLAC:
		return openFLAC(file.Content(file.Private))
	case matroska.MP3:
		source, err := openMP3(file.Content(nil))
		if err != nil {
			return nil, err
		}
		info := source.Info()
		skip, frames := file.Heard(info.Rate, info.Frames)
		return trim(source, skip, frames), nil
	case matroska.AAC:
		if file.Private != nil && len(file.Prefix) == 0 {
			return openMatroskaAAC(in, file)
		}
	case matroska.ALAC:
		if len(file.Prefix) == 0 {
			return openMatroskaALAC(in, file)
		}
	}
	return nil, fmt.Errorf("%w: %q in Matroska", audio.ErrUnsupported, file.ID)
}

// remuxMatroska returns the packets of Opus or Vorbis as an Ogg file.
func remuxMatroska(in audio.Input, file *matroska.File, headers ...[]byte) *ogg.Remux {
	r := ogg.NewRemux(in, file.Prefix, headers...)
	skip, heard := file.Heard(file.Rate, file.Frames())
	end := int64(0)
	for _, p := range file.Packets {
		end += int64(p.Frames)
		r.Append(p.Off, int(p.Size), min(end-skip, heard))
	}
	return r
}

func openMatroskaAAC(in audio.Input, file *matroska.File) (audio.Source, error) {
	codec, err := newAACCodec(aac.ParseConfig(file.Private))
	if err != nil {
		return nil, err
	}
	packets := packetsOf(file)
	if err := codec.probe(in, packets); err != nil {
		return nil, err
	}
	track := codec.track(in, packets)
	track.skip, track.info.Frames = file.Heard(track.info.Rate, track.info.Frames)
	return inWaveOrder(newPacketSource(track), codec.config.Speakers()), nil
}

func openMatroskaALAC(in audio.Input, file *matroska.File) (audio.Source, error) {
	codec, err := newALACCodec(file.Private)
	if err != nil {
		return nil, err
	}
	track := codec.track(in, packetsOf(file))
	track.skip, track.info.Frames = file.Heard(track.info.Rate, file.Frames())
	return inWaveOrder(newPacketSource(track), alacMask(track.info.Channels)), nil
}

// packetsOf lists the packets of the track.
func packetsOf(file *matroska.File) *mp4.Samples {
	packets := &mp4.Samples{}
	for _, p := range file.Packets {
		packets.Append(p.Off, int(p.Size))
	}
	return packets
}
