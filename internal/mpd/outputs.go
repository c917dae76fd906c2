package mpd

import (
	"waxwing/internal/player"
)

func outputCommands() map[string]command {
	return map[string]command{
		"outputs":       {reads, 0, 0, (*session).outputs},
		"enableoutput":  {writes, 1, 1, (*session).enableOutput},
		"disableoutput": {writes, 1, 1, (*session).disableOutput},
		"toggleoutput":  {writes, 1, 1, (*session).toggleOutput},
	}
}

// devices lists the devices with a number each: the index, which changes only if the devices do.
func (s *session) devices() ([]player.OutputDevice, error) { return s.player().Outputs(s.ctx) }

func (s *session) outputs([]string) error {
	devices, err := s.devices()
	if err != nil {
		return err
	}
	for i, d := range devices {
		s.out.number("outputid", i)
		s.out.pair("outputname", d.Name)
		s.out.text("plugin: waxwing\n")
		s.out.set(appendFlag(s.out.bytes(), "outputenabled", d.Active))
	}
	return nil
}

func (s *session) device(arg string) (player.OutputDevice, error) {
	n, err := integer(arg, 0, 1<<31-1)
	if err != nil {
		return player.OutputDevice{}, err
	}
	devices, err := s.devices()
	if err != nil {
		return player.OutputDevice{}, err
	}
	if n >= len(devices) {
		return player.OutputDevice{}, ack(codeNoExist, "No such audio output")
	}
	return devices[n], nil
}

// enableOutput plays on a device. One device is active at a time, so the one before is disabled.
func (s *session) enableOutput(args []string) error {
	d, err := s.device(args[0])
	if err != nil || d.Active {
		return err
	}
	return s.player().SetOutput(s.ctx, d.ID)
}

// disableOutput refuses to disable the active device: the player always has one.
func (s *session) disableOutput(args []string) error {
	d, err := s.device(args[0])
	if err == nil && d.Active {
		return ack(codeSystem, "the player always has one output; enable another one instead")
	}
	return err
}

func (s *session) toggleOutput(args []string) error {
	d, err := s.device(args[0])
	if err != nil {
		return err
	}
	if d.Active {
		return s.disableOutput(args)
	}
	return s.player().SetOutput(s.ctx, d.ID)
}
