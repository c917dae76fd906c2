// Package output opens playback backends: a sound server, a sound card, a file, a pipe, or a clock
// without sound.
package output

import (
	"log/slog"
	"os"
	"strings"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/pulse"
	"waxwing/internal/fault"
)

// Kinds lists the values of New, for help texts.
const Kinds = "auto, pulse, alsa, null, file:PATH, pipe"

// New returns the output that spec selects:
//
//	auto       the sound server if one is reachable, else the sound card, else null
//	pulse      PulseAudio or PipeWire, found as by other PulseAudio clients
//	alsa       the sound card, without a server; on macOS and Windows the system's own sound
//	null       a real-time clock without sound
//	file:PATH  a WAV file of what is played, without pauses; 32-bit float, 44100 Hz
//	pipe       raw signed 16-bit little-endian stereo at 44100 Hz to stdout, in real time
//
// It opens no device; Open reports a missing one.
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
