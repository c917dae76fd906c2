package decode

import (
	"fmt"

	"waxwing/internal/audio"
)

// openMP4 opens a MPEG-4 file.
func openMP4(audio.Input) (audio.Source, error) {
	return nil, fmt.Errorf("MPEG-4: %w", audio.ErrUnsupported)
}
