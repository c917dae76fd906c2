// Package sound measures playback on a real sound server: the latency from a command to the audio,
// and processor time and memory while playing. MPD plays to the same server: alternating for
// latency, at the same time for processor time.
package sound

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// Keys of the rows.
const (
	Acknowledged, Sample, Silence, Memory, CPU = "ack", "sample", "silence", "playing-memory", "cpu"
)

// Measure returns the requested rows.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	if !run.Wants(Acknowledged, Sample, Silence, Memory, CPU) {
		return nil, nil
	}
	run.Logf("sound")
	pulse, err := peer.StartPulse(filepath.Join(run.Temp, "pulse"))
	if errors.Is(err, peer.ErrAbsent) {
		for _, key := range []string{Acknowledged, Sample, Silence, Memory, CPU} {
			rows = append(rows, table.Row{Key: key, What: "sound: " + key, Absent: []string{err.Error()}})
		}
		return rows, nil
	}
	if err != nil {
		return nil, err
	}
	defer pulse.Stop()
	s, err := open(ctx, run, pulse)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if run.Wants(Acknowledged, Sample, Silence) {
		if rows, err = s.latencies(); err != nil {
			return nil, err
		}
	}
	if run.Wants(Memory, CPU) {
		more, err := s.resources(ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// fixture is both players on one sound server with the same music.
type fixture struct {
	run     *gauge.Run
	pulse   *peer.Pulse
	catalog *gauge.Waxwing
	player  *gauge.Waxwing // the player role only
	songs   map[string]string
	mpd     *peer.MPD // nil if not installed
	absent  []string
}

// The tracks: two whose samples stay above and below zero, and two long ones.
const (
	above, below   = "above.flac", "below.flac"
	longFLAC, long = "long.flac", "long.mp3"
)

func open(ctx context.Context, run *gauge.Run, pulse *peer.Pulse) (_ *fixture, err error) {
	s := &fixture{run: run, pulse: pulse, songs: map[string]string{}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	music := filepath.Join(run.Temp, "tracks")
	if err := generate(ctx, music, run.Window+time.Minute); err != nil {
		return nil, err
	}
	data := filepath.Join(run.Temp, "sound")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	s.catalog, _, err = run.StartWaxwing(ctx, gauge.Role{
		Command: "catalog", Data: filepath.Join(data, "catalog"), Args: []string{"--music", music},
	})
	if err != nil {
		return nil, err
	}
	if _, err := s.catalog.Until("its scan ended", time.Minute, s.scanned); err != nil {
		return nil, err
	}
	key := filepath.Join(data, "key")
	if err := os.WriteFile(key, []byte(s.catalog.Catalog.Credential), 0o600); err != nil {
		return nil, err
	}
	role := gauge.Role{Command: "player", Data: filepath.Join(data, "player"), Env: pulse.Env(),
		Args: []string{"--catalog", s.catalog.Catalog.Base, "--api-key-file", key, "--output", "pulse",
			"--replay-gain", "off"}}
	if s.player, _, err = run.StartWaxwing(ctx, role); err != nil {
		return nil, err
	}
	s.mpd, _, err = peer.StartMPD(filepath.Join(data, "mpd"), music, pulse)
	if errors.Is(err, peer.ErrAbsent) {
		s.absent, err = []string{err.Error()}, nil
		return s, nil
	}
	return s, err
}

// scanned reports whether the catalog has all tracks, and stores their ids.
func (s *fixture) scanned() bool {
	var page struct{ Songs []struct{ ID, Title string } }
	if s.catalog.Catalog.Request("GET", "/api/songs", "", &page) != nil {
		return false
	}
	for _, song := range page.Songs {
		s.songs[song.Title] = song.ID
	}
	return len(s.songs) == 4
}

func (s *fixture) close() {
	for _, p := range []*gauge.Waxwing{s.player, s.catalog} {
		if p != nil {
			p.Stop()
		}
	}
	if s.mpd != nil {
		s.mpd.Stop()
	}
}

// queue starts our player with the tracks, repeating them.
func (s *fixture) queue(tracks ...string) error {
	ids := ""
	for i, track := range tracks {
		if i > 0 {
			ids += ","
		}
		ids += fmt.Sprintf("%q", s.songs[track])
	}
	for _, command := range [][2]string{
		{"/volume", `{"volume":100}`}, {"/repeat", `{"repeat":"all"}`},
		{"/queue/replace", `{"track_ids":[` + ids + `],"play":true}`},
	} {
		if _, err := s.player.Player.Raw("POST", command[0], command[1]); err != nil {
			return err
		}
	}
	return nil
}

// generate creates the tracks with ffmpeg. Those above and below zero are noise around a constant;
// the long ones are pink noise in stereo, which costs a decoder about as much as music.
func generate(ctx context.Context, dir string, length time.Duration) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	around := func(level string) string {
		return "aevalsrc=exprs=" + level + "+0.2*(random(0)-0.5)|" + level + "+0.2*(random(1)-0.5):s=44100:d=120"
	}
	noise := fmt.Sprintf("anoisesrc=color=pink:r=44100:a=0.4:d=%.0f:seed=%%d", length.Seconds())
	pink := fmt.Sprintf(noise, 1) + "[l];" + fmt.Sprintf(noise, 2) + "[r];[l][r]amerge=inputs=2"
	for _, track := range []struct {
		name, source string
		codec        []string
	}{
		{above, around("0.4"), []string{"-c:a", "flac", "-sample_fmt", "s16"}},
		{below, around("-0.4"), []string{"-c:a", "flac", "-sample_fmt", "s16"}},
		{longFLAC, pink, []string{"-c:a", "flac", "-sample_fmt", "s16"}},
		{long, pink, []string{"-c:a", "libmp3lame", "-b:a", "192k"}},
	} {
		args := append([]string{"-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", track.source,
			"-metadata", "title=" + track.name, "-metadata", "artist=Bench"}, track.codec...)
		cmd := exec.CommandContext(ctx, "ffmpeg", append(args, filepath.Join(dir, track.name))...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("generate %s with ffmpeg: %w: %s", track.name, err, out)
		}
	}
	return nil
}
