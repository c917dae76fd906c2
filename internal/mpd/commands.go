package mpd

import (
	"waxwing/internal/access"
	"waxwing/internal/audit"
)

// command is an entry of the table of commands. max is -1 for any number of arguments.
type command struct {
	need     access.Permissions
	min, max int
	run      func(s *session, args []string) error
}

// commandTable has every command that works. The outer commands of lists and noidle are part of
// the session.
var commandTable map[string]command

func init() { // a variable would refer to itself: the command "commands" lists it
	commandTable = map[string]command{}
	for _, group := range []map[string]command{
		connectionCommands(), playbackCommands(), optionCommands(), queueCommands(), queueReads(), databaseCommands(),
		playlistCommands(), stickerCommands(), channelCommands(), outputCommands(),
	} {
		for name, c := range group {
			commandTable[name] = c
		}
	}
}

// execute runs one command and appends its reply, without the final OK.
func (s *session) execute(name string, args []string) error {
	err := s.dispatch(name, args)
	if err != nil {
		s.srv.metrics.failed.Inc()
	} else {
		s.srv.metrics.ok.Inc()
	}
	return err
}

func (s *session) dispatch(name string, args []string) error {
	c, known := commandTable[name]
	if !known || name == "idle" { // idle is not allowed in lists
		return ack(codeUnknown, "unknown command \"%s\"", clip(name, 100))
	}
	if err := s.permit(c, name); err != nil {
		return err
	}
	switch {
	case c.min == c.max && len(args) != c.min:
		return ack(codeArg, "wrong number of arguments for \"%s\"", name)
	case len(args) < c.min:
		return ack(codeArg, "too few arguments for \"%s\"", name)
	case c.max >= 0 && len(args) > c.max:
		return ack(codeArg, "too many arguments for \"%s\"", name)
	}
	err := c.run(s, args)
	if c.need.Has(access.Write) && err == nil {
		s.record(audit.Entry{Decision: audit.Allowed, Route: name})
	}
	return err
}
