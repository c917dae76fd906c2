package mpris_test

import (
	"testing"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
)

func TestMetadataHasTheLyricsAsLRC(t *testing.T) {
	d, p := startDesktop(t)
	if err := p.Replace(t.Context(), player.Selection{TrackIDs: []string{"t4", "t0"}}, 0, false); err != nil {
		t.Fatal(err)
	}
	const want = "[00:00.50]One\n[00:02.00]Two\n"
	text := func() any { return d.get(playerIface, "Metadata").(map[string]dbus.Variant)["xesam:asText"].Value() }
	d.await("the lyrics", func(s *dbus.Signal) bool {
		metadata, ok := changed(s)["Metadata"]
		return ok && metadata.Value().(map[string]dbus.Variant)["xesam:asText"].Value() == want
	})
	if got := text(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.call(playerIface, "Next")
	d.await("the next track", announcesProperty("Metadata"))
	if got := text(); got != nil {
		t.Errorf("a track without lyrics: got %q, want none", got)
	}
}
