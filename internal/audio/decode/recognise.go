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
	kind media.Kind
	in   audio.Input
	open opener
}

// recognise identifies the format of in by its content.
func recognise(in audio.Input) (recognised, error) {
	file, err := media.Sniff(window.New(in, in.Size()))
	if err != nil {
		return recognised{}, fmt.Errorf("open: %w", err)
	}
	found := recognised{kind: file.Kind, in: in}
	switch file.Kind {
	case media.MPEG:
		found.open = openMP3
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
		found.open = openOgg
	case media.Matroska:
		found.open = openMatroska
	}
	if file.Start > 0 && found.open != nil {
		found.in = io.NewSectionReader(in, file.Start, in.Size()-file.Start)
	}
	return found, nil
}
