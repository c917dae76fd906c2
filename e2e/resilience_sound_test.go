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

// eventState is the playback state in an event.
type eventState struct {
	Rate     float64 `json:"rate"`
	Position float64 `json:"position"`
	Error    *string `json:"error"`
}

// states follows the events of the server until the end of the test.
func (s *server) states() <-chan eventState {
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
	out := make(chan eventState, 1000)
	go func() {
		defer resp.Body.Close()
		defer close(out)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			var state eventState
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.Contains(data, `"rate"`) &&
				json.Unmarshal([]byte(data), &state) == nil {
				out <- state
			}
		}
	}()
	return out
}

// maxReport is how long an event may take to report that audio output failed.
const maxReport = time.Second

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
		name        string
		start, end  func()
		needsReason bool // no playback before: an event must give the reason
	}{
		{"no server at start", func() { s.post("/play", "") }, pulse.Restart, true},
		{"device removed", func() { pulse.Control("unload-module", "module-null-sink") }, func() { sinks(44100) }, false},
		{"device with another rate", func() { pulse.Control("unload-module", "module-null-sink") },
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
		f.start()
		for stopped := (eventState{Rate: 1}); stopped.Rate != 0 || f.needsReason && stopped.Error == nil; {
			select {
			case stopped = <-states:
			case <-time.After(10 * time.Second):
				t.Fatalf("%s: no event within 10s says that playback has stopped", f.name)
			}
		}
		reported := time.Since(began) // includes the time of the command that causes the fault
		note += fmt.Sprintf(", %s %v", f.name, reported.Round(time.Millisecond))
		if reported > maxReport {
			wrong("%s: the event came after %v, want at most %v", f.name, reported, maxReport)
		}
		busy := s.metric("process_cpu_seconds_total")
		for outage := time.Now(); time.Since(outage) < 500*time.Millisecond; time.Sleep(50 * time.Millisecond) {
			s.get("/playback-state")
		}
		if used := s.metric("process_cpu_seconds_total") - busy; used > 0.15 {
			wrong("%s: got %.2f s of processor time in 0.5 s without output, want at most 0.15", f.name, used)
		}
		stopped := position()
		f.end()
		s.eventually(20*time.Second, "playback after "+f.name, func() bool { return position() > stopped+300 })
		if latest := before + float64(reported.Milliseconds()) + 500; stopped < before-50 || stopped > latest {
			wrong("%s: stopped at %.0f ms, want %.0f to %.0f", f.name, stopped, before-50, latest)
		}
		if state := s.get("/playback-state"); state["is_playing"] != true {
			wrong("%s: got state %v, want is_playing true", f.name, state)
		}
	}
	testenv.Report(t, testenv.AudioLoss, testenv.Tally{Inputs: len(faults), Faults: len(faults), Violations: violations,
		Note: testenv.TriedOf(len(faults), 5, "faults") + "; reported after" + strings.TrimPrefix(note, ",") +
			fmt.Sprintf(", of %v", maxReport)})
}
