package tags

import (
	"errors"
	"fmt"
	"strings"

	"waxwing/internal/audio/flac"
	"waxwing/internal/media/matroska"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/mpeg"
	"waxwing/internal/media/window"
)

var matroskaFormats = map[matroska.Codec]Format{
	matroska.Opus: Opus, matroska.Vorbis: Vorbis, matroska.FLAC: FLAC, matroska.MP3: MP3, matroska.AAC: AAC,
	matroska.ALAC: ALAC,
}

// matroskaAlbum and matroskaTrack map names whose meaning depends on what they describe.
var (
	matroskaAlbum = map[string]field{
		"TITLE": fieldAlbum, "ARTIST": fieldAlbumArtist, "TOTALPARTS": fieldTrackTotal, "SORTWITH": fieldAlbumSort,
	}
	matroskaTrack = map[string]field{
		"PARTNUMBER": fieldTrack, "DATERELEASED": fieldDate, "DATERECORDED": fieldOriginalDate,
		"LEADPERFORMER": fieldArtist, "SEGMENTTITLE": fieldTitle, "TOTALPARTS": fieldTrackTotal,
	}
)

func (p *parser) matroska() error {
	p.nextTag()
	f, err := matroska.Read(p.Reader, matroska.Visitor{Tag: p.matroskaTag, Picture: p.matroskaPicture})
	if errors.Is(err, matroska.ErrNoAudio) {
		return fmt.Errorf("%w: %w", ErrUnknownFormat, err)
	}
	if err != nil {
		return err
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels = matroskaFormats[f.Codec], f.Rate, f.Channels
	if t.Format == "" || f.Encoded {
		return fmt.Errorf("%w: %q in a Matroska file", ErrUnknownFormat, f.ID)
	}
	frames, err := p.matroskaFrames(f)
	if err != nil {
		return err
	}
	t.Audio = Range{f.Start, f.End - f.Start}
	t.Duration = samplesToTime(frames, t.SampleRate)
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}

// matroskaFrames returns the length of the audio and corrects its format where the packets state it
// more exactly than the track.
func (p *parser) matroskaFrames(f *matroska.File) (frames int64, err error) {
	t := &p.tags
	switch f.Codec {
	case matroska.Opus:
		_, frames = f.Heard(f.Rate, f.Frames())
		return max(frames-f.OpusDelay(), 0), nil
	case matroska.FLAC:
		content := f.Content(f.Private)
		d, err := flac.Open(content, content.Size())
		if err != nil {
			return 0, err
		}
		t.SampleRate, t.Channels = d.Rate, d.Channels
		p.setStreamInfo(d.StreamInfo)
		return d.Frames, nil
	case matroska.MP3:
		content := f.Content(nil)
		stream, err := mpeg.Open(window.New(content, content.Size()))
		if err != nil {
			return 0, window.Damaged("no MP3 frame in the Matroska file")
		}
		t.SampleRate, t.Channels = stream.First.Rate(), stream.First.Channels()
		_, total, err := stream.Length()
		_, frames = f.Heard(t.SampleRate, total)
		return frames, err
	case matroska.AAC:
		config := mp4.ParseAudioConfig(f.Private)
		if config.Rate > 0 {
			t.SampleRate = config.Rate
		}
		if config.Channels > 0 {
			t.Channels = config.Channels
		}
		_, frames = f.Heard(t.SampleRate, int64(len(f.Packets))*config.PacketFrames())
		return frames, nil
	}
	_, frames = f.Heard(f.Rate, f.Frames())
	return frames, nil
}

func (p *parser) matroskaTag(tag matroska.Tag) {
	name := squeeze(tag.Name[:min(len(tag.Name), maxNameBytes)])
	k := matroskaTrack[name]
	if tag.Level == matroska.LevelAlbum && matroskaAlbum[name] != fieldNone {
		k = matroskaAlbum[name]
	}
	if k == fieldNone {
		k = nameField(name)
	}
	if name == "SEGMENTTITLE" && p.fields.first(fieldTitle) != "" {
		return
	}
	p.fields.add(k, tag.Value)
}

func (p *parser) matroskaPicture(pic matroska.Picture) {
	out := Picture{Off: pic.Off, Len: pic.Size, MIME: pic.MIME}
	if strings.HasPrefix(strings.ToLower(pic.Name), "cover.") {
		out.kind = 3
	}
	p.offerPicture(out)
}
