package mpd

import (
	"maps"
	"slices"
)

// Bounds of a chunk of binary data, in bytes.
const (
	defaultBinaryLimit = 8192
	minBinaryLimit     = 64
	maxBinaryLimit     = 1 << 20
)

func connectionCommands() map[string]command {
	return map[string]command{
		"close":          {anybody, 0, 0, func(*session, []string) error { return errClose }},
		"ping":           {anybody, 0, 0, func(*session, []string) error { return nil }},
		"password":       {anybody, 1, 1, (*session).password},
		"idle":           {reads, 0, -1, nil}, // handled by the session
		"commands":       {reads, 0, 0, func(s *session, _ []string) error { return s.listCommands(true) }},
		"notcommands":    {reads, 0, 0, func(s *session, _ []string) error { return s.listCommands(false) }},
		"tagtypes":       {reads, 0, -1, (*session).tagTypes},
		"protocol":       {reads, 0, -1, (*session).protocol},
		"binarylimit":    {reads, 1, 1, (*session).setBinaryLimit},
		"urlhandlers":    {reads, 0, 0, (*session).urlHandlers},
		"decoders":       {reads, 0, 0, (*session).decoders},
		"listpartitions": {reads, 0, 0, (*session).listPartitions},
		"partition":      {reads, 1, 1, (*session).selectPartition},
	}
}

// listCommands lists the commands that the client may use, or may not.
func (s *session) listCommands(allowed bool) error {
	for _, name := range slices.Sorted(maps.Keys(commandTable)) {
		if s.caller.permissions.Has(commandTable[name].need) == allowed {
			s.out.pair("command", name)
		}
	}
	return nil
}

// tagTypes lists or changes the tags that this connection receives.
func (s *session) tagTypes(args []string) error {
	if len(args) == 0 {
		for _, t := range servedTags {
			if s.tags.has(t) {
				s.out.pair("tagtype", tagNames[t])
			}
		}
		return nil
	}
	named := func() (set tagSet, err error) {
		if len(args) < 2 {
			return 0, ack(codeArg, "Not enough arguments")
		}
		for _, name := range args[1:] {
			t, known := tagNamed(name)
			if !known {
				return 0, ack(codeArg, "Unknown tag type")
			}
			set |= 1 << t
		}
		return set, nil
	}
	switch args[0] {
	case "all":
		s.tags = allTags
	case "clear":
		s.tags = 0
	case "available":
		for _, t := range servedTags {
			s.out.pair("tagtype", tagNames[t])
		}
	case "enable", "disable", "reset":
		set, err := named()
		if err != nil {
			return err
		}
		switch args[0] {
		case "enable":
			s.tags |= set
		case "disable":
			s.tags &^= set
		default:
			s.tags = set
		}
	default:
		return ack(codeArg, "Unknown sub command")
	}
	return nil
}

// hidePlaylists is the one optional feature of the protocol: lsinfo of the root lists no playlists.
const hidePlaylists = "hide_playlists_in_root"

// protocol lists or changes the optional features of this connection.
func (s *session) protocol(args []string) error {
	if len(args) == 0 {
		if s.hidePlaylists {
			s.out.pair("feature", hidePlaylists)
		}
		return nil
	}
	switch args[0] {
	case "available":
		s.out.pair("feature", hidePlaylists)
	case "all":
		s.hidePlaylists = true
	case "clear":
		s.hidePlaylists = false
	case "enable", "disable":
		if len(args) < 2 {
			return ack(codeArg, "Not enough arguments")
		}
		for _, name := range args[1:] {
			if name != hidePlaylists {
				return ack(codeArg, "Unknown protocol feature")
			}
		}
		s.hidePlaylists = args[0] == "enable"
	default:
		return ack(codeArg, "Unknown sub command")
	}
	return nil
}

func (s *session) setBinaryLimit(args []string) error {
	n, err := integer(args[0], 0, maxBinaryLimit)
	if err != nil {
		return err
	}
	if n < minBinaryLimit {
		return ack(codeArg, "Value too small")
	}
	s.binaryLimit = n
	return nil
}

func (s *session) urlHandlers([]string) error {
	s.out.text("handler: http://\nhandler: https://\n")
	return nil
}

func (s *session) decoders([]string) error {
	for _, d := range []struct {
		plugin   string
		suffixes []string
		types    []string
	}{
		{"mp3", []string{"mp3"}, []string{"audio/mpeg"}},
		{"flac", []string{"flac", "oga"}, []string{"audio/flac", "audio/x-flac"}},
		{"vorbis", []string{"ogg", "oga"}, []string{"audio/ogg", "audio/vorbis"}},
		{"opus", []string{"opus", "ogg"}, []string{"audio/ogg", "audio/opus"}},
		{"aac", []string{"m4a", "mp4", "aac"}, []string{"audio/mp4", "audio/aac"}},
		{"alac", []string{"m4a"}, []string{"audio/mp4"}},
		{"pcm", []string{"wav", "aiff", "aif"}, []string{"audio/wav", "audio/aiff"}},
	} {
		s.out.pair("plugin", d.plugin)
		for _, suffix := range d.suffixes {
			s.out.pair("suffix", suffix)
		}
		for _, t := range d.types {
			s.out.pair("mime_type", t)
		}
	}
	return nil
}

// onlyPartition is the name of the one partition.
const onlyPartition = "default"

func (s *session) listPartitions([]string) error {
	s.out.pair("partition", onlyPartition)
	return nil
}

func (s *session) selectPartition(args []string) error {
	if args[0] != onlyPartition {
		return ack(codeNoExist, "partition does not exist")
	}
	return nil
}
