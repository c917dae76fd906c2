package decode

import (
	"fmt"

	"waxwing/internal/audio"
)

// openADTS opens a ADTS AAC file.
func openADTS(audio.Input) (audio.Source, error) {
	return nil, fmt.Errorf("ADTS AAC: %w", audio.ErrUnsupported)
}
