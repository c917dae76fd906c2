package decode

import (
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Open opens whatever can be opened.
func Open(in audio.Input) (audio.Source, error) { return Options{}.Open(in) }
