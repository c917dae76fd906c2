package decode

import (
	"testing"

	"go.uber.org/goleak"

	"waxwing/internal/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Open opens whatever can be opened.
func Open(in audio.Input) (audio.Source, error) { return Options{}.Open(in) }
