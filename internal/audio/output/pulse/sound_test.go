package pulse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

func TestSamplesArriveUnchanged(t *testing.T) {
	p := testenv.StartPulse(t)
	rec := p.Record()
	noise := make([]float32, 2*rate)
	for i := range noise {
		noise[i] = rand.Float32()*2 - 1
	}
	at := 0
	s := open(t, p, audio.StreamConfig{Rate: rate, Volume: 1, Notify: func() {},
		Pull: func(_ uint64, dst []float32) (int, bool) {
			n := copy(dst, noise[at:])
			at += n
			return n / 2, at == len(noise)
		}})
	s.Play()
	streamtest.WaitFor(t, "the end of playback", func() bool { return s.Clock().Heard == rate })
	rec.Wait(rec.Len() + rate/5)
	recorded := rec.Stop()
	start := 0
	for start < len(recorded) && recorded[start] == 0 {
		start++
	}
	if len(recorded)-start < len(noise) {
		t.Fatalf("recorded samples: got %d, want the %d sent", len(recorded)-start, len(noise))
	}
	for i, v := range noise {
		if recorded[start+i] != v {
			t.Fatalf("sample %d: got %v, want %v as sent", i, recorded[start+i], v)
		}
	}
	for i, v := range recorded[start+len(noise):] {
		if v != 0 {
			t.Fatalf("sample %d after the end: got %v, want 0", i, v)
		}
	}
}

// sine returns the configuration of a stream that plays a tone at full scale.
func sine() audio.StreamConfig {
	n := 0
	return audio.StreamConfig{Rate: rate, Volume: 1, Notify: func() {}, Pull: func(_ uint64, dst []float32) (int, bool) {
		for i := 0; i < len(dst); i += 2 {
			dst[i] = float32(math.Sin(2 * math.Pi * 441 * float64(n) / rate))
			dst[i+1] = dst[i]
			n++
		}
		return len(dst) / 2, false
	}}
}

// level returns the level of the recording in dB relative to a sine at full scale.
func level(recorded []float32) float64 {
	sum := 0.0
	for _, v := range recorded {
		sum += float64(v) * float64(v)
	}
	return 10 * math.Log10(2*sum/float64(len(recorded)))
}

func TestVolumeIsALinearFactor(t *testing.T) {
	p := testenv.StartPulse(t)
	rec := p.Record()
	cfg := sine()
	cfg.Volume = 0.5
	s := open(t, p, cfg)
	s.Play()
	check := func(factor float64) {
		t.Helper()
		streamtest.WaitFor(t, fmt.Sprintf("recorded volume %v", factor), func() bool {
			return math.Abs(level(rec.Last(rate/10))-20*math.Log10(factor)) <= 0.1
		})
	}
	streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Running })
	check(0.5)
	for _, factor := range []float64{1, 0.1, 0.9, 0.01} {
		s.SetVolume(factor)
		check(factor)
	}
	s.SetVolume(0)
	streamtest.WaitFor(t, "recorded silence", func() bool { return silent(rec.Last(rate / 10)) })
	s.SetVolume(1)
	rec.Wait(rec.Len() + rate/5)
	// No step between two samples may be larger than one of the fade.
	recorded, worst := rec.Stop(), 0.0
	for i := 2; i+1 < len(recorded); i += 2 {
		worst = max(worst, math.Abs(float64(recorded[i]-recorded[i-2])))
	}
	t.Logf("steepest step %.3f of full scale", worst)
	if worst > 0.7 {
		t.Errorf("largest step of a volume change: got %.2f of full scale, want at most 0.7", worst)
	}
}

// The best of a few attempts counts: a busy machine that delays the sound server during the pause
// invalidates the measurement.
func TestClockMatchesTheRecording(t *testing.T) {
	p := testenv.StartPulse(t)
	const limit = 20 * time.Millisecond
	var best []time.Duration
	for range 5 {
		errs, stopped := clockErrors(t, p)
		if stopped {
			continue
		}
		if best == nil || streamtest.Percentile(errs, 50) < streamtest.Percentile(best, 50) {
			best = errs
		}
		if streamtest.Percentile(best, 50) < limit {
			break
		}
	}
	if best == nil {
		t.Fatal("the clock stopped during playback, in every attempt")
	}
	measure(t, "error of the clock", best, limit)
	t.Logf("largest error of the clock: %v", streamtest.Percentile(best, 100))
}

// clockErrors plays for two seconds and returns the difference of each reading of the clock from
// the recording, and whether the clock ever stopped.
func clockErrors(t *testing.T, p *testenv.Pulse) (errs []time.Duration, stopped bool) {
	t.Helper()
	rec := p.Record()
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Running })
	// The sink runs by the system's clock, so the true position is a straight line. The end of the
	// recording gives its offset.
	type reading struct {
		at       time.Time
		position int64
	}
	var readings []reading
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(3 * time.Millisecond) {
		c := s.Clock()
		readings = append(readings, reading{time.Now(), c.Heard})
		stopped = stopped || !c.Running
		if n := len(readings); n > 1 && c.Heard < readings[n-2].position {
			t.Fatalf("the clock moved backwards: got %d, want at least %d", c.Heard, readings[n-2].position)
		}
	}
	paused := time.Now()
	s.Pause()
	streamtest.WaitFor(t, "the clock to stop", func() bool { return !s.Clock().Running })
	rec.Wait(rec.Len() + rate/5)
	list := streamtest.WithoutSilence(streamtest.Read(t, rec.Stop()))
	endFrame := list[len(list)-1].To
	for _, r := range readings {
		actual := endFrame - int64(paused.Sub(r.at).Seconds()*rate)
		errs = append(errs, frames(max(r.position-actual, actual-r.position)))
	}
	return errs, stopped
}

func TestDevicesListsTheSinks(t *testing.T) {
	p := testenv.StartPulse(t)
	list, err := Output{Server: p.Server}.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].ID != "null0" || list[0].Name == "" || list[1].ID != "rewind0" {
		t.Fatalf("devices: got %+v, want null0 and rewind0", list)
	}
	p.Control("set-default-sink", "rewind0")
	if list, err = (Output{Server: p.Server}).Devices(t.Context()); err != nil || list[0].ID != "rewind0" {
		t.Fatalf("devices after changing the default sink: got %+v, error %v; want rewind0 first", list, err)
	}
}
