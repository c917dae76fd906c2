package decode

import (
	"fmt"

	"waxwing/internal/audio"
)

// openOpus opens a Ogg Opus file.
func openOpus(audio.Input) (audio.Source, error) {
	return nil, fmt.Errorf("Ogg Opus: %w", audio.ErrUnsupported)
}
