package decode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// endless is a stream of which all that is needed has arrived.
type endless struct{ *bytes.Reader }

func (endless) Size() int64 { return math.MaxInt64 / 2 }

// readLive reads to the end, which a live stream reports as an error.
func readLive(t testing.TB, src audio.Source) (samples []float32) {
	t.Helper()
	buf := make([]float32, 1000*src.Info().Channels)
	for {
		n, err := src.Read(buf)
		if err != nil {
			return samples
		}
		samples = append(samples, buf[:n*src.Info().Channels]...)
	}
}

func openLiveOf(content []byte) (audio.Source, error) {
	return Options{NoExternal: true}.OpenLive(content[:min(len(content), 4096)], endless{bytes.NewReader(content)})
}

// Formats without a live decoder of our own need ffmpeg.
func TestLiveOggPlaysWithFFmpeg(t *testing.T) {
	const frames = 100_000
	content := input(t, encode(t, melody(44100, 2, frames), 44100, 2, "ogg", "-c:a", "libvorbis"))
	if _, err := openLiveOf(content); !errors.Is(err, audio.ErrUnsupported) {
		t.Errorf("without ffmpeg: got %v, want an unsupported format", err)
	}
	live, err := Options{}.OpenLive(content[:4096], endless{bytes.NewReader(content)})
	if err != nil {
		t.Fatal(err)
	}
	if got := live.Info(); got.Frames != -1 || got.Rate != 44100 || got.Channels != 2 {
		t.Errorf("info: got %+v, want stereo at 44100 Hz without a length", got)
	}
	if n := len(readLive(t, live)) / 2; n < frames-4096 || n > frames+4096 {
		t.Errorf("frames: got %d, want about %d", n, frames)
	}
	if err := live.Close(); err != nil {
		t.Error(err)
	}
	if _, err := (Options{}).OpenLive([]byte("hello"), endless{bytes.NewReader(make([]byte, 10_000))}); !errors.Is(err,
		audio.ErrUnsupported) {
		t.Errorf("no audio: got %v, want an unsupported format", err)
	}
}

func TestLiveAACEqualsTheFile(t *testing.T) {
	content := adtsFile(t, 60_000)
	file, err := openADTS(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	live, err := openLiveOf(content)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := live.Info(), file.Info(); got.Frames != -1 || got.Rate != want.Rate || got.Channels != want.Channels {
		t.Errorf("info: got %+v, want that of %+v without a length", got, want)
	}
	if got, want := readLive(t, live), readLive(t, file); !slices.Equal(got, want) {
		t.Errorf("samples: got %d, want the same %d as those of the file", len(got), len(want))
	}
	// A client connects in the middle of a packet.
	if live, err = openLiveOf(content[len(content)/2+5:]); err != nil {
		t.Fatal(err)
	}
	if n := len(readLive(t, live)) / live.Info().Channels; n < 25_000 || n > 32_000 {
		t.Errorf("from the middle: got %d frames, want about 30000", n)
	}
}

func TestLiveStreamsSurviveDamage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	content := adtsFile(t, 20_000)
	for range 100 {
		damaged := bytes.Clone(content)
		for range 1 + rnd.IntN(50) {
			damaged[rnd.IntN(len(damaged))] = byte(rnd.IntN(256))
		}
		if live, err := openLiveOf(damaged); err == nil {
			readLive(t, live)
		}
	}
	for _, content := range [][]byte{nil, make([]byte, 200_000), bytes.Repeat([]byte{0xff}, 200_000)} {
		if _, err := openLiveOf(content); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%d bytes without audio: got %v, want an error", len(content), err)
		}
	}
}
