// Package output opens the places where sound goes: a sound server, a card, a file, a
// pipe, or a clock with nobody listening.
package output

import (
	"log/slog"
	"os"
	"strings"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/pulse"
	"waxwing/internal/fault"
)

// Kinds is what New understands, for a line of help.
const Kinds = "auto, pulse, alsa, null, file:PATH, pipe"

// New makes the output that spec names:
//
//	auto       the sound server if one answers, else the sound card, else null
//	pulse      PulseAudio or PipeWire, found as every client of PulseAudio finds it
//	alsa       the sound card, without a server; on macOS and Windows the system's own sound
//	null       a true real-time clock with nobody listening
//	file:PATH  a WAV file of what was heard, without the pauses; 32-bit float, 44100 Hz
//	pipe       raw signed 16-bit little-endian stereo at 44100 Hz to stdout, in real time
//
// It opens no device yet: that a device is missing is found by Open.
func New(spec string, log *slog.Logger) (audio.Output, error) {
	kind, path, _ := strings.Cut(spec, ":")
	switch {
	case spec == "auto" || spec == "":
		return newAuto(log), nil
	case spec == "pulse":
		return pulse.Output{}, nil
	case spec == "alsa":
		return newCard()
	case spec == "null":
		return null{}, nil
	case spec == "pipe":
		return newPipe(os.Stdout), nil
	case kind == "file" && path != "":
		return newFile(path)
	}
	return nil, fault.New(fault.Invalid, "unknown output %q: choose one of %s", spec, Kinds)
}
