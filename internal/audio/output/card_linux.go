package output

import "waxwing/internal/audio"

func newCard() (audio.Output, error) { return null{}, nil }
func cardPresent() bool              { return false }
