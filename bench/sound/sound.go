// Package sound measures a player as a listener meets it, on a real sound server: how soon a command is heard, and what
// playing costs. MPD plays to the same server, in turn where it is a matter of time, and at once where it is a matter
// of processor time.
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

// Measure returns the rows that are asked for.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	if !run.Wants(Acknowledged, Sample, Silence, Memory, CPU) {
		return nil, nil
	}
	run.Say("sound")
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
		if rows, err = s.heard(); err != nil {
			return nil, err
		}
	}
	if run.Wants(Memory, CPU) {
		more, err := s.costs(ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// stage is both players on one sound server, over the same music.
type stage struct {
	run     *gauge.Run
	pulse   *peer.Pulse
	catalog *gauge.Waxwing
	player  *gauge.Waxwing // the player alone, as a process of its own
	songs   map[string]string
	mpd     *peer.MPD // nil: absent
	absent  []string
}

// The pieces of music: two whose samples stay above and below zero, and two as long as playing is watched.
const (
	above, below   = "above.flac", "below.flac"
	longFLAC, long = "long.flac", "long.mp3"
)

func open(ctx context.Context, run *gauge.Run, pulse *peer.Pulse) (_ *stage, err error) {
	s := &stage{run: run, pulse: pulse, songs: map[string]string{}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	music := filepath.Join(run.Temp, "pieces")
	if err := compose(ctx, music, run.Window+time.Minute); err != nil {
		return nil, err
	}
	data := filepath.Join(run.Temp, "sound")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	if s.catalog, _, err = run.StartWaxwing(ctx, gauge.Role{Command: "catalog", Data: filepath.Join(data, "catalog"), Args: []string{"--music", music}}); err != nil {
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
		Args: []string{"--catalog", s.catalog.Catalog.Base, "--api-key-file", key, "--output", "pulse", "--replay-gain", "off"}}
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

// scanned reports whether the catalog has all pieces, and remembers their ids.
func (s *stage) scanned() bool {
	var page struct{ Songs []struct{ ID, Title string } }
	if s.catalog.Catalog.Ask("GET", "/api/songs", "", &page) != nil {
		return false
	}
	for _, song := range page.Songs {
		s.songs[song.Title] = song.ID
	}
	return len(s.songs) == 4
}

func (s *stage) close() {
	for _, p := range []*gauge.Waxwing{s.player, s.catalog} {
		if p != nil {
			p.Stop()
		}
	}
	if s.mpd != nil {
		s.mpd.Stop()
	}
}

// queue has our player play the pieces over and over.
func (s *stage) queue(pieces ...string) error {
	ids := ""
	for i, piece := range pieces {
		if i > 0 {
			ids += ","
		}
		ids += fmt.Sprintf("%q", s.songs[piece])
	}
	for _, command := range [][2]string{{"/volume", `{"volume":100}`}, {"/repeat", `{"repeat":"all"}`}, {"/queue/replace", `{"track_ids":[` + ids + `],"play":true}`}} {
		if _, err := s.player.Player.Raw("POST", command[0], command[1]); err != nil {
			return err
		}
	}
	return nil
}

// compose makes the pieces with ffmpeg. Those above and below zero are noise around a constant; the long ones are pink
// noise in stereo, which costs a decoder about what music does.
func compose(ctx context.Context, dir string, length time.Duration) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	around := func(level string) string {
		return "aevalsrc=exprs=" + level + "+0.2*(random(0)-0.5)|" + level + "+0.2*(random(1)-0.5):s=44100:d=120"
	}
	noise := fmt.Sprintf("anoisesrc=color=pink:r=44100:a=0.4:d=%.0f:seed=%%d", length.Seconds())
	pink := fmt.Sprintf(noise, 1) + "[l];" + fmt.Sprintf(noise, 2) + "[r];[l][r]amerge=inputs=2"
	for _, piece := range []struct {
		name, source string
		codec        []string
	}{
		{above, around("0.4"), []string{"-c:a", "flac", "-sample_fmt", "s16"}},
		{below, around("-0.4"), []string{"-c:a", "flac", "-sample_fmt", "s16"}},
		{longFLAC, pink, []string{"-c:a", "flac", "-sample_fmt", "s16"}},
		{long, pink, []string{"-c:a", "libmp3lame", "-b:a", "192k"}},
	} {
		args := append([]string{"-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", piece.source, "-metadata", "title=" + piece.name, "-metadata", "artist=Bench"}, piece.codec...)
		if out, err := exec.CommandContext(ctx, "ffmpeg", append(args, filepath.Join(dir, piece.name))...).CombinedOutput(); err != nil {
			return fmt.Errorf("make %s with ffmpeg: %w: %s", piece.name, err, out)
		}
	}
	return nil
}
