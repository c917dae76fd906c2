package decode

import (
	"fmt"

	"waxwing/internal/audio"
)

// openVorbis opens a Ogg Vorbis file.
func openVorbis(audio.Input) (audio.Source, error) {
	return nil, fmt.Errorf("Ogg Vorbis: %w", audio.ErrUnsupported)
}
