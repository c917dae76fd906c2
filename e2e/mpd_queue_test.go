package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// mirror is the queue as a client knows it, by plchangesposid alone.
type mirror struct {
	version string
	ids     []string
}

// follow brings the mirror up to date.
func (m *mirror) follow(c *mpdClient) {
	lines := c.ok("command_list_begin\nplchangesposid " + m.version + "\nstatus\ncommand_list_end")
	length, err := strconv.Atoi(value(lines, "playlistlength"))
	if err != nil {
		c.t.Fatal(err)
	}
	for len(m.ids) < length {
		m.ids = append(m.ids, "")
	}
	m.ids = m.ids[:length]
	positions, ids := values(lines, "cpos"), values(lines, "Id")
	for i, pos := range positions {
		n, err := strconv.Atoi(pos)
		if err != nil {
			c.t.Fatal(err)
		}
		if n < length { // the queue may have changed between the two commands
			m.ids[n] = ids[i]
		}
	}
	m.version = value(lines, "playlist")
}

func TestMPDPlchangesRebuildTheQueue(t *testing.T) {
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	c := s.mpd()
	uris := values(c.ok("listall"), "file")
	if len(uris) != songs {
		t.Fatalf("listall: got %d songs, want %d", len(uris), songs)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	steps := 300
	if testenv.Long() {
		steps = 5000
	}
	eager, lazy := &mirror{version: "0"}, &mirror{version: "0"}
	wrong := 0
	check := func(m *mirror, after string) {
		t.Helper()
		m.follow(c)
		if got := values(c.ok("playlistinfo"), "Id"); !slices.Equal(got, m.ids) {
			wrong++
			t.Errorf("after %s: got %v from plchangesposid, want %v", after, m.ids, got)
		}
	}
	for step := range steps {
		n := len(eager.ids)
		at := func() int { return rnd.IntN(max(n, 1)) }
		span := func() string {
			from := at()
			return fmt.Sprintf("%d:%d", from, from+rnd.IntN(max(n-from, 1))+1)
		}
		id := func() string {
			if n == 0 {
				return "999999"
			}
			return eager.ids[at()]
		}
		uri := quoteMPD(uris[rnd.IntN(len(uris))])
		commands := []string{
			"add " + uri, "addid " + uri + " " + strconv.Itoa(rnd.IntN(n+1)), "add \"Lumen Atlas\"", "addid " + uri + " +0",
			"delete " + strconv.Itoa(at()), "delete " + span(), "deleteid " + id(), fmt.Sprintf("move %d %d", at(), at()),
			fmt.Sprintf("move %s %d", span(), at()), fmt.Sprintf("moveid %s %d", id(), at()),
			fmt.Sprintf("swap %d %d", at(), at()), fmt.Sprintf("swapid %s %s", id(), id()), "shuffle", "shuffle " + span(),
			fmt.Sprintf("prio %d %s", rnd.IntN(256), span()), fmt.Sprintf("prioid %d %s", rnd.IntN(256), id()),
			fmt.Sprintf("play %d", at()), "next", "previous", "random " + strconv.Itoa(rnd.IntN(2)),
			"consume " + strconv.Itoa(rnd.IntN(2)), "stop", "findadd genre Ambient",
		}
		command := commands[rnd.IntN(len(commands))]
		if n > 60 || rnd.IntN(100) == 0 {
			command = "clear"
		}
		c.do(command) // many are out of range on purpose
		check(eager, command)
		if step%17 == 0 {
			check(lazy, "17 commands")
		}
	}
	check(lazy, "all commands")
	testenv.Report(t, testenv.Model, testenv.Tally{Inputs: steps, Violations: wrong,
		Note: "commands of MPD clients; the queue rebuilt by plchangesposid"})
}

func TestMPDIdleLosesNoEvent(t *testing.T) {
	s := start(t, withMPD)
	c, other := s.mpd(), s.mpd()
	for value(c.ok("status"), "updating_db") != "" {
		time.Sleep(10 * time.Millisecond)
	}
	drain := func() {
		t.Helper()
		for { // until noidle reports nothing
			c.send("idle\nnoidle\n")
			if lines, _ := c.reply(); len(lines) == 0 {
				return
			}
		}
	}
	time.Sleep(50 * time.Millisecond) // events of the first scan
	drain()
	other.ok("setvol 11")
	other.ok("repeat 1")
	// Events between two idles are kept, those of other subsystems too.
	s.eventually(5*time.Second, "the events", func() bool {
		c.send("idle options\n")
		lines, _ := c.reply()
		return slices.Equal(lines, []string{"changed: options"})
	})
	if got := c.ok("idle mixer"); !slices.Equal(got, []string{"changed: mixer"}) {
		t.Errorf("an event before idle: got %v, want changed: mixer", got)
	}
	c.ok("ping")
	// noidle ends without an event; outside idle it replies nothing.
	c.send("idle\nnoidle\nnoidle\nping\n")
	for range 2 {
		if lines, final := c.reply(); len(lines) > 0 || final != "OK" {
			t.Errorf("noidle: got %v %q, want OK", lines, final)
		}
	}
	// A volume that changes and changes back between two idles is an event.
	events := 0
	for i := range 200 {
		c.send("idle mixer\n")
		other.ok("command_list_begin\n" + strings.Repeat(fmt.Sprintf("setvol %d\nsetvol 50\n", 1+i%40), 3) +
			"command_list_end")
		if lines, final := c.reply(); final == "OK" && slices.Contains(lines, "changed: mixer") {
			events++
		}
		if got := value(c.ok("status"), "volume"); got != "50" {
			t.Fatalf("volume: got %s, want 50", got)
		}
	}
	if events != 200 {
		t.Errorf("got %d events for 200 changes, want 200", events)
	}
	other.ok("subscribe radio")
	if got := c.ok("idle subscription"); !slices.Equal(got, []string{"changed: subscription"}) {
		t.Errorf("a new channel: got %v, want changed: subscription", got)
	}
	c.ok("sendmessage radio hello")
	if got := other.ok("idle message"); !slices.Equal(got, []string{"changed: message"}) {
		t.Errorf("a message: got %v, want changed: message", got)
	}
	c.ok("ping")
}
