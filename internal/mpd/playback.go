package mpd

import (
	"context"
	"strings"
	"time"

	"waxwing/internal/player"
)

func playbackCommands() map[string]command {
	return map[string]command{
		"play":       {writes, 0, 1, (*session).play},
		"playid":     {writes, 0, 1, (*session).playID},
		"pause":      {writes, 0, 1, (*session).pause},
		"stop":       {writes, 0, 0, func(s *session, _ []string) error { return s.player().Stop(s.ctx) }},
		"next":       {writes, 0, 0, func(s *session, _ []string) error { return s.skip(s.player().Next) }},
		"previous":   {writes, 0, 0, func(s *session, _ []string) error { return s.skip(s.player().Previous) }},
		"seek":       {writes, 2, 2, func(s *session, args []string) error { return s.seek(args, itemAt) }},
		"seekid":     {writes, 2, 2, func(s *session, args []string) error { return s.seek(args, itemByID) }},
		"seekcur":    {writes, 1, 1, (*session).seekCurrent},
		"clearerror": {writes, 0, 0, func(s *session, _ []string) error { return s.player().ClearError(s.ctx) }},
	}
}

func (s *session) player() *player.Player { return s.srv.cfg.Player }

// play resumes, or plays a position of the queue.
func (s *session) play(args []string) error {
	if len(args) == 1 && args[0] != "-1" {
		return s.editItems(args[0], itemAt, func(q *player.Edit, i, _ int) error { return q.Play(i, 0) })
	}
	if len(s.player().Status().Queue) == 0 { // Play would fill the queue
		return nil
	}
	_, err := s.player().Play(s.ctx)
	return err
}

func (s *session) playID(args []string) error {
	if len(args) == 0 || args[0] == "-1" {
		return s.play(nil)
	}
	return s.editItems(args[0], itemByID, func(q *player.Edit, i, _ int) error { return q.Play(i, 0) })
}

// pause pauses, resumes or toggles. A stopped player stays so.
func (s *session) pause(args []string) error {
	st := s.player().Status()
	pause := st.Playing
	if len(args) == 1 {
		var err error
		if pause, err = boolean(args[0]); err != nil {
			return err
		}
	}
	if st.Stopped {
		return nil
	}
	if pause {
		return s.player().Pause(s.ctx)
	}
	_, err := s.player().Play(s.ctx)
	return err
}

// skip moves to another track, unless the player is stopped.
func (s *session) skip(move func(context.Context) error) error {
	if st := s.player().Status(); st.Stopped || len(st.Queue) == 0 {
		return errNotPlaying
	}
	return move(s.ctx)
}

// seek moves the playhead in the current item, or plays another one from there.
func (s *session) seek(args []string, find finder) error {
	at, err := seconds(args[1])
	if err != nil {
		return err
	}
	if at < 0 {
		return ack(codeArg, "Negative value not allowed: %s", clip(args[1], 100))
	}
	current := false
	err = s.editItems(args[0], find, func(q *player.Edit, i, _ int) error {
		if current = i == q.Current() && !s.player().Status().Stopped; current {
			return nil
		}
		return q.Play(i, at)
	})
	if err != nil || !current {
		return err
	}
	_, err = s.player().Seek(s.ctx, at)
	return err
}

// seekCurrent moves the playhead to a time, or by a time with a sign.
func (s *session) seekCurrent(args []string) error {
	by, err := seconds(args[0])
	if err != nil {
		return err
	}
	if st := s.player().Status(); st.Stopped || st.Index < 0 {
		return errNotPlaying
	}
	if strings.HasPrefix(args[0], "+") || strings.HasPrefix(args[0], "-") {
		by = max(0, s.player().Position()+by)
	}
	_, err = s.player().Seek(s.ctx, by)
	return err
}

// status reports the state of the player.
func (s *session) status([]string) error {
	p := s.player()
	st := p.Status()
	repeat, single := repeatOf(st)
	b := s.out.bytes()
	b = appendNumber(b, "volume", volumeOf(st))
	b = appendFlag(b, "repeat", repeat)
	b = appendFlag(b, "random", st.Shuffle)
	b = appendPair(b, "single", single)
	b = appendPair(b, "consume", modeWord(st.Consume))
	b = append(b, "partition: "+onlyPartition+"\n"...)
	b = appendNumber(b, "playlist", int(st.QueueVersion))
	b = appendNumber(b, "playlistlength", len(st.Queue))
	b = append(b, "mixrampdb: 0\nstate: "...)
	b = append(append(b, stateOf(st)...), '\n')
	t, loaded := st.Current()
	if loaded {
		b = appendNumber(b, "song", st.Index)
		b = appendNumber(b, "songid", st.Items[st.Index].ID)
	}
	if loaded && !st.Stopped {
		b = s.appendPlaying(b, t, p.Position())
	}
	if job := s.srv.updates.running(); job > 0 {
		b = appendNumber(b, "updating_db", job)
	}
	if st.Error != "" {
		b = appendPair(b, "error", st.Error)
	}
	if next := st.Next; next >= 0 && next < len(st.Items) {
		b = appendNumber(b, "nextsong", next)
		b = appendNumber(b, "nextsongid", st.Items[next].ID)
	}
	s.out.set(b)
	return nil
}

// appendPlaying appends what is known about the track that plays.
func (s *session) appendPlaying(b []byte, t player.Track, at time.Duration) []byte {
	at = max(0, at)
	if t.Duration > 0 {
		at = min(at, t.Duration)
	}
	b = append(b, "time: "...)
	b = appendInt(b, int(at.Round(time.Second)/time.Second))
	b = append(b, ':')
	b = appendInt(b, int(t.Duration.Round(time.Second)/time.Second))
	b = append(b, "\nelapsed: "...)
	b = append(appendSeconds(b, at), '\n')
	one := s.srv.songs.known(t.ID)
	if one != nil && one.bitrate > 0 {
		b = appendNumber(b, "bitrate", one.bitrate)
	}
	if t.Duration > 0 {
		b = append(b, "duration: "...)
		b = append(appendSeconds(b, t.Duration), '\n')
	}
	if one != nil && one.format.rate > 0 {
		b = appendPair(b, "audio", one.format.String())
	}
	return b
}

func stateOf(st *player.Status) string {
	switch {
	case st.Playing:
		return "play"
	case st.Stopped || st.Index < 0:
		return "stop"
	}
	return "pause"
}

func volumeOf(st *player.Status) int {
	if st.Muted {
		return 0
	}
	return st.Volume
}
