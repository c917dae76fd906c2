package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// heardState is the playback state in an event.
type heardState struct {
	Rate     float64 `json:"rate"`
	Position float64 `json:"position"`
	Error    *string `json:"error"`
}

// states follows the events of the server until the end of the test.
func (s *server) states() <-chan heardState {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "GET", s.base+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	out := make(chan heardState, 1000)
	go func() {
		defer resp.Body.Close()
		defer close(out)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			var state heardState
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.Contains(data, `"rate"`) &&
				json.Unmarshal([]byte(data), &state) == nil {
				out <- state
			}
		}
	}()
	return out
}

// TestPlaybackResumesAfterAudioLoss makes audio output fail in five ways. An event reports it
// within a second, nothing busy-loops meanwhile, and playback resumes at its position.
func TestPlaybackResumesAfterAudioLoss(t *testing.T) {
	pulse := testenv.StartPulse(t)
	music := t.TempDir()
	writeWAV(t, filepath.Join(music, "01 Piece.wav"), 44100, noise(8, 100*44100))
	pulse.Kill() // start without a sound server
	s := launch(t, pulse.Env(), "--output", "pulse", "--no-mpris", "--music", music)
	s.eventually(20*time.Second, "the scan", func() bool { return len(s.songs()) == 1 })
	position := func() float64 {
		track, _ := s.get("/current-track")["track"].(map[string]any)
		at, _ := track["position"].(float64)
		return at
	}
	states := s.states()
	sinks := func(rate int) {
		pulse.Control("load-module", "module-null-sink", "sink_name=null0", "format=float32le",
			fmt.Sprintf("rate=%d", rate), "channels=2", "norewinds=1")
	}
	violations, note := 0, ""
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	faults := []struct {
		name       string
		take, give func()
		silent     bool // no playback before: an event must give the reason
	}{
		{"none at start", func() { s.post("/play", "") }, pulse.Restart, true},
		{"device gone", func() { pulse.Control("unload-module", "module-null-sink") }, func() { sinks(44100) }, false},
		{"device back at another rate", func() { pulse.Control("unload-module", "module-null-sink") },
			func() { sinks(48000) }, false},
		{"server killed", pulse.Kill, pulse.Restart, false},
		{"server stalled", pulse.Freeze, pulse.Thaw, false},
	}
	for _, f := range faults {
		for len(states) > 0 {
			<-states
		}
		before := position()
		began := time.Now()
		f.take()
		taken := time.Now() // excludes the time of the command
		var stopped heardState
		for stopped = (heardState{Rate: 1}); stopped.Rate != 0 || f.silent && stopped.Error == nil; {
			select {
			case stopped = <-states:
			case <-time.After(10 * time.Second):
				t.Fatalf("%s: no event reports that playback has stopped", f.name)
			}
		}
		reported, played := time.Since(taken), time.Since(began)
		note += fmt.Sprintf(", %s %v", f.name, reported.Round(time.Millisecond))
		if reported > time.Second+s.starved() {
			wrong("%s: the event came after %v", f.name, reported)
		}
		busy := s.metric("process_cpu_seconds_total")
		outage := time.Now()
		for time.Since(outage) < time.Second {
			s.get("/playback-state")
			time.Sleep(50 * time.Millisecond)
		}
		if used := s.metric("process_cpu_seconds_total") - busy; used > 0.3 {
			wrong("%s: %.2f s of processor time in a second of silence", f.name, used)
		}
		stood := position()
		f.give()
		s.eventually(20*time.Second, "sound again after "+f.name, func() bool { return position() > stood+700 })
		if stood < before-50 || stood > before+float64(played.Milliseconds())+500 {
			wrong("%s: it stood at %.0f ms, %.0f when it happened", f.name, stood, before)
		}
		if state := s.get("/playback-state"); state["is_playing"] != true {
			wrong("%s: %v", f.name, state)
		}
	}
	testenv.Report(t, testenv.AudioLoss, testenv.Tally{Inputs: len(faults), Faults: len(faults), Violations: violations,
		Note: testenv.TriedOf(len(faults), 5, "faults") + "; reported after" + strings.TrimPrefix(note, ",") + ", of 1s"})
}

// starved returns the time that an empty request takes now: the allowance for a loaded machine.
func (s *server) starved() time.Duration {
	began := time.Now()
	s.get("/health")
	return 10 * time.Since(began)
}
