//go:build !linux && !darwin && !windows

package output

import (
	"waxwing/internal/audio"
	"waxwing/internal/fault"
)

func newCard() (audio.Output, error) {
	return nil, fault.New(fault.Invalid, "no sound card can be used on this system: choose another output")
}

func cardPresent() bool { return false }
