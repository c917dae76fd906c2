package mpd

import (
	"strconv"

	"waxwing/internal/player"
)

func optionCommands() map[string]command {
	return map[string]command{
		"status":             {reads, 0, 0, (*session).status},
		"stats":              {reads, 0, 0, (*session).stats},
		"repeat":             {writes, 1, 1, (*session).setRepeat},
		"single":             {writes, 1, 1, (*session).setSingle},
		"random":             {writes, 1, 1, (*session).setRandom},
		"consume":            {writes, 1, 1, (*session).setConsume},
		"setvol":             {writes, 1, 1, (*session).setVolume},
		"volume":             {writes, 1, 1, (*session).changeVolume},
		"getvol":             {reads, 0, 0, (*session).volume},
		"replay_gain_mode":   {writes, 1, 1, (*session).setGain},
		"replay_gain_status": {reads, 0, 0, (*session).gain},
	}
}

// repeatOf returns the two settings of MPD for our two: repeating one track is repeat and single,
// stopping after a track is single alone.
func repeatOf(st *player.Status) (repeat bool, single string) {
	single = modeWord(st.StopAfter)
	if st.Repeat == player.RepeatOne && st.StopAfter == player.ModeOff {
		single = "1"
	}
	return st.Repeat != player.RepeatOff, single
}

func modeWord(m player.Mode) string {
	switch m {
	case player.ModeOn:
		return "1"
	case player.ModeOnce:
		return "oneshot"
	}
	return "0"
}

// setModes sets what differs from the present state.
func (s *session) setModes(repeat bool, single string) error {
	st := s.player().Status()
	mode, stopAfter := player.RepeatOff, player.ModeOff
	if repeat {
		mode = player.RepeatAll
	}
	switch {
	case single == "oneshot":
		stopAfter = player.ModeOnce
	case single == "1" && repeat:
		mode = player.RepeatOne
	case single == "1":
		stopAfter = player.ModeOn
	}
	if stopAfter != st.StopAfter {
		if err := s.player().SetModes(s.ctx, &stopAfter, nil); err != nil {
			return err
		}
	}
	if mode == st.Repeat || mode == player.RepeatAll && st.Repeat == player.RepeatOn {
		return nil
	}
	return s.player().SetRepeat(s.ctx, mode)
}

func (s *session) setRepeat(args []string) error {
	on, err := boolean(args[0])
	if err != nil {
		return err
	}
	_, single := repeatOf(s.player().Status())
	return s.setModes(on, single)
}

func (s *session) setSingle(args []string) error {
	switch args[0] {
	case "0", "1", "oneshot":
	default:
		return ack(codeArg, "Unrecognized single mode, expected 0, 1, or oneshot")
	}
	repeat, _ := repeatOf(s.player().Status())
	return s.setModes(repeat, args[0])
}

func (s *session) setRandom(args []string) error {
	on, err := boolean(args[0])
	if err != nil {
		return err
	}
	return s.player().SetShuffle(s.ctx, on)
}

func (s *session) setConsume(args []string) error {
	var mode player.Mode
	switch args[0] {
	case "0":
		mode = player.ModeOff
	case "1":
		mode = player.ModeOn
	case "oneshot":
		mode = player.ModeOnce
	default:
		return ack(codeArg, "Unrecognized consume mode, expected 0, 1, or oneshot")
	}
	return s.player().SetModes(s.ctx, nil, &mode)
}

func (s *session) setVolume(args []string) error {
	n, err := integer(args[0], 0, 100)
	if err != nil {
		return err
	}
	loud := false
	return s.player().SetVolume(s.ctx, &n, &loud)
}

func (s *session) changeVolume(args []string) error {
	by, err := integer(args[0], -100, 100)
	if err != nil {
		return err
	}
	return s.setVolume([]string{strconv.Itoa(max(0, min(100, volumeOf(s.player().Status())+by)))})
}

func (s *session) volume([]string) error {
	s.out.number("volume", volumeOf(s.player().Status()))
	return nil
}

func (s *session) setGain(args []string) error {
	mode, err := player.ParseGainMode(args[0])
	if err != nil {
		return ack(codeArg, "Unrecognized replay gain mode")
	}
	s.player().SetGain(mode)
	s.srv.hub.notify(eventOptions)
	return nil
}

func (s *session) gain([]string) error {
	s.out.pair("replay_gain_mode", string(s.player().Gain()))
	return nil
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

func appendNumber(b []byte, name string, n int) []byte {
	b = append(append(b, name...), ": "...)
	return append(appendInt(b, n), '\n')
}

func appendFlag(b []byte, name string, on bool) []byte {
	if on {
		return appendNumber(b, name, 1)
	}
	return appendNumber(b, name, 0)
}
