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
	streamtest.WaitFor(t, "it is heard", func() bool { return s.Clock().Heard == rate })
	rec.Wait(rec.Len() + rate/5)
	heard := rec.Stop()
	start := 0
	for start < len(heard) && heard[start] == 0 {
		start++
	}
	if len(heard)-start < len(noise) {
		t.Fatalf("%d samples heard, %d sent", len(heard)-start, len(noise))
	}
	for i, v := range noise {
		if heard[start+i] != v {
			t.Fatalf("sample %d is %v, was sent as %v", i, heard[start+i], v)
		}
	}
	for i, v := range heard[start+len(noise):] {
		if v != 0 {
			t.Fatalf("sample %d after the end is %v", i, v)
		}
	}
}

// sine fills a stream with a tone at full scale.
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

// level is the loudness of the recording, in dB below a sine at full scale.
func level(heard []float32) float64 {
	sum := 0.0
	for _, v := range heard {
		sum += float64(v) * float64(v)
	}
	return 10 * math.Log10(2*sum/float64(len(heard)))
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
		streamtest.WaitFor(t, fmt.Sprintf("volume %v is heard", factor), func() bool {
			return math.Abs(level(rec.Last(rate/10))-20*math.Log10(factor)) <= 0.1
		})
	}
	streamtest.WaitFor(t, "it plays", func() bool { return s.Clock().Running })
	check(0.5)
	for _, factor := range []float64{1, 0.1, 0.9, 0.01} {
		s.SetVolume(factor)
		check(factor)
	}
	s.SetVolume(0)
	streamtest.WaitFor(t, "volume 0 is heard", func() bool { return silent(rec.Last(rate / 10)) })
	s.SetVolume(1)
	rec.Wait(rec.Len() + rate/5)
	// No step may be larger than one of the fade.
	heard, worst := rec.Stop(), 0.0
	for i := 2; i+1 < len(heard); i += 2 {
		worst = max(worst, math.Abs(float64(heard[i]-heard[i-2])))
	}
	t.Logf("steepest step %.3f of full scale", worst)
	if worst > 0.7 {
		t.Errorf("a change of volume made a step of %.2f of full scale", worst)
	}
}

// The best of a few attempts counts: a busy machine that delays the sound server at the time of the
// pause spoils the measurement.
func TestClockMatchesTheRecording(t *testing.T) {
	p := testenv.StartPulse(t)
	const good = 20 * time.Millisecond
	var best []time.Duration
	for range 5 {
		off, stood := clockErrors(t, p)
		if stood {
			continue
		}
		if best == nil || streamtest.Percentile(off, 50) < streamtest.Percentile(best, 50) {
			best = off
		}
		if streamtest.Percentile(best, 50) < good {
			break
		}
	}
	if best == nil {
		t.Fatal("the clock stopped during playback, in every attempt")
	}
	measure(t, "clock off by", best, good)
	t.Logf("worst %v", streamtest.Percentile(best, 100))
}

// clockErrors plays for two seconds and returns the difference of each reading of the clock from
// the recording, and whether the clock ever stopped.
func clockErrors(t *testing.T, p *testenv.Pulse) (off []time.Duration, stood bool) {
	t.Helper()
	rec := p.Record()
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "it plays", func() bool { return s.Clock().Running })
	// The sink runs by the system's clock, so the true position is a straight line. The end of the
	// recording gives its offset.
	type reading struct {
		at    time.Time
		heard int64
	}
	var readings []reading
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(3 * time.Millisecond) {
		c := s.Clock()
		readings = append(readings, reading{time.Now(), c.Heard})
		stood = stood || !c.Running
		if n := len(readings); n > 1 && c.Heard < readings[n-2].heard {
			t.Fatal("the clock went back")
		}
	}
	paused := time.Now()
	s.Pause()
	streamtest.WaitFor(t, "it stands", func() bool { return !s.Clock().Running })
	rec.Wait(rec.Len() + rate/5)
	list := streamtest.WithoutSilence(streamtest.Read(t, rec.Stop()))
	stopped := list[len(list)-1].To
	for _, r := range readings {
		truth := stopped - int64(paused.Sub(r.at).Seconds()*rate)
		off = append(off, frames(max(r.heard-truth, truth-r.heard)))
	}
	return off, stood
}

func TestDevicesListsTheSinks(t *testing.T) {
	p := testenv.StartPulse(t)
	list, err := Output{Server: p.Server}.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].ID != "null0" || list[0].Name == "" || list[1].ID != "rewind0" {
		t.Fatalf("devices: %+v", list)
	}
	p.Control("set-default-sink", "rewind0")
	if list, err = (Output{Server: p.Server}).Devices(t.Context()); err != nil || list[0].ID != "rewind0" {
		t.Fatalf("devices: %+v, %v", list, err)
	}
}
