package decode

import (
	"waxwing/internal/audio"
	"waxwing/internal/audio/mp3"
)

func openMP3(in audio.Input) (audio.Source, error) {
	d, err := mp3.Open(in)
	if err != nil {
		return nil, err // not d: an interface with a nil pointer is not nil
	}
	return d, nil
}
