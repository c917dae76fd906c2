package decode

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/media"
	"waxwing/internal/media/window"
)

// opener opens one format. The input begins where the container does.
type opener func(audio.Input) (audio.Source, error)

// recognised is a file from the start of its container on and the function that opens it, nil when
// no decoder of ours does.
type recognised struct {
	in   audio.Input
	open opener
}

// recognise identifies the format of in by its content.
func recognise(in audio.Input) (recognised, error) {
	w := window.New(in, in.Size())
	file, err := media.Sniff(w)
	if err != nil {
		return recognised{}, fmt.Errorf("open: %w", err)
	}
	found := recognised{in: in}
	switch file.Kind {
	case media.MPEG:
		found.open = openMP3
		return found, nil
	case media.ADTS:
		found.open = openADTS
	case media.FLAC:
		found.open = openFLAC
	case media.WAV:
		found.open = openWAV
	case media.AIFF:
		found.open = openAIFF
	case media.MP4:
		found.open = openMP4
	case media.Ogg:
		if found.open, err = oggOpener(w.From(file.Start)); err != nil {
			return recognised{}, fmt.Errorf("open: %w", err)
		}
	}
	if file.Start > 0 && found.open != nil {
		found.in = io.NewSectionReader(in, file.Start, in.Size()-file.Start)
	}
	return found, nil
}

// oggOpener returns the opener for the codec of an Ogg stream. The first packet follows the 27
// bytes of the page header and the lengths of the page's segments.
func oggOpener(w *window.Reader) (opener, error) {
	page, err := w.Peek(0, 27+255+8)
	if err != nil || len(page) < 28 {
		return nil, err
	}
	packet := string(page[min(27+int(page[26]), len(page)):])
	for magic, open := range map[string]opener{
		"\x01vorbis": openVorbis,
		"OpusHead":   openOpus,
		"\x7FFLAC":   openOggFLAC,
	} {
		if len(packet) >= len(magic) && packet[:len(magic)] == magic {
			return open, nil
		}
	}
	return nil, nil
}
