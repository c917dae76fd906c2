package mpd

import (
	"maps"
	"slices"
	"sync"
)

// Limits of messages between clients.
const (
	maxChannels    = 16 // of one client
	maxChannelName = 64
	maxMessages    = 64 // that a client has not read; further ones are dropped
	maxMessageSize = 4000
)

func channelCommands() map[string]command {
	return map[string]command{
		"subscribe":    {reads, 1, 1, (*session).subscribe},
		"unsubscribe":  {reads, 1, 1, (*session).unsubscribe},
		"channels":     {reads, 0, 0, (*session).listChannels},
		"readmessages": {reads, 0, 0, (*session).readMessages},
		"sendmessage":  {writes, 2, 2, (*session).sendMessage},
	}
}

// channels passes messages between clients.
type channels struct {
	mu   sync.Mutex
	open map[string]map[*session]bool // subscribers by name
}

// inbox holds the messages of a client. The mutex of channels guards it.
type inbox struct {
	channels int
	messages []message
}

type message struct{ channel, text string }

func validChannel(name string) bool {
	if name == "" || len(name) > maxChannelName {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' && c != ':' {
			return false
		}
	}
	return true
}

func (s *session) subscribe(args []string) error {
	name := args[0]
	if !validChannel(name) {
		return ack(codeArg, "invalid channel name")
	}
	h := &s.srv.channels
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.open[name][s]:
		return ack(codeExist, "already subscribed to this channel")
	case s.inbox.channels == maxChannels:
		return ack(codeExist, "subscription list is full")
	}
	s.inbox.channels++
	if h.open[name] == nil {
		h.open[name] = map[*session]bool{}
		defer s.srv.hub.notify(eventSubscription)
	}
	h.open[name][s] = true
	return nil
}

func (s *session) unsubscribe(args []string) error {
	h := &s.srv.channels
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open[args[0]][s] {
		return ack(codeNoExist, "not subscribed to this channel")
	}
	if h.remove(s, args[0]) {
		defer s.srv.hub.notify(eventSubscription)
	}
	return nil
}

// remove removes a subscriber and reports whether the channel is closed now.
func (h *channels) remove(s *session, name string) bool {
	s.inbox.channels--
	delete(h.open[name], s)
	if len(h.open[name]) > 0 {
		return false
	}
	delete(h.open, name)
	return true
}

// leave removes a session from all channels and reports whether one is closed now.
func (h *channels) leave(s *session) (closed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, subscribers := range h.open {
		if subscribers[s] {
			closed = h.remove(s, name) || closed
		}
	}
	return closed
}

func (s *session) listChannels([]string) error {
	h := &s.srv.channels
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(h.open)) {
		s.out.pair("channel", name)
	}
	return nil
}

func (s *session) sendMessage(args []string) error {
	if !validChannel(args[0]) {
		return ack(codeArg, "invalid channel name")
	}
	h := &s.srv.channels
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.open[args[0]]) == 0 {
		return ack(codeNoExist, "nobody is subscribed to this channel")
	}
	for to := range h.open[args[0]] {
		if len(to.inbox.messages) < maxMessages {
			to.inbox.messages = append(to.inbox.messages, message{args[0], clip(args[1], maxMessageSize)})
		}
		to.report(eventMessage)
	}
	return nil
}

func (s *session) readMessages([]string) error {
	h := &s.srv.channels
	h.mu.Lock()
	messages := s.inbox.messages
	s.inbox.messages = nil
	h.mu.Unlock()
	for _, m := range messages {
		s.out.pair("channel", m.channel)
		s.out.pair("message", m.text)
	}
	return nil
}
