package output

import (
	"context"

	"waxwing/internal/audio"
)

// null plays in real time without sound.
type null struct{}

func (null) Open(_ context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	return newClocked(cfg, nil), nil
}

func (null) Devices(context.Context) ([]audio.Device, error) {
	return []audio.Device{{ID: "null", Name: "No sound"}}, nil
}
